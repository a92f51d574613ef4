import { type Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { FetchInit, FetchResponse } from '../index.ts'
import { markUsed } from './idle-connections.ts'
import { readableBody } from './readable-body.ts'

/** How a request gets to its server. */
export interface Connecting {
  readonly agent: Agent
  readonly secureContext: SecureContext | undefined
  /** Called if a kept connection was lost during the request, or its response belonged to another one. */
  readonly onKeptLost: () => void
}

/**
 * Sends one request on a connection of an agent.
 *
 * @throws an error with `syscall: 'connect'` if it was never sent, with another `syscall` if it may have been
 */
export function sendRequest(
  target: URL,
  { method, headers, body, signal, maySend }: FetchInit,
  { agent, secureContext, onKeptLost }: Connecting,
): Promise<FetchResponse> {
  return new Promise((resolve, reject) => {
    const secure = target.protocol === 'https:'
    const outgoing = (secure ? https().request : requestHttp)(target, {
      method,
      agent,
      headers: { ...headers, 'accept-encoding': 'identity', 'content-length': Buffer.byteLength(body) },
      ...(secureContext && { secureContext }),
    })
    const isConnected = watchConnection(outgoing, secure, maySend)
    const onAbort = () => outgoing.destroy(new Error('aborted'))
    /* TLS uses the same codes for a connection that broke later and one that was never made. */
    const onFailure = (error: NodeJS.ErrnoException) =>
      reject(isConnected() ? Object.assign(error, { syscall: 'read' }) : notConnected(error))
    signal.addEventListener('abort', onAbort)
    outgoing.on('proxyConnect', ({ statusCode }: { readonly statusCode: number }) => {
      /* A response of the proxy instead of a tunnel: nothing reached the service. */
      if (statusCode !== 200) onFailure(Object.assign(new Error('no tunnel'), { code: `PROXY_ANSWERED_${statusCode}` }))
    })
    outgoing.on('error', (error) => {
      if (outgoing.reusedSocket && isConnected() && !signal.aborted) onKeptLost()
      onFailure(error)
    })
    outgoing.on('response', (incoming) => {
      const { socket } = incoming
      const discard = (isMismatched: boolean) => {
        /* An unpacked body ends later than the exchange: the socket may already serve another request. */
        if (isMismatched || REQUEST_ON.get(socket) === outgoing) socket.destroy()
        if (isMismatched) onKeptLost()
      }
      readResponse(incoming, discard).then(resolve, reject)
    })
    outgoing.on('close', () => {
      signal.removeEventListener('abort', onAbort)
      /* As after an unexpected upgrade. Without effect if there is a response. */
      onFailure(new Error('closed'))
    })
    outgoing.end(body)
  })
}

/** The error of a request that was never sent. */
export function notConnected({ message, code }: NodeJS.ErrnoException): Error {
  return Object.assign(new Error(message), { code: code ?? 'ECONNABORTED', syscall: 'connect' })
}

/* Loaded only for https: it loads all of TLS. */
function https(): typeof import('node:https') {
  return process.getBuiltinModule('node:https')
}

/* The socket of a tunnel is already connected. TLS still needs its handshake, unless it served another request before. */
function watchConnection(outgoing: ClientRequest, secure: boolean, maySend: FetchInit['maySend']): () => boolean {
  let connected = false
  outgoing.on('socket', (socket: Socket) => {
    markUsed(socket)
    REQUEST_ON.set(socket, outgoing)
    /* Nothing has been written yet. */
    const onConnected = () => {
      if (maySend?.() === false) outgoing.destroy(new Error('too late'))
      else connected = true
    }
    if (outgoing.reusedSocket || (!secure && !socket.connecting)) onConnected()
    else socket.once(secure ? 'secureConnect' : 'connect', onConnected)
  })
  return () => connected
}

/* The request that a connection served last. */
const REQUEST_ON = new WeakMap<Socket, ClientRequest>()

async function readResponse(
  incoming: IncomingMessage,
  discard: (isMismatched: boolean) => void,
): Promise<FetchResponse> {
  const status = incoming.statusCode ?? 0
  const get = (name: string) => incoming.headersDistinct[name.toLowerCase()]?.join(', ') ?? null
  return { status, ok: status >= 200 && status < 300, headers: { get }, body: await readableBody(incoming), discard }
}
