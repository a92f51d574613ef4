import type { Agent, ClientRequest } from 'node:http'
import type { Duplex } from 'node:stream'

/** How long a connection that is not in use is kept, in milliseconds; less where the service says so. */
export const IDLE_MS = 500

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
    },
  })
}

/**
 * Waits until what has come on free connections was seen, as their end right after an answer, and ends those that were
 * free for too long: no timer did it yet where this process was busy, stopped or asleep.
 */
export async function settleFree(agent: Agent): Promise<void> {
  /* The first turn comes before the network is looked at again. */
  await nextTurn()
  await nextTurn()
  const now = Date.now()
  endFree(agent, (socket) => Math.abs(now - (freeSince.get(socket) ?? 0)) > IDLE_MS)
}

/** Ends the connections that are free. */
export function endFree(agent: Agent, which: (socket: Duplex) => boolean = () => true): void {
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets?.filter(which) ?? []) socket.destroy()
  }
}

const freeSince = new WeakMap<Duplex, number>()

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
