import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import { type WireResponse, bytesOf } from './responses.ts'
import { CallRecord } from './record.ts'
import { readRequests } from './requests.ts'

/** What the service does with one request of a call. */
export interface Step {
  /** Before it responds, after it responded, or not at all. */
  readonly executes: 'before' | 'after' | 'never'
  /** The bytes of a response, or anything else that can be done to a connection. */
  readonly response: WireResponse | ((connection: Connection, record: CallRecord) => void)
  /** Acts as soon as the headers have arrived: the body may still be in flight. */
  readonly atHead?: boolean
  /** Nothing follows it: a caller that still waits times out. */
  readonly stalls?: boolean
}

/** One connection: what it carries, and the TCP connection below TLS. */
export interface Connection {
  readonly socket: Socket
  readonly tcp: Socket
}

/** One call, with one step per request; the last step applies to all that follow. */
export interface Play {
  readonly steps: readonly Step[]
  /** Nothing more will be sent for this call: it may time out. */
  readonly onStall: () => void
  readonly afterListing?: (connection: Connection) => void
}

export interface Service {
  readonly url: string
  /** Waits for the requests of one call, by their `x-client-reference`. */
  readonly expect: (reference: string, play: Play) => CallRecord
  readonly forget: (reference: string) => void
  /** Requests for a call that had ended. */
  readonly strays: readonly string[]
  readonly close: () => Promise<void>
}

/** A listing always gets a response: it establishes a connection. */
const LISTING = '{"data":{"developerCertificationPackageTracks":[]}}'

/**
 * A service over raw sockets. It reads complete requests, executes what its script says, keeps its own record of that,
 * and responds byte by byte.
 *
 * @param secure with TLS
 * @param keeps whether it keeps connections after a complete response
 */
export async function startService({ secure, keeps }: { secure: boolean; keeps: boolean }): Promise<Service> {
  const calls = new Map<string, { readonly play: Play; readonly record: CallRecord }>()
  const open = new Set<Socket>()
  const strays: string[] = []

  const server = createServer((tcp) => {
    const socket = secure ? new TLSSocket(tcp, { isServer: true, secureContext }) : tcp
    let served = 0
    let current: Step | undefined
    open.add(tcp.setNoDelay())
    tcp.on('error', () => {}).on('close', () => open.delete(tcp))
    if (socket !== tcp) socket.on('error', () => {})
    readRequests(socket, {
      onHead({ headers }) {
        served += 1
        const call = calls.get(headers['x-client-reference'] ?? '')
        if (call === undefined) return
        const { record, play } = call
        const step = play.steps[Math.min(record.requests, play.steps.length - 1)]
        record.begin(served > 1)
        if (step?.atHead === true) respond({ socket, tcp }, step, record, play, keeps)
        current = step
      },
      onWhole({ headers }, body) {
        const reference = headers['x-client-reference'] ?? ''
        const call = calls.get(reference)
        const step = current
        current = undefined
        if (body.includes('developerCertificationPackageTracks')) {
          respondToListing(socket)
          return calls.get(reference.replace(/-listing$/, ''))?.play.afterListing?.({ socket, tcp })
        }
        if (call === undefined || step === undefined) return void strays.push(reference)
        const { record, play } = call
        if (step.executes === 'before') record.execute()
        if (step.atHead !== true) respond({ socket, tcp }, step, record, play, keeps)
        if (step.executes === 'after') record.execute()
      },
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${secure ? 'https' : 'http'}://127.0.0.1:${port}`,
    strays,
    expect(reference, play) {
      const record = new CallRecord(reference)
      calls.set(reference, { play, record })
      return record
    },
    forget: (reference) => void calls.delete(reference),
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const certificates = join(import.meta.dirname, '../certificates')
const secureContext = createSecureContext({
  key: readFileSync(join(certificates, 'server.key')),
  cert: readFileSync(join(certificates, 'server.pem')),
})

function respondToListing(socket: Socket): void {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${LISTING.length}`
  socket.write(`${head}\r\n\r\n${LISTING}`)
}

function respond(connection: Connection, step: Step, record: CallRecord, { onStall }: Play, keeps: boolean): void {
  const { response, stalls } = step
  if (typeof response === 'function') response(connection, record)
  else send(connection, response, record, onStall, keeps)
  if (stalls === true) onStall()
}

function send(
  { socket, tcp }: Connection,
  response: WireResponse,
  { invite }: CallRecord,
  onStall: () => void,
  keeps: boolean,
) {
  const { cut, framing, status } = response
  const bytes = bytesOf(response, invite, keeps).subarray(0, cut?.at)
  if (cut?.by === 'stall') write(socket, bytes, onStall)
  else if (cut?.by === 'rst') write(socket, bytes, () => tcp.resetAndDestroy())
  else if (cut !== undefined || !keeps || framing === 'close' || hasNoBody(status)) socket.end(bytes)
  else socket.write(bytes)
}

/* Anything after such a head is the start of another response, and must not be taken for this one's body. */
function hasNoBody(status: number): boolean {
  return status < 200 || status === 204 || status === 304
}

function write(socket: Socket, bytes: Buffer, then: () => void): void {
  if (bytes.length === 0) then()
  else socket.write(bytes, then)
}
