import type { Agent } from 'node:http'

type Env = Readonly<Record<string, string | undefined>>

/** A proxy and the variable that names it. */
export interface Proxy {
  readonly url: string
  readonly variable: string
}

const VARIABLES = ['https_proxy', 'http_proxy', 'all_proxy']

/** The proxy that the environment of this process wants for an address; the library is loaded only where one is set. */
export async function proxyFor(url: string, env: Env): Promise<Proxy | undefined> {
  const names = VARIABLES.flatMap((name) => [name, name.toUpperCase()]).filter((name) => env[name])
  if (names.length === 0) return undefined
  const { getProxyForUrl } = await import('proxy-from-env')
  const proxy = getProxyForUrl(url)
  if (proxy === '') return undefined
  const own = `${new URL(url).protocol.replace(':', '')}_proxy`
  const variable = names.find((name) => name.toLowerCase() === own) ?? names.find((name) => /^all/i.test(name)) ?? own
  return { url: proxy, variable }
}

/** An agent that reaches every host through a tunnel of the proxy, so that the proxy sees no key of plain http either. */
export async function tunnelAgent(proxy: string): Promise<Agent> {
  const { HttpsProxyAgent } = await import('https-proxy-agent')
  return new HttpsProxyAgent(proxy)
}
