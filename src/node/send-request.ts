import { type Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import type { RequestOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { Fetch } from '../transport/fetch.ts'
import { https } from './https.ts'
import type { TunnelOptions } from './tunnel-agent.ts'

type FetchInit = Parameters<Fetch>[1]
type FetchResponse = Awaited<ReturnType<Fetch>>

/** How a request gets to its server. */
export interface Connecting {
  readonly agent: Agent
  readonly secureContext: SecureContext | undefined
}

/**
 * Sends one request on a connection of an agent.
 *
 * @throws an error with `syscall: 'connect'` if it was never sent, with another `syscall` if it may have been
 */
export function sendRequest(
  target: URL,
  { method, headers, body, signal, timeoutMs = 30_000, maySend }: FetchInit,
  { agent, secureContext }: Connecting,
): Promise<FetchResponse> {
  return new Promise((resolve, reject) => {
    const secure = target.protocol === 'https:'
    const options: RequestOptions & TunnelOptions = {
      method,
      agent,
      headers: { ...headers, 'accept-encoding': 'identity', 'content-length': Buffer.byteLength(body) },
      untilOpen: signal,
      autoSelectFamilyAttemptTimeout: attemptMs(timeoutMs),
      ...(secureContext && { secureContext }),
    }
    const outgoing = (secure ? https().request : requestHttp)(target, options)
    const isConnected = watchConnection(outgoing, secure, maySend)
    const onAbort = () => outgoing.destroy(new Error('aborted'))
    /* TLS uses the same codes for a connection that broke later and one that was never made. */
    const onFailure = (error: NodeJS.ErrnoException) =>
      reject(isConnected() ? Object.assign(error, { syscall: 'read' }) : notConnected(error))
    signal.addEventListener('abort', onAbort)
    outgoing.on('error', onFailure)
    outgoing.on('response', (incoming) => resolve(responseOf(incoming)))
    outgoing.on('close', () => {
      signal.removeEventListener('abort', onAbort)
      /* For example after an unexpected upgrade. It has no effect once there is a response. */
      onFailure(new Error('closed'))
    })
    outgoing.end(body)
  })
}

/*
 * How long Node.js waits for a connection to one of several addresses before it drops it and tries the next one. Its 250 ms are too
 * short for a slow network or a lost packet.
 */
const attemptMs = (timeoutMs: number) => Math.round(Math.min(3000, Math.max(250, timeoutMs / 4)))

/** The error of a request that was never sent. */
export function notConnected({ message, code }: NodeJS.ErrnoException): Error {
  return Object.assign(new Error(message), { code: code ?? 'ECONNABORTED', syscall: 'connect' })
}

/* The socket of a tunnel is already connected. TLS still needs its handshake, unless it served another request before. */
function watchConnection(outgoing: ClientRequest, secure: boolean, maySend: FetchInit['maySend']): () => boolean {
  let connected = false
  outgoing.on('socket', (socket: Socket) => {
    /* If a response ends before its request, Node.js stops listening: a reset would then end the process. */
    if (!outgoing.reusedSocket) socket.on('error', () => {})
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

function responseOf(incoming: IncomingMessage): FetchResponse {
  const status = incoming.statusCode ?? 0
  const get = (name: string) => incoming.headersDistinct[name.toLowerCase()]?.join(', ') ?? null
  return { status, ok: status >= 200 && status < 300, headers: { get }, body: incoming }
}
