declare module 'proxy-from-env' {
  /** The proxy for an address by the variables of the environment; empty where there is none. */
  export function getProxyForUrl(url: string): string
}
