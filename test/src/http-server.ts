import { createServer, type ServerResponse } from 'node:http'
import { listenInTest } from '../listen.ts'

/** A request as the server received it. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** A real HTTP server on a free port that responds as the test says, until the test ends. */
export async function startServer(answer: (response: ServerResponse, request: Received) => unknown): Promise<{
  readonly url: string
  readonly received: readonly Received[]
}> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      const entry = { method, path, headers, body: Buffer.concat(chunks).toString() }
      received.push(entry)
      answer(response, entry)
    })
  })
  return { url: `http://127.0.0.1:${await listenInTest(server)}`, received }
}

/** Responds with JSON. */
export function json(value: unknown, status = 200): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  }
}

/** Responds with text of any content type. */
export function text(body: string, status = 200, contentType = 'text/html'): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(status, { 'content-type': contentType }).end(body)
  }
}

/** Responds with bytes and no content type. */
export function rawBytes(body: readonly number[], status = 200): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(status).end(Uint8Array.from(body))
  }
}
