import type { Agent, AgentOptions } from 'node:http'
import type { SecureContextOptions } from 'node:tls'
import type { Fetch } from '../transport/fetch.ts'
import { optionsInvalid } from '../errors.ts'
import { warn } from '../util/runtime.ts'
import { nextTurn } from '../util/timers.ts'
import { idleSockets, ownAgent } from './agent.ts'
import { checkFetchOptions, type FetchOptions, secureContextOf } from './fetch-options.ts'
import { proxyFor } from './proxy.ts'
import { notConnected, sendRequest } from './send-request.ts'

/**
 * Makes a `fetch` on node:http and node:https, for the option `fetch` of a client: with a proxy, your own certificates,
 * or another idle time. It knows whether a connection was made: a failure before that is UNREACHABLE, with outcome
 * `not-executed`.
 *
 * It keeps idle connections for only half a second, so a load balancer that closes them later cannot lose a create.
 *
 * Clients may share one. It never keeps a process alive. It works on Node.js and Bun, and refuses Deno.
 *
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`
 * @example
 * ```ts
 * const client = new CertifyClient({ baseUrl, apiKey, fetch: createFetch({ proxy: 'environment' }) })
 * ```
 */
export function createFetch(options: FetchOptions = {}): Fetch {
  if ('Deno' in globalThis)
    throw optionsInvalid('createFetch', [ON_DENO], 'Leave out `fetch`: the runtime has its own.')
  checkFetchOptions(options)
  const { idleMs = 500, proxy } = options
  /* Node.js accepts any Uint8Array, but its types ask for a Buffer. */
  const tls = options.tls as SecureContextOptions | undefined
  const secureContext = tls && secureContextOf(tls)
  const agents = new Map<string, Agent>()
  const agentFor = async ({ href, protocol }: URL): Promise<Agent> => {
    /* `fifo`: Node.js skips ended connections only at the front. */
    const keeping: AgentOptions = idleMs === 0 ? {} : { keepAlive: true, scheduling: 'fifo', timeout: idleMs }
    const through = await proxyFor(href, proxy)
    const tunnel = through === undefined ? undefined : { proxy: new URL(through), ca: tls?.ca }
    return ownAgent(protocol, keeping, tunnel, onStray)
  }
  let hasWarned = false
  const onStray = () => {
    if (!hasWarned) warn(STRAY, 'CERTIFY_UNEXPECTED_BYTES')
    hasWarned = true
  }
  const prepare = async (url: string, { signal }: Parameters<Fetch>[1]) => {
    const target = new URL(url)
    const agent = agents.get(target.origin) ?? (await agentFor(target))
    agents.set(target.origin, agent)
    await endStale(agent, idleMs)
    if (signal.aborted) throw new Error('aborted')
    return { target, agent }
  }
  return async (url, init) => {
    /* Whatever fails before the request is made, nothing was sent. */
    const { target, agent } = await prepare(url, init).catch((error: Error) => {
      throw notConnected(error)
    })
    return sendRequest(target, init, { agent, secureContext })
  }
}

const STRAY =
  'A connection to the service had bytes on it that no request was waiting for. Something on the way may mix up responses: ' +
  'earlier results may belong to other requests. See “Connections and proxies” in docs/production.md.'

const ON_DENO = { path: '', rule: 'does not work on Deno, which may send a request twice' }

/*
 * Ends idle connections that are unusable but still pooled, because this process was busy, stopped or asleep: they were
 * idle for too long, or the service has closed them.
 */
async function endStale(agent: Agent, idleMs: number): Promise<void> {
  const now = Date.now()
  for (const { socket, since } of idleSockets(agent)) {
    if (Math.abs(now - since) > idleMs) socket.destroy()
  }
  /* Whatever has arrived on the others is read by the second turn of the event loop. */
  for (let turn = 1; turn <= 2 && idleSockets(agent).length > 0; turn += 1) await nextTurn()
}
