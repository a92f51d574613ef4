import type { Agent } from 'node:http'
import type { Duplex } from 'node:stream'

/** The longest time that an idle connection is kept; the service may ask for less. */
export const IDLE_MS = 500

/** The options of an agent that keeps connections. `fifo`: Node skips ended connections only at the front. */
export const KEEP_ALIVE = { keepAlive: true, scheduling: 'fifo', timeout: IDLE_MS } as const

/**
 * Ends an idle connection as soon as it receives anything: its end, or a response that the next request would take for its
 * own.
 *
 * @param onUnexpected called then: the service, or a proxy before it, does not keep connections correctly
 */
export function guardIdle(agent: Agent, onUnexpected: () => void): Agent {
  return agent.on('free', (socket: Duplex) => {
    if (socket.destroyed) return
    const isGuarded = idleSince.has(socket)
    idleSince.set(socket, Date.now())
    if (isGuarded) return
    const end = () => {
      if (idleSince.get(socket) === undefined) return
      socket.destroy()
      onUnexpected()
    }
    socket.on('data', end).on('end', end)
  })
}

/** Marks a connection as in use: data on it now belongs to a request. */
export function markUsed(socket: Duplex): void {
  if (idleSince.has(socket)) idleSince.set(socket, undefined)
}

/** Ends connections that were idle for too long although no timer ended them: the process was busy, stopped or asleep. */
export function endStale(agent: Agent): void {
  const now = Date.now()
  for (const socket of idleIn(agent)) {
    if (Math.abs(now - (idleSince.get(socket) ?? 0)) > IDLE_MS) socket.destroy()
  }
}

export function endIdle(agent: Agent): void {
  for (const socket of idleIn(agent)) socket.destroy()
}

function idleIn(agent: Agent): readonly Duplex[] {
  return Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? [])
}

/* `undefined` for a connection in use. */
const idleSince = new WeakMap<Duplex, number | undefined>()
