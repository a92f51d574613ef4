import type { Agent, AgentOptions, ClientRequestArgs } from 'node:http'
import type { Duplex } from 'node:stream'
import { moduleFor } from './builtins.ts'
import { openTunnel, type TunnelOptions, type TunnelTo } from './tunnel.ts'

/** What a request tells its agent, in addition to Node.js's options. */
export interface OwnOptions extends TunnelOptions {
  /** Called when this agent, and nothing in its place, begins to connect for the request. */
  readonly onConnecting?: () => void
}

/**
 * An agent of our own. Only of its sockets do we know whether they have connected: an interceptor such as MSW puts
 * others in their place, and these may have passed a request on without a sign.
 *
 * @param protocol of the service, inside the tunnel if there is one
 * @param through a proxy
 * @param onStray called if bytes arrive that no request waits for: there was a response more than there were requests
 */
export function ownAgent(
  protocol: string,
  options: AgentOptions,
  through: TunnelTo | undefined,
  onStray: () => void,
): Agent {
  const isPlain = protocol === 'http:'
  const agent = new (moduleFor(protocol).Agent)(options).on('free', (socket) => markIdle(socket, onStray))
  const connect = agent.createConnection.bind(agent) as (target: object) => Duplex
  const own = (socket: Duplex) => watched(socket, isPlain ? 'connect' : 'secureConnect', onStray)
  agent.createConnection = (target: ClientRequestArgs & OwnOptions, done) => {
    target.onConnecting?.()
    if (through === undefined) return own(connect(target))
    openTunnel(through, target, (error, socket) => {
      done?.(error, error === null ? own(isPlain ? socket : connect({ ...target, socket })) : socket)
    })
    return undefined
  }
  return agent
}

/** What is known of one of our sockets. */
interface Known {
  /** The event with which it connects. */
  readonly event: 'connect' | 'secureConnect'
  isOpen: boolean
  /** Since when it is kept for the next request, in Unix milliseconds. */
  idleSince: number | undefined
}

const known = new WeakMap<Duplex, Known>()

function watched(
  socket: Duplex & { readonly readyState?: string },
  event: Known['event'],
  onStray: () => void,
): Duplex {
  /* A tunnel is open before. What is not connecting may have failed at once, so it has to say that it is open. */
  const its: Known = { event, isOpen: event === 'connect' && socket.readyState === 'open', idleSince: undefined }
  known.set(socket, its)
  socket.once(event, () => (its.isOpen = true))
  return socket.on('data', (bytes: Uint8Array) => {
    if (its.idleSince === undefined) return
    socket.destroy()
    if (!HARMLESS.test(String.fromCharCode(...bytes.subarray(0, 16)))) onStray()
  })
}

/* An empty line, and how a server may close an idle connection. */
const HARMLESS = /^\s*($|HTTP\/1\.[01] 408)/

function markIdle(socket: Duplex, onStray: () => void): void {
  const its = known.get(socket)
  if (its !== undefined) its.idleSince = Date.now()
  /* Node.js ends a connection, without an error, if more follows a response at once. */
  if (socket.destroyed && !socket.errored) onStray()
}

/** The idle connections of an agent, and since when. */
export function idleSockets(agent: Agent): readonly { readonly socket: Duplex; readonly since: number }[] {
  const sockets = Object.values(agent.freeSockets).flatMap((each) => each ?? [])
  return sockets.map((socket) => ({ socket, since: known.get(socket)?.idleSince ?? 0 }))
}

/** Takes a socket up for a request. Returns what is known of it: nothing, unless it is one of ours. */
export function takeUp(socket: Duplex): Readonly<Known> | undefined {
  const its = known.get(socket)
  if (its !== undefined) its.idleSince = undefined
  return its
}
