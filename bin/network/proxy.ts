import type { Agent, AgentOptions } from 'node:http'
import type { Env } from '../io.ts'
import { isLoopback } from './loopback.ts'

export interface ProxySetting {
  readonly url: string
  readonly variable: string
}

const VARIABLES = ['https_proxy', 'http_proxy', 'all_proxy']

/** The proxy that the environment names for an address. By loopback names a proxy would reach itself: there is none. */
export async function proxyFor(url: string, env: Env): Promise<ProxySetting | undefined> {
  const names = VARIABLES.flatMap((name) => [name, name.toUpperCase()]).filter((name) => env[name])
  if (names.length === 0 || isLoopback(new URL(url).hostname)) return undefined
  const { getProxyForUrl } = await import('proxy-from-env')
  const proxy = getProxyForUrl(url)
  if (proxy === '') return undefined
  const own = `${new URL(url).protocol.replace(':', '')}_proxy`
  const variable = names.find((name) => name.toLowerCase() === own) ?? names.find((name) => /^all/i.test(name)) ?? own
  return { url: proxy, variable }
}

/** Why a proxy cannot be used, before anything is sent. */
export function refusalOf({ url }: ProxySetting): 'PROXY_INVALID' | 'PROXY_UNSUPPORTED' | undefined {
  if (!URL.canParse(url)) return 'PROXY_INVALID'
  return /^https?:$/.test(new URL(url).protocol) ? undefined : 'PROXY_UNSUPPORTED'
}

/** An agent that reaches every host through a tunnel of the proxy, so that the proxy sees no key, not even with plain http. */
export async function tunnelAgent(proxy: string, { timeout, ...options }: AgentOptions): Promise<Agent> {
  const { HttpsProxyAgent } = await import('https-proxy-agent')
  const agent = new HttpsProxyAgent(proxy, options)
  /* Its constructor would use it for the connection to the proxy only. */
  return Object.assign(agent, { options: { ...agent.options, timeout } })
}
