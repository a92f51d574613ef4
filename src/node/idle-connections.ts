import type { Agent, AgentOptions } from 'node:http'
import type { Duplex } from 'node:stream'

/** The options of an agent that keeps connections. `fifo`: Node skips ended connections only at the front. */
export function keepAlive(idleMs: number): AgentOptions {
  return { keepAlive: true, scheduling: 'fifo', timeout: idleMs }
}

/**
 * Ends an idle connection as soon as it receives anything: its end, a reset, or a response that the next request would take
 * for its own.
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
    socket.on('data', end).on('end', end).on('error', end)
  })
}

/** Marks a connection as in use: data on it now belongs to a request. */
export function markUsed(socket: Duplex): void {
  if (idleSince.has(socket)) idleSince.set(socket, undefined)
}

/**
 * Ends idle connections that cannot be used any more, although nothing has ended them: this process was busy, stopped or
 * asleep. They were idle for too long, or the service has closed them.
 */
export async function endStale(agent: Agent, idleMs: number): Promise<void> {
  const now = Date.now()
  for (const socket of idleIn(agent)) {
    if (Math.abs(now - (idleSince.get(socket) ?? 0)) > idleMs) socket.destroy()
  }
  /* What has arrived on the others is read in the second turn of the event loop, at the latest. */
  for (let turn = 1; turn <= 2 && idleIn(agent).length > 0; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve))
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
