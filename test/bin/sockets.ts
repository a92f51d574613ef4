import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished, vi } from 'vitest'
import { listenInTest } from '../listen.ts'

/** A raw TCP server. The test handles each connection. Returns the port. */
export function startSockets(
  onConnection: (socket: Socket) => void,
  onData?: (socket: Socket) => void,
): Promise<number> {
  const server = createServer((socket) => {
    if (onData !== undefined) socket.once('data', () => onData(socket))
    onConnection(socket)
  })
  return listenInTest(server)
}

/** A proxy that opens tunnels, or answers CONNECT with another status. Returns its address and the requests it got. */
export async function startProxy(status = 200, proxy: Server = createHttpServer()) {
  const asked: { readonly target: string; readonly authorization: string | undefined }[] = []
  proxy.on('connect', ({ url = '', headers }: IncomingMessage, client: Socket) => {
    asked.push({ target: url, authorization: headers['proxy-authorization'] })
    /* Credentials in `authorization` would be for the service. */
    const answer = headers.authorization === undefined ? status : 400
    if (answer !== 200) {
      client.end(`HTTP/1.1 ${answer} No\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    const target = connect(Number(new URL(`http://${url}`).port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      client.pipe(target).pipe(client)
    })
    target.on('error', () => client.destroy())
    client.on('close', () => target.destroy())
  })
  onTestFinished(() => void vi.unstubAllEnvs())
  return { address: `127.0.0.1:${await listenInTest(proxy)}`, asked }
}

/** The URL with a name that only the proxy knows, because loopback addresses never go through a proxy. */
export function beyond(url: string, name = 'certify.test'): string {
  return url.replace('127.0.0.1', name)
}

/** Sets these variables of the process, where the SDK reads them, and returns them. */
export function setEnv(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  return env
}
