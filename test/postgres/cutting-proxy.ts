import { createServer, connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/**
 * Where a connection is cut.
 *
 * - `before`: a statement does not reach the server.
 * - `answer`: the server executes it, and its answer is lost.
 * - `silent`: the server executes it, and no answer arrives, but the connection stays.
 */
export type Cut = 'before' | 'answer' | 'silent'

/** A proxy between a client and a server of Postgres, which cuts the statement that contains a text. */
export interface CuttingProxy {
  /** The URL of a database, through the proxy. */
  readonly urlOf: (url: string) => string
  /** Cuts the next statements that contain the text. `isLast`: after that, everything is down. */
  readonly cutNext: (cut: Cut, text: string, more?: { readonly times?: number; readonly isLast?: boolean }) => void
  /** How many statements were cut. */
  readonly cuts: () => number
  /** Refuses new connections and ends those that there are, or accepts them again. */
  readonly setDown: (isDown: boolean) => void
}

export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let plan: { readonly cut: Cut; readonly text: string; times: number; readonly isLast: boolean } | undefined
  let cuts = 0
  let isDown = false

  const server = createServer((client) => {
    if (isDown) {
      client.destroy()
      return
    }
    const upstream = connect(Number(port), hostname)
    let isMuted = false
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        if (!isMuted) end()
      })
    }
    client.on('data', (data) => {
      if (plan === undefined || plan.times === 0 || !data.includes(plan.text)) {
        upstream.write(data)
        return
      }
      plan.times -= 1
      if (plan.isLast) isDown = true
      cuts += 1
      if (plan.cut === 'before') {
        end()
        return
      }
      isMuted = true
      upstream.write(data)
      const { cut } = plan
      upstream.once('data', () => {
        /* The answer is there: so it was committed. */
        if (cut === 'answer') {
          isMuted = false
          end()
        }
      })
    })
    upstream.on('data', (data) => {
      if (!isMuted) client.write(data)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    end()
    server.close()
  })
  return {
    urlOf: (direct) => {
      const through = new URL(direct)
      through.port = String((server.address() as { readonly port: number }).port)
      return through.href
    },
    cutNext: (cut, text, { times = 1, isLast = false } = {}) => {
      plan = { cut, text, times, isLast }
    },
    cuts: () => cuts,
    setDown: (down) => {
      isDown = down
      if (down) end()
    },
  }
}
