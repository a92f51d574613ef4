import { Agent, type AgentOptions } from 'node:http'
import type { SecureContextOptions } from 'node:tls'
import type { Fetch } from '../index.ts'
import { configInvalid } from '../refusals.ts'
import { checkFetchOptions, type FetchOptions, secureContextOf } from './fetch-options.ts'
import { endIdle, endStale, guardIdle, keepAlive } from './idle-connections.ts'
import { proxyFor, tunnelAgent } from './proxy.ts'
import { notConnected, sendRequest } from './send-request.ts'

/**
 * Makes a `fetch` on node:http and node:https, for the option `fetch` of a client. It knows whether a connection was made:
 * a failure before that is UNREACHABLE, with outcome `not-executed`.
 *
 * It keeps an idle connection for half a second only: a balancer that closes it later cannot lose a create. A connection
 * that closes during a request leaves the outcome unknown. Once that has happened on a kept connection, or a kept one was
 * closed earlier, it keeps no more connections to that server.
 *
 * Clients may share one. It never keeps a process alive. It works on Node.js and on Bun, and refuses Deno.
 *
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`
 * @example
 * ```ts
 * const client = new CertifyClient({ baseUrl, apiKey, fetch: createFetch() })
 * ```
 */
export function createFetch(options: FetchOptions = {}): Fetch {
  if ('Deno' in globalThis) throw configInvalid(ON_DENO, 'Use the `fetch` of the runtime: set no `fetch`.')
  checkFetchOptions(options)
  const { idleMs = 500, proxy } = options
  /* Node.js reads every Uint8Array, but its types ask for a Buffer. */
  const tls = options.tls as SecureContextOptions | undefined
  const secureContext = tls && secureContextOf(tls)
  const agents = new Map<string, Promise<Agent>>()
  const agentFor = async ({ href, protocol }: URL, agentOptions: AgentOptions): Promise<Agent> => {
    const through = await proxyFor(href, proxy)
    if (through !== undefined) return tunnelAgent(through, agentOptions, tls?.ca)
    return protocol === 'https:' ? new (https().Agent)(agentOptions) : new Agent(agentOptions)
  }
  const keepNone = (target: URL, agent: Agent) => {
    agents.set(target.origin, agentFor(target, {}))
    endIdle(agent)
  }
  const keepingAgentFor = async (target: URL): Promise<Agent> => {
    if (idleMs === 0) return agentFor(target, {})
    const agent = await agentFor(target, keepAlive(idleMs))
    return guardIdle(agent, () => keepNone(target, agent))
  }
  const currentAgent = (target: URL): Promise<Agent> => {
    const agent = agents.get(target.origin) ?? keepingAgentFor(target)
    agents.set(target.origin, agent)
    return agent
  }
  return async (url, init) => {
    const target = new URL(url)
    await endStale(await currentAgent(target), idleMs)
    const agent = await currentAgent(target)
    if (init.signal.aborted) throw notConnected(new Error('aborted'))
    const connecting = { agent, secureContext, onKeptLost: () => keepNone(target, agent) }
    return sendRequest(target, init, connecting)
  }
}

const ON_DENO = 'createFetch does not work on Deno, which may send a request twice'

/* Loaded only for https: it loads all of TLS. */
function https(): typeof import('node:https') {
  return process.getBuiltinModule('node:https')
}
