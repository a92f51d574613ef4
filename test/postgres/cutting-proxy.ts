import { createServer, connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { listenInTest } from '../listen.ts'

/**
 * Where a connection is cut.
 *
 * - `before`: a statement does not reach the server.
 * - `answer`: the server executes it, and its response is lost.
 * - `silent`: the server executes it, no response arrives, and neither side learns that the other one is gone.
 */
export type Cut = 'before' | 'answer' | 'silent'

/** A text in a statement, and one in its response. Statements of one round trip may share a packet. */
export type Place = readonly [statement: string, answer: string]

/** A proxy between a client and a Postgres server that cuts the connection at a statement. */
export interface CuttingProxy {
  /** The URL of the database, through the proxy. */
  readonly url: string
  /** `isLast`: everything is down from then on. */
  readonly cutNext: (cut: Cut, place: Place, more?: { readonly times?: number; readonly isLast?: boolean }) => void
  /** The number of connections that were cut. */
  readonly cuts: () => number
  /** The number of packets that clients have sent. */
  readonly packets: () => number
  /** The number of connections that were opened. */
  readonly connections: () => number
  /** Refuses new connections and ends the open ones, or accepts them again. */
  readonly setDown: (isDown: boolean) => void
}

export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  let plan: { readonly cut: Cut; readonly place: Place; times: number; readonly isLast: boolean } | undefined
  let [cuts, packets, connections, isDown] = [0, 0, 0, false]

  const server = createServer((client) => {
    connections += 1
    if (isDown) {
      client.destroy()
      return
    }
    const upstream = connect(Number(port), hostname)
    let isSilent = false
    const endBoth = () => {
      if (isSilent) return
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', endBoth).on('close', () => {
        sockets.delete(socket)
        endBoth()
      })
    }
    /* Whether the plan cuts at this data: then it is not passed on. */
    const isCut = (data: Buffer, isAnswer: boolean): boolean => {
      if (isSilent) return isAnswer
      if (plan === undefined || plan.times === 0 || isAnswer === (plan.cut === 'before')) return false
      if (!data.includes(plan.place[isAnswer ? 1 : 0])) return false
      plan.times -= 1
      cuts += 1
      isDown = plan.isLast
      isSilent = plan.cut === 'silent'
      endBoth()
      return true
    }
    client.on('data', (data) => {
      packets += 1
      return isCut(data, false) || upstream.write(data)
    })
    upstream.on('data', (data) => isCut(data, true) || client.write(data))
  })
  const through = new URL(url)
  through.port = String(await listenInTest(server))
  onTestFinished(end)
  return {
    url: through.href,
    cutNext: (cut, place, { times = 1, isLast = false } = {}) => {
      plan = { cut, place, times, isLast }
    },
    cuts: () => cuts,
    packets: () => packets,
    connections: () => connections,
    setDown: (down) => {
      isDown = down
      if (down) end()
    },
  }
}
