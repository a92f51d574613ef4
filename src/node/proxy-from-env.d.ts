declare module 'proxy-from-env' {
  /** The proxy for a URL according to the environment variables; empty if there is none. */
  export function getProxyForUrl(url: string): string
}
