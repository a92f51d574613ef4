import { Agent, type AgentOptions, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import type { Socket } from 'node:net'
import type { Fetch, FetchInit, FetchResponse } from '../../src/index.ts'
import type { Env } from '../io.ts'
import { endIdle, endStale, guardIdle, KEEP_ALIVE, markUsed } from './idle-connections.ts'
import { proxyFor, refusalOf, tunnelAgent } from './proxy.ts'

/**
 * A fetch on node:http(s), through the proxy of the environment. It starts several times faster than the global one on
 * Node 20, and knows whether the connection was ever made: an earlier failure has `syscall: 'connect'`.
 *
 * Connections are kept for the next requests. A connection that closes during a request leaves its outcome unknown: so
 * none is kept for longer than half a second, and none at all after one has closed earlier than that.
 */
export function createHttpFetch(env: Env): Fetch {
  const agents = new Map<string, Promise<Agent>>()
  const agentFor = async (url: string, options: AgentOptions): Promise<Agent> => {
    const proxy = await tunnelTo(url, env)
    if (proxy !== undefined) return tunnelAgent(proxy, options)
    return url.startsWith('https:') ? new (https().Agent)(options) : new Agent(options)
  }
  const keepingAgentFor = async (url: string): Promise<Agent> => {
    const agent = await agentFor(url, KEEP_ALIVE)
    return guardIdle(agent, () => keepNone(url, agent))
  }
  const keepNone = (url: string, agent: Agent) => {
    agents.set(url, agentFor(url, {}))
    endIdle(agent)
  }
  return async (url, init) => {
    const making = agents.get(url) ?? keepingAgentFor(url)
    agents.set(url, making)
    const agent = await making
    endStale(agent)
    if (init.signal.aborted) throw notConnected(new Error('aborted'))
    return send(url, init, agent, () => keepNone(url, agent))
  }
}

function send(
  url: string,
  { method, headers, body, signal }: FetchInit,
  agent: Agent,
  onKeptLost: () => void,
): Promise<FetchResponse> {
  return new Promise((resolve, reject) => {
    const target = new URL(url)
    const secure = target.protocol === 'https:'
    const outgoing = (secure ? https().request : requestHttp)(target, {
      method,
      agent,
      headers: { ...headers, 'accept-encoding': 'identity', 'content-length': Buffer.byteLength(body) },
    })
    const isConnected = watchConnection(outgoing, secure)
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
      if (outgoing.reusedSocket && !signal.aborted) onKeptLost()
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

/* Loaded only for https: it loads all of TLS. */
function https(): typeof import('node:https') {
  return process.getBuiltinModule('node:https')
}

/* The address of the proxy for a service, if there is one. */
async function tunnelTo(url: string, env: Env): Promise<string | undefined> {
  const proxy = await proxyFor(url, env)
  if (proxy === undefined) return undefined
  const code = refusalOf(proxy)
  if (code !== undefined) throw notConnected(Object.assign(new Error('the proxy cannot be used'), { code }))
  return proxy.url
}

/* The socket of a tunnel is already connected. TLS still needs its handshake, unless it served another request before. */
function watchConnection(outgoing: ClientRequest, secure: boolean): () => boolean {
  let connected = false
  outgoing.on('socket', (socket: Socket) => {
    markUsed(socket)
    REQUEST_ON.set(socket, outgoing)
    connected = outgoing.reusedSocket || (!secure && !socket.connecting)
    if (connected) return
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      connected = true
    })
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
  return { status, ok: status >= 200 && status < 300, headers: { get }, body: await decoded(incoming), discard }
}

/* The request refuses compression, but some proxies compress anyway. */
async function decoded(incoming: IncomingMessage): Promise<NodeJS.ReadableStream> {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === 'identity') return incoming
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib')
  const { pipeline } = await import('node:stream')
  const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }
  const create = new Map(Object.entries(decoders)).get(encoding)
  if (create === undefined) return incoming
  /* A body that is not read, as of a redirect, must not raise an error. */
  return pipeline(
    incoming,
    create().on('error', () => {}),
    () => {},
  )
}

function notConnected({ message, code }: NodeJS.ErrnoException): Error {
  return Object.assign(new Error(message), { code: code ?? 'ECONNABORTED', syscall: 'connect' })
}
