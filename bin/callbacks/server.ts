import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CliError, systemCode } from '../cli-error.ts'

/** A server that listens. */
export interface Listening {
  /** Its address, as in http://127.0.0.1:4020. */
  readonly url: string
  /** Accepts no further connections, and waits for the requests in progress. */
  readonly close: () => Promise<void>
}

/* Longer than the handler waits for a body. */
const LONGEST_CLOSE_MS = 15_000

/** Starts a server for a `node:http` listener. @throws CliError if it cannot listen */
export async function listenOn(listener: RequestListener, port: number, host: string): Promise<Listening> {
  const { createServer } = await import('node:http')
  let isClosing = false
  const server = createServer((request, response) => {
    /* A keep-alive connection would keep the server open. */
    response.on('finish', () => isClosing && setImmediate(() => server.closeIdleConnections()))
    listener(request, response)
  })
  const { port: bound } = await bind(server, port, host).catch((error: unknown) => {
    throw cannotListen(systemCode(error), port, host)
  })
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: async () => {
      isClosing = true
      const timer = setTimeout(() => server.closeAllConnections(), LONGEST_CLOSE_MS)
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      })
      clearTimeout(timer)
    },
  }
}

function bind(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      /* A client that breaks its connection is not a fault of the program. */
      server.off('error', reject).on('error', () => {})
      resolve(server.address() as AddressInfo)
    })
  })
}

function cannotListen(code: string, port: number, host: string): CliError {
  const hint =
    code === 'EADDRINUSE'
      ? 'Another program listens there, perhaps this one: choose another port with --port, or --port 0 for a free one.'
      : 'Choose another port with --port, and check --host.'
  return new CliError(`cannot listen on port ${port} of ${host} (${code}).`, hint)
}
