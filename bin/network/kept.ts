import type { Agent, ClientRequest } from 'node:http'
import type { Duplex } from 'node:stream'

/** How long a connection that is not in use is kept, in milliseconds; less where the service says so. */
export const IDLE_MS = 500

/* How long the first is left alone, in milliseconds: a service that keeps none has ended it by then, whatever it said. */
const TRIAL_MS = 20

/** What an agent is made with. Of those that are free the first is taken: Node passes over what has ended only there. */
export const KEEPING = { keepAlive: true, scheduling: 'fifo', timeout: IDLE_MS } as const

/**
 * Ends a connection that is free as soon as anything comes on it: its end, or an answer that nobody asked for and that
 * the next request would take for its own.
 *
 * @param onUnasked told of that: the service, or what stands before it, does not keep connections as it says
 */
export function guardFree(agent: Agent, onUnasked: () => void): Agent {
  const reuse = agent.reuseSocket.bind(agent)
  function end(this: Duplex) {
    this.destroy()
    onUnasked()
  }
  agent.on('free', (socket: Duplex) => {
    if (!socket.destroyed) socket.on('data', end).on('end', end)
    freeSince.set(socket, Date.now())
  })
  return Object.assign(agent, {
    reuseSocket(socket: Duplex, request: ClientRequest) {
      socket.off('data', end).off('end', end)
      reuse(socket, request)
      if (!tried.has(agent)) request.once('response', () => tried.add(agent))
    },
  })
}

/**
 * Ends free connections that no request should use: those that were free for too long, where this process was busy,
 * stopped or asleep and no timer did it yet. Waits for as long as the service has not shown that it keeps any,
 * but not for one who gives up.
 */
export function settleFree(agent: Agent, signal: AbortSignal): Promise<void> | undefined {
  if (tried.has(agent) || Object.keys(agent.freeSockets).length === 0) return endStale(agent)
  return leftAlone(signal).then(() => endStale(agent))
}

async function leftAlone(signal: AbortSignal): Promise<void> {
  const { setTimeout: delay } = await import('node:timers/promises')
  await delay(TRIAL_MS, undefined, { signal }).catch(() => {})
}

/* Those that are free for the longest stand first. */
function endStale(agent: Agent): undefined {
  const now = Date.now()
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) {
      if (Math.abs(now - (freeSince.get(socket) ?? 0)) <= IDLE_MS) break
      socket.destroy()
    }
  }
}

/** Ends the connections that are free. */
export function endFree(agent: Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

const freeSince = new WeakMap<Duplex, number>()

/* Those that had an answer on a connection that was kept. */
const tried = new WeakSet<Agent>()
