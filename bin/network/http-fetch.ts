import { Agent, type AgentOptions, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import type { Socket } from 'node:net'
import type { Fetch, FetchInit, FetchResponse } from '../../src/index.ts'
import type { Env } from '../io.ts'
import { endIdle, endStale, guardIdle, KEEP_ALIVE, markUsed } from './idle-connections.ts'
import { proxyFor, refusalOf, tunnelAgent } from './proxy.ts'

/**
 * A fetch on node:http(s), through the proxy of the environment where it names one. It starts several times faster than
 * the global one on Node 20, and it knows what the global one hides: whether the connection was ever made. What
 * fails before that says so with `syscall: 'connect'`.
 *
 * A connection is kept for requests that follow at once. One that is closed while a request is on its way leaves that one
 * unknown: so none is kept for longer than half a second, when services begin to close them, and none at all any more
 * where one was closed before that.
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
    /* What TLS says of a connection that broke later is also said of one that was never made. */
    const onFailure = (error: NodeJS.ErrnoException) =>
      reject(isConnected() ? Object.assign(error, { syscall: 'read' }) : notConnected(error))
    signal.addEventListener('abort', onAbort)
    outgoing.on('proxyConnect', ({ statusCode }: { readonly statusCode: number }) => {
      /* What the proxy answers instead of a tunnel is not the service's: nothing reached it. */
      if (statusCode !== 200) onFailure(Object.assign(new Error('no tunnel'), { code: `PROXY_ANSWERED_${statusCode}` }))
    })
    outgoing.on('error', (error) => {
      if (outgoing.reusedSocket && !signal.aborted) onKeptLost()
      onFailure(error)
    })
    outgoing.on('response', (incoming) => {
      const { socket } = incoming
      const discard = (isMismatched: boolean) => {
        /* A body that is unpacked ends later than the exchange: the socket may serve another request by now. */
        if (isMismatched || REQUEST_ON.get(socket) === outgoing) socket.destroy()
        if (isMismatched) onKeptLost()
      }
      readResponse(incoming, discard).then(resolve, reject)
    })
    outgoing.on('close', () => {
      signal.removeEventListener('abort', onAbort)
      /* Nothing more will come, as after an upgrade that nobody asked for. Without effect once there is a response. */
      onFailure(new Error('closed'))
    })
    outgoing.end(body)
  })
}

/* Loaded for an address that needs it: it brings all of TLS. */
function https(): typeof import('node:https') {
  return process.getBuiltinModule('node:https')
}

/* The address of the proxy that opens a tunnel to there; `undefined` where none is wanted. */
async function tunnelTo(url: string, env: Env): Promise<string | undefined> {
  const proxy = await proxyFor(url, env)
  if (proxy === undefined) return undefined
  const code = refusalOf(proxy)
  if (code !== undefined) throw notConnected(Object.assign(new Error('the proxy cannot be used'), { code }))
  return proxy.url
}

/*
 * The socket of a tunnel is connected when it comes; that of TLS has its handshake before it even then, unless it has
 * served another request.
 */
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

/* Asked for as it is, but a proxy that compresses all the same must not cost anybody their link. */
async function decoded(incoming: IncomingMessage): Promise<NodeJS.ReadableStream> {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === 'identity') return incoming
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib')
  const { pipeline } = await import('node:stream')
  const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }
  const create = new Map(Object.entries(decoders)).get(encoding)
  if (create === undefined) return incoming
  /* Where nobody reads the body, as that of a redirect, nobody else would hear of its end. */
  return pipeline(
    incoming,
    create().on('error', () => {}),
    () => {},
  )
}

function notConnected({ message, code }: NodeJS.ErrnoException): Error {
  return Object.assign(new Error(message), { code: code ?? 'ECONNABORTED', syscall: 'connect' })
}
