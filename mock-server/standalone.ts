import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { bodyOf, firstHalf, type Reply, type RequestHead } from './api/exchange.ts'
import { BODYLESS_STATUSES } from './contract/faults.ts'
import { MAX_BODY_BYTES } from './contract/limits.ts'
import type { MockListener } from './contract/mock-server.ts'
import { ENDPOINT_PATH } from './contract/paths.ts'
import type { MockListenOptions } from './generated/contract.ts'
import { isKnownHost, type Route, type Router, type SiteAccess } from './sandbox/router.ts'
import { realClearTimeout, realSetTimeout } from './sandbox/unpatched-globals.ts'

/** Serves a router over HTTP until it is closed. */
export async function serve(
  router: Router,
  { port = 0, host = '127.0.0.1' }: MockListenOptions,
  access: SiteAccess,
): Promise<MockListener> {
  let url = ''
  const server = createServer((request, response) => {
    const base = addressOf(request, access) ?? url
    respond((head) => router(head, base, access), request, response).catch(() => response.destroy())
  })
  const bound = await listening(server, port, host)
  url = `http://${reachable(host)}:${bound.port}`
  return { url, endpoint: url + ENDPOINT_PATH, port: bound.port, close: () => closed(server) }
}

/** The address that the client used, as through a mapped port of a container; `null` if its host is not a known one. */
function addressOf({ headers: { host } }: IncomingMessage, access: SiteAccess): string | null {
  if (host === undefined || !isKnownHost(host, access)) return null
  const address = `http://${host.toLowerCase()}`
  return URL.canParse(address) ? address : null
}

async function respond(
  routeOf: (request: RequestHead) => Route,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url: target = '/' } = request
  const header = (name: string): string | null => request.headersDistinct[name.toLowerCase()]?.join(', ') ?? null
  const headers = () =>
    Object.fromEntries(Object.keys(request.headersDistinct).map((name) => [name, header(name) ?? '']))
  const route = routeOf({ method, target, header, headers })
  const readBody = async (maxBytes: number) => bodyOf(await bytesOf(request, maxBytes), maxBytes)
  if (route.kind === 'site') {
    const client = new AbortController()
    response.on('close', () => client.abort())
    return relay(await route.respond(readBody, client.signal), request, response)
  }
  const reply = route.reply(await readBody(MAX_BODY_BYTES))
  if (reply.kind !== 'response' || reply.delayMs === undefined) return send(reply, request, response)
  const timer = realSetTimeout(() => send(reply, request, response), reply.delayMs)
  response.on('close', () => realClearTimeout(timer))
}

/** Streams a response of the page or the control API. The end of either side ends the other. */
async function relay(site: Response, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(site.status, Object.fromEntries(site.headers))
  if (site.body === null || request.method === 'HEAD') {
    await site.body?.cancel()
    response.end()
  } else {
    await pipeline(Readable.fromWeb(site.body), response)
  }
}

/** A `hang` or `stall` lasts until the client ends the connection or the server is closed. */
function send(reply: Reply, request: IncomingMessage, response: ServerResponse): void {
  if (reply.kind === 'hang') return
  if (reply.kind === 'cut') return void request.socket.destroy()
  if (reply.kind === 'reset') return void request.socket.resetAndDestroy()
  const { status, headers, body } = reply.response
  const length = BODYLESS_STATUSES.has(status) ? {} : { 'content-length': Buffer.byteLength(body) }
  response.writeHead(status, { ...headers, ...length })
  if (reply.kind === 'response') response.end(request.method === 'HEAD' ? undefined : body)
  else response.write(firstHalf(body), () => reply.kind === 'truncate' && response.destroy())
}

/** The bytes of a body. One that is too large is read to its end, but only enough is kept to detect this. */
function bytesOf(request: IncomingMessage, most: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      if (size <= most) chunks.push(chunk)
      size += chunk.byteLength
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
  })
}

function listening(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') reject(error)
      else reject(Object.assign(new Error(`Port ${port} on ${host} is already in use.`), { code: error.code }))
    })
    server.listen(port, host, () => {
      const address = server.address()
      if (address !== null && typeof address === 'object') resolve(address)
      else reject(new Error(`${host}:${port} is not an address that can be listened on.`))
    })
  })
}

/** The host for links: a loopback address if the server listens on all addresses. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
