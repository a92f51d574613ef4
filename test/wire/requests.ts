import type { Duplex } from 'node:stream'

/** One request, parsed from its bytes. */
export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

interface Listener {
  /** The headers have arrived, and perhaps nothing of the body. */
  readonly onHead: (request: WireRequest) => void
  /** The last byte has arrived. */
  readonly onWhole: (request: WireRequest, body: string) => void
}

/** Reads requests from a connection, one after another. A truncated request is never complete. */
export function readRequests(socket: Duplex, { onHead, onWhole }: Listener): void {
  let bytes = Buffer.alloc(0)
  let request: WireRequest | undefined
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    for (;;) {
      if (request === undefined) {
        const end = bytes.indexOf('\r\n\r\n')
        if (end === -1) return
        request = parseHead(bytes.toString('latin1', 0, end))
        bytes = bytes.subarray(end + 4)
        onHead(request)
      }
      const body = takeBody(request.headers, bytes)
      if (body === undefined) return
      const whole = request
      request = undefined
      bytes = bytes.subarray(body.size)
      onWhole(whole, body.text)
    }
  })
}

function parseHead(head: string): WireRequest {
  const [first = '', ...lines] = head.split('\r\n')
  const [method = '', path = ''] = first.split(' ')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  return { method, path, headers }
}

/* The body and its size in bytes; `undefined` while it is incomplete. */
function takeBody(headers: WireRequest['headers'], bytes: Buffer): { text: string; size: number } | undefined {
  if (headers['transfer-encoding'] === 'chunked') return takeChunks(bytes)
  const size = Number(headers['content-length'] ?? 0)
  return bytes.length < size ? undefined : { text: bytes.toString('utf8', 0, size), size }
}

function takeChunks(bytes: Buffer): { text: string; size: number } | undefined {
  const pieces: Buffer[] = []
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at)
    if (line === -1) return undefined
    const length = Number.parseInt(bytes.toString('latin1', at, line), 16)
    const end = line + 2 + length
    if (bytes.length < end + 2) return undefined
    if (length === 0) return { text: Buffer.concat(pieces).toString(), size: end + 2 }
    pieces.push(bytes.subarray(line + 2, end))
    at = end + 2
  }
}
