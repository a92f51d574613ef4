import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * Simulates a broken reverse proxy: at request number `repeatsWith` (over all connections, from 1), or the first later
 * one on a keep-alive connection, it repeats the previous response. From then on, every response on that connection
 * belongs to the previous request.
 *
 * @returns its address
 */
export async function startRepeatingProxy(target: string, repeatsWith: number): Promise<string> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let requests = 0
  let hasRepeated = false
  const server = createServer((client) => {
    let last: Buffer | undefined
    const service = connect(Number(port), hostname)
    service.on('data', (data: Buffer) => {
      last = data
      client.write(data)
    })
    client.on('data', (data: Buffer) => {
      if (data.subarray(0, 5).toString() === 'POST ') requests += 1
      if (requests >= repeatsWith && last !== undefined && !hasRepeated) {
        hasRepeated = true
        client.write(last)
      }
      service.write(data)
    })
    for (const [socket, other] of [[client, service] as const, [service, client] as const]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
