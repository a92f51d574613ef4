import { type Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import type { Socket } from 'node:net'
import type { Fetch, FetchInit, FetchResponse } from '../../src/index.ts'
import { proxyFor, refusalOf, tunnelAgent } from './proxy.ts'

/**
 * A fetch on node:http(s), through the proxy of the environment where it names one. It starts several times faster than
 * the global one on Node 20, and it knows what the global one does not tell: whether the connection was ever made. What
 * fails before that says so with `syscall: 'connect'`.
 */
export function createHttpFetch(env: Readonly<Record<string, string | undefined>>): Fetch {
  return async (url, init) => send(url, init, await agentFor(url, env))
}

function send(url: string, { method, headers, body, signal }: FetchInit, agent: Agent | false): Promise<FetchResponse> {
  return new Promise((resolve, reject) => {
    const target = new URL(url)
    const secure = target.protocol === 'https:'
    const payload = Buffer.from(body)
    const outgoing = (secure ? https().request : requestHttp)(target, {
      method,
      agent,
      headers: { ...headers, 'accept-encoding': 'identity', 'content-length': payload.byteLength },
    })
    const isConnected = watchConnection(outgoing, secure)
    const onAbort = () => outgoing.destroy(new Error('aborted'))
    const onFailure = (error: NodeJS.ErrnoException) => reject(isConnected() ? error : notConnected(error))
    signal.addEventListener('abort', onAbort)
    outgoing.on('proxyConnect', ({ statusCode }: { readonly statusCode: number }) => {
      /* What the proxy answers instead of a tunnel is not the service's: nothing reached it. */
      if (statusCode !== 200) onFailure(Object.assign(new Error('no tunnel'), { code: `PROXY_ANSWERED_${statusCode}` }))
    })
    outgoing.on('error', onFailure)
    outgoing.on('response', (incoming) => {
      readResponse(incoming).then(resolve, reject)
    })
    outgoing.on('close', () => {
      signal.removeEventListener('abort', onAbort)
      /* Nothing more will come, as after an upgrade that nobody asked for. Without effect once there is a response. */
      onFailure(new Error('closed'))
    })
    outgoing.end(payload)
  })
}

/* Loaded for an address that needs it: it brings all of TLS. */
function https(): typeof import('node:https') {
  return process.getBuiltinModule('node:https')
}

async function agentFor(url: string, env: Readonly<Record<string, string | undefined>>): Promise<Agent | false> {
  const proxy = await proxyFor(url, env)
  if (proxy === undefined) return false
  const code = refusalOf(proxy)
  if (code !== undefined) throw notConnected(Object.assign(new Error('the proxy cannot be used'), { code }))
  return tunnelAgent(proxy.url)
}

/* The socket of a tunnel is connected when it comes; that of TLS has its handshake before it even then. */
function watchConnection(outgoing: ClientRequest, secure: boolean): () => boolean {
  let connected = false
  outgoing.on('socket', (socket: Socket) => {
    if (!secure && !socket.connecting) connected = true
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      connected = true
    })
  })
  return () => connected
}

async function readResponse(incoming: IncomingMessage): Promise<FetchResponse> {
  const status = incoming.statusCode ?? 0
  const get = (name: string) => incoming.headersDistinct[name.toLowerCase()]?.join(', ') ?? null
  return { status, ok: status >= 200 && status < 300, headers: { get }, body: await decoded(incoming) }
}

/* Asked for as it is, but a proxy that compresses all the same must not cost anybody their link. */
async function decoded(incoming: IncomingMessage): Promise<NodeJS.ReadableStream> {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === 'identity') return incoming
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib')
  const { pipeline } = await import('node:stream')
  const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }
  const create = new Map(Object.entries(decoders)).get(encoding)
  return create === undefined ? incoming : pipeline(incoming, create(), () => {})
}

function notConnected({ message, code }: NodeJS.ErrnoException): Error {
  return Object.assign(new Error(message), { code: code ?? 'ECONNABORTED', syscall: 'connect' })
}
