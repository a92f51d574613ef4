declare module 'node-fetch-2' {
  /** What cross-fetch brings to Node.js; its own types are a package of their own. */
  export default function fetch(url: string, init: object): Promise<unknown>
}
