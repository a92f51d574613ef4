import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { MockServer } from '../../mock-server/index.ts'

/** What a service does to requests while it is down. */
export interface OutageFault {
  readonly name: string
  /** Whether the request is executed nevertheless. */
  readonly executes?: boolean
  readonly respond?: (response: ServerResponse, socket: Socket) => void
  /** Nothing listens. */
  readonly isClosed?: boolean
  /** The name of the service does not resolve. */
  readonly isUnresolved?: boolean
  /** No response arrives: the time-out ends it. */
  readonly isSilent?: boolean
  /** A query is not retried after it. */
  readonly isFinal?: boolean
  /** Queries are executed and get their response. */
  readonly sparesQueries?: boolean
  /** The response to a connection is something other than TLS. */
  readonly breaksTls?: boolean
}

const reset = (_response: ServerResponse, socket: Socket) => void socket.resetAndDestroy()
const fail = (status: number) => (response: ServerResponse) => void response.writeHead(status).end()

/** Everything that can be wrong with a service for a while. */
export const OUTAGE_FAULTS: readonly OutageFault[] = [
  { name: '503', respond: fail(503) },
  { name: '503 after it was executed', executes: true, respond: fail(503) },
  { name: 'reset', respond: reset },
  { name: 'reset after it was executed', executes: true, respond: reset },
  {
    name: 'a page of HTML, HTTP 200',
    respond: (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>'),
  },
  { name: 'silence', isSilent: true },
  { name: 'silence after it was executed', isSilent: true, executes: true },
  { name: 'garbage', respond: (_response, socket) => void socket.end('\0\0garbage\r\n\r\n') },
  {
    name: 'a body cut short',
    executes: true,
    respond: (response, socket) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '900' }).write('{"data":{')
      setImmediate(() => socket.destroy())
    },
  },
  { name: 'a bare 404', respond: fail(404) },
  { name: 'a bare 405', respond: fail(405) },
  {
    name: 'a redirect after a POST',
    isFinal: true,
    respond: (response) => void response.writeHead(303, { location: '/' }).end(),
  },
  { name: 'refused connections', isClosed: true },
  { name: 'a name that does not resolve', isUnresolved: true },
  { name: 'what is no TLS', breaksTls: true },
]

/** A server in front of a mock, whose outages can be switched on and off. */
export interface OutageFront {
  readonly url: string
  /** The current fault. */
  readonly fault: OutageFault | undefined
  begin(fault: OutageFault): Promise<void>
  end(): Promise<void>
  close(): Promise<void>
}

/** @param onCreate called for each create before its response; it may begin an outage */
export async function startFront(
  mock: MockServer,
  secure: boolean,
  onCreate: (creates: number) => Promise<void> | void,
): Promise<OutageFront> {
  let fault: OutageFault | undefined
  let creates = 0
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    if (body.includes('mutation')) {
      creates += 1
      await onCreate(creates)
    }
    /* Requests from before the outage also fail in it. */
    const now = fault?.sparesQueries === true && !body.includes('mutation') ? undefined : fault
    const executed = now === undefined || now.executes === true ? await execute(mock, request, body) : undefined
    if (now === undefined && executed !== undefined) {
      const type = executed.headers.get('content-type') ?? 'application/json'
      response.writeHead(executed.status, { 'content-type': type }).end(await executed.text())
    } else if (now?.respond !== undefined) now.respond(response, request.socket)
    else if (now?.isSilent !== true) request.socket.destroy()
  }
  const listener: RequestListener = (request, response) => void serve(request, response).catch(() => {})
  const server = secure ? createTlsServer(CERTIFICATE, listener) : createServer(listener)
  server.keepAliveTimeout = 60_000
  server.prependListener('connection', (socket: Socket) => {
    socket.on('error', () => {})
    if (fault?.breaksTls === true) socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const closed = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    url: `${secure ? 'https' : 'http'}://127.0.0.1:${port}`,
    get fault() {
      return fault
    },
    async begin(next) {
      fault = next
      if (next.isClosed === true) await closed()
      else if (next.breaksTls === true || next.isUnresolved === true) server.closeAllConnections()
    },
    async end() {
      const { isClosed } = fault ?? {}
      fault = undefined
      if (isClosed === true) await listen(port)
    },
    close: closed,
  }
}

async function execute(mock: MockServer, { headers }: IncomingMessage, body: string) {
  const single = Object.entries(headers).filter((each): each is [string, string] => typeof each[1] === 'string')
  return mock.fetch(`${mock.baseUrl}/api/developer/graphql`, { method: 'POST', headers: single, body })
}

const certificates = join(import.meta.dirname, '../certificates')
const CERTIFICATE = {
  key: readFileSync(join(certificates, 'server.key')),
  cert: readFileSync(join(certificates, 'server.pem')),
}
