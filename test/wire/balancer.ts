import { connect, createServer } from 'node:net'
import { listen } from '../listen.ts'

/** How a balancer drops an idle connection. */
export type IdleEnd = 'forgets it' | 'closes it'

/** A TCP balancer in front of a service. */
export interface Balancer {
  readonly url: string
  /** The number of connections that were made to it. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

/**
 * A balancer that drops connections which are idle for some time after a response. Some balancers close them. Others
 * forget them silently, and the next packet gets a reset, as from the Network Load Balancer of AWS.
 */
export async function startBalancer(target: string, idleMs: number, end: IdleEnd): Promise<Balancer> {
  const { hostname, port: targetPort } = new URL(target)
  let connections = 0
  const server = createServer({ noDelay: true }, (client) => {
    connections += 1
    let isForgotten = false
    const service = connect({ port: Number(targetPort), host: hostname, noDelay: true })
    const onIdle = () => {
      isForgotten = true
      service.destroy()
      if (end === 'closes it') client.end()
    }
    let timer: NodeJS.Timeout | undefined
    client.on('data', (data) => {
      clearTimeout(timer)
      if (isForgotten) client.resetAndDestroy()
      else service.write(data)
    })
    service.on('data', (data) => {
      clearTimeout(timer)
      timer = setTimeout(onIdle, idleMs)
      client.write(data)
    })
    client.on('close', () => {
      clearTimeout(timer)
      service.destroy()
    })
    service.on('error', () => {})
  })
  const { port, close } = await listen(server)
  return { url: `http://127.0.0.1:${port}`, connections: () => connections, close }
}
