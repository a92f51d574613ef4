import type { HeadersLike } from './event.ts'

/** A request listener for `node:http`, which is also an Express handler. */
export type NodeListener = (request: NodeRequest, response: NodeResponse) => void

/** The part of Node.js's `IncomingMessage` that is used. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly httpVersionMajor?: number
  readonly readableDidRead?: boolean
  readonly readableEnded?: boolean
}

/** The part of Node.js's `ServerResponse` that is used. */
export interface NodeResponse {
  writeHead(status: number, headers?: Record<string, string>): unknown
  end(): unknown
}

type StatusFor = (request: {
  readonly method: string
  readonly url: string
  readonly headers: HeadersLike
  readonly body: NodeRequest | null
  readonly bodyUsed: boolean
  readonly wasRead: boolean
}) => Promise<number>

/** A listener that responds with the status alone. */
export function nodeListener(statusFor: StatusFor): NodeListener {
  return (request, response) => {
    const { method = '', url = '', headers, httpVersionMajor, readableDidRead = false, readableEnded = false } = request
    const isDeclared = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
    /* An HTTP/2 request need not declare its body. */
    const body = isDeclared || httpVersionMajor === 2 ? request : null
    /* A body that was only peeked at and put back can still be read. */
    const bodyUsed = readableDidRead && readableEnded
    const respond = async () => {
      const status = await statusFor({ method, url, headers, body, bodyUsed, wasRead: readableDidRead })
      /* The unread rest of a body is never read, so the connection ends. */
      response.writeHead(status, { 'content-length': '0', ...(status !== 200 && { connection: 'close' }) })
      response.end()
    }
    void respond()
  }
}
