import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import type { RequestOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { Fetch } from '../transport/fetch.ts'
import { type OwnOptions, takeUp } from './agent.ts'
import { moduleFor } from './builtins.ts'

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
 * @throws an error with `syscall: 'connect'` if it was never sent, with another `syscall` if it may have been; from an
 *   interceptor, its own
 */
export function sendRequest(
  target: URL,
  { method, headers, body, signal, timeoutMs = 30_000, maySend }: FetchInit,
  { agent, secureContext }: Connecting,
): Promise<FetchResponse> {
  return new Promise((resolve, reject) => {
    /* What was seen of it. It counts as sent until our own agent shows that it is not. */
    let seen: 'nothing' | 'unsent' | 'sent' | undefined
    let outgoing: ClientRequest
    const onFailure = (error: NodeJS.ErrnoException) => {
      /* TLS uses the same codes for a connection that broke later and one that was never made. */
      if (seen === 'sent') Object.assign(error, { syscall: 'read' })
      reject(seen === 'unsent' ? notConnected(error) : error)
    }
    const options: RequestOptions & OwnOptions = {
      method,
      agent,
      headers: { ...headers, 'accept-encoding': 'identity', 'content-length': Buffer.byteLength(body) },
      untilOpen: signal,
      onConnecting: () => (seen ??= 'unsent'),
      autoSelectFamilyAttemptTimeout: attemptMs(timeoutMs),
      ...(secureContext && { secureContext }),
    }
    try {
      outgoing = moduleFor(target.protocol).request(target, options)
    } catch (error) {
      return onFailure(error as Error)
    }
    const onAbort = () => outgoing.destroy(new Error('aborted'))
    signal.addEventListener('abort', onAbort)
    outgoing.on('socket', (socket: Socket) => {
      /* If a response ends before its request, Node.js stops listening: a reset would then end the process. */
      if (!outgoing.reusedSocket) socket.on('error', () => {})
      const own = takeUp(socket)
      seen = own === undefined ? 'nothing' : 'unsent'
      /* Nothing has been written yet. */
      const onOpen = () => {
        const isLate = maySend?.() === false
        if (own !== undefined || isLate) seen = isLate ? 'unsent' : 'sent'
        if (isLate) outgoing.destroy(new Error('too late'))
      }
      if (own?.isOpen === false) socket.once(own.event, onOpen)
      else onOpen()
    })
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

function responseOf(incoming: IncomingMessage): FetchResponse {
  const status = incoming.statusCode ?? 0
  const get = (name: string) => incoming.headersDistinct[name.toLowerCase()]?.join(', ') ?? null
  return { status, ok: status >= 200 && status < 300, headers: { get }, body: incoming }
}
