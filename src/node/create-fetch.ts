import { Agent, type AgentOptions } from 'node:http'
import type { Duplex } from 'node:stream'
import type { SecureContextOptions } from 'node:tls'
import type { Fetch } from '../transport/fetch.ts'
import { optionsInvalid } from '../errors.ts'
import { checkFetchOptions, type FetchOptions, secureContextOf } from './fetch-options.ts'
import { https } from './https.ts'
import { proxyFor } from './proxy.ts'
import { notConnected, sendRequest } from './send-request.ts'
import { tunnelAgent } from './tunnel-agent.ts'

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
    const secure = protocol === 'https:'
    if (through !== undefined) return tunnelAgent(new URL(through), secure, keeping, tls?.ca)
    return secure ? new (https().Agent)(keeping) : new Agent(keeping)
  }
  return async (url, init) => {
    const target = new URL(url)
    const agent = agents.get(target.origin) ?? (await agentFor(target)).on('free', markIdle)
    agents.set(target.origin, agent)
    await endStale(agent, idleMs)
    if (init.signal.aborted) throw notConnected(new Error('aborted'))
    return sendRequest(target, init, { agent, secureContext })
  }
}

const ON_DENO = { path: '', rule: 'does not work on Deno, which may send a request twice' }

/*
 * Ends idle connections that are unusable but still pooled, because this process was busy, stopped or asleep: they were
 * idle for too long, or the service has closed them.
 */
async function endStale(agent: Agent, idleMs: number): Promise<void> {
  const now = Date.now()
  for (const socket of idleIn(agent)) {
    if (Math.abs(now - (idleSince.get(socket) ?? 0)) > idleMs) socket.destroy()
  }
  /* Whatever has arrived on the others is read by the second turn of the event loop. */
  for (let turn = 1; turn <= 2 && idleIn(agent).length > 0; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function idleIn(agent: Agent): readonly Duplex[] {
  return Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? [])
}

const idleSince = new WeakMap<Duplex, number>()

function markIdle(socket: Duplex): void {
  idleSince.set(socket, Date.now())
}
