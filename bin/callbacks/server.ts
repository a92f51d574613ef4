import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cannotListen } from '../cli-error.ts'

/* Longer than the handler waits for a body. */
const LONGEST_CLOSE_MS = 15_000

/** Starts a server for a `node:http` listener. Its `close` waits for requests in progress. @throws CliError if it cannot listen */
export async function listenOn(listener: RequestListener, port: number, host: string) {
  const { createServer } = await import('node:http')
  const server = createServer(listener).listen(port, host)
  await once(server, 'listening').catch((error: unknown) => {
    throw cannotListen(error, port, host, TAKEN_HINT)
  })
  /* A client that breaks its connection is not a fault of the program. */
  server.on('error', () => {})
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: async () => {
      /* A keep-alive connection would keep the server open. */
      server.keepAliveTimeout = 1
      const timer = setTimeout(() => server.closeAllConnections(), LONGEST_CLOSE_MS)
      await new Promise((resolve) => server.close(resolve))
      clearTimeout(timer)
    },
  }
}

const TAKEN_HINT =
  'Another program listens there, perhaps this one: choose another port with --port, or --port 0 for a free one.'
