import { createServer, type RequestListener } from 'node:http'
import { listenInTest } from '../listen.ts'

/** An application's callback route: keeps what it receives, and answers as it is told to. */
export interface Receiver {
  readonly deliver: (request: Request) => Promise<Response>
  readonly received: Received[]
  /** The statuses of the next responses; 204 once they run out. */
  readonly statuses: number[]
}

export interface Received {
  readonly url: string
  readonly headers: Headers
  readonly text: string
  readonly body: { id: string; type: string; occurredAt: string; data: Record<string, string | null> }
}

export function createReceiver(...statuses: number[]): Receiver {
  const received: Received[] = []
  return {
    received,
    statuses,
    async deliver(request) {
      const text = await request.text()
      received.push({ url: request.url, headers: request.headers, text, body: JSON.parse(text) })
      return new Response(null, { status: statuses.shift() ?? 204 })
    },
  }
}

/** A real HTTP server until the end of the test: its origin, and the paths of its requests. */
export async function realServer(answer: RequestListener = (_request, response) => void response.end()) {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    answer(request, response)
  })
  return { origin: `http://127.0.0.1:${await listenInTest(server)}`, paths }
}
