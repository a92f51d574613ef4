import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BODYLESS_STATUSES, bodyOf, firstHalf, MAX_BODY_BYTES, type Outcome } from './api/exchange.ts'
import { ENDPOINT_PATH, type Router } from './api/router.ts'
import type { MockListener, MockListenOptions } from './listeners.ts'
import { realClearTimeout, realSetTimeout } from './platform.ts'

/** Serves a router over HTTP until it is closed. */
export async function serve(
  router: Router,
  { port = 0, host = '127.0.0.1' }: MockListenOptions,
): Promise<MockListener> {
  let url = ''
  const server = createServer((request, response) => {
    answer(router, url, request, response).catch(() => response.destroy())
  })
  const bound = await listening(server, port, host)
  url = `http://${reachable(host)}:${bound.port}`
  return { url, endpoint: url + ENDPOINT_PATH, port: bound.port, close: () => closed(server) }
}

async function answer(router: Router, url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = bodyOf(await bytesOf(request))
  const outcome = router(
    {
      method: request.method ?? 'GET',
      target: request.url ?? '/',
      header: (name) => request.headersDistinct[name.toLowerCase()]?.join(', ') ?? null,
      ...body,
    },
    url,
  )
  if (outcome.kind !== 'answer' || outcome.delayMs === undefined) return send(outcome, request, response)
  const timer = realSetTimeout(() => send(outcome, request, response), outcome.delayMs)
  response.on('close', () => realClearTimeout(timer))
}

/** What hangs or stalls stays so until the client ends the connection or the server is closed. */
function send(outcome: Outcome, request: IncomingMessage, response: ServerResponse): void {
  if (outcome.kind === 'cut') request.socket.destroy()
  if (outcome.kind === 'reset') request.socket.resetAndDestroy()
  if (outcome.kind === 'cut' || outcome.kind === 'reset' || outcome.kind === 'hang') return
  const { status, headers, body } = outcome.answer
  const length = BODYLESS_STATUSES.has(status) ? {} : { 'content-length': Buffer.byteLength(body) }
  response.writeHead(status, { ...headers, ...length })
  if (outcome.kind === 'answer') response.end(request.method === 'HEAD' ? undefined : body)
  else response.write(firstHalf(body), () => outcome.kind === 'truncate' && response.destroy())
}

/** The bytes of a body. One that is too large is read to its end all the same, but no more of it is kept than shows this. */
function bytesOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      if (size <= MAX_BODY_BYTES) chunks.push(chunk)
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
      else reject(Object.assign(new Error(`Port ${port} on ${host} is in use already.`), { code: error.code }))
    })
    server.listen(port, host, () => {
      const address = server.address()
      if (address !== null && typeof address === 'object') resolve(address)
      else reject(new Error(`${host}:${port} is not an address that can be listened on.`))
    })
  })
}

/** The host as a link can have it: an address that stands for all addresses is no place to go to. */
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
