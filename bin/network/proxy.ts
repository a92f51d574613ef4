import type { Agent, AgentOptions } from 'node:http'

type Env = Readonly<Record<string, string | undefined>>

/** A proxy and the variable that names it. */
export interface ProxySetting {
  readonly url: string
  readonly variable: string
}

const VARIABLES = ['https_proxy', 'http_proxy', 'all_proxy']

/** The proxy that the environment of this process wants for an address; the library is loaded only where one is set. */
export async function proxyFor(url: string, env: Env): Promise<ProxySetting | undefined> {
  const names = VARIABLES.flatMap((name) => [name, name.toUpperCase()]).filter((name) => env[name])
  if (names.length === 0 || isLoopback(url)) return undefined
  const { getProxyForUrl } = await import('proxy-from-env')
  const proxy = getProxyForUrl(url)
  if (proxy === '') return undefined
  const own = `${new URL(url).protocol.replace(':', '')}_proxy`
  const variable = names.find((name) => name.toLowerCase() === own) ?? names.find((name) => /^all/i.test(name)) ?? own
  return { url: proxy, variable }
}

/* A proxy elsewhere could only reach itself by such a name. */
function isLoopback(url: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
}

/** Why a proxy cannot be used, before anything is sent: its address is no URL, or it is of a kind that is not known here. */
export function refusalOf({ url }: ProxySetting): 'PROXY_INVALID' | 'PROXY_UNSUPPORTED' | undefined {
  if (!URL.canParse(url)) return 'PROXY_INVALID'
  return /^https?:$/.test(new URL(url).protocol) ? undefined : 'PROXY_UNSUPPORTED'
}

/** An agent that reaches every host through a tunnel of the proxy, so that the proxy sees no key of plain http either. */
export async function tunnelAgent(proxy: string, { timeout, ...options }: AgentOptions): Promise<Agent> {
  const { HttpsProxyAgent } = await import('https-proxy-agent')
  const agent = new HttpsProxyAgent(proxy, options)
  /* Its constructor takes this for the time of the proxy's connection alone. */
  return Object.assign(agent, { options: { ...agent.options, timeout } })
}
