import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { connect as connectTo, isIP, type Socket } from 'node:net'
import { connect as secureTo } from 'node:tls'
import { proxyFor } from '../network/proxy.ts'
import type { Finding } from './check.ts'

const PATIENCE_MS = 10_000
const EXIT = { exitCode: 7 } as const

/** Checks the way to the service, step by step, to the first that fails: name, connection, TLS; to a proxy where one is set. */
export async function* checkNetwork(
  baseUrl: string,
  env: Readonly<Record<string, string | undefined>>,
  now: () => number,
): AsyncGenerator<Finding> {
  const service = new URL(baseUrl)
  const proxy = await proxyFor(baseUrl, env)
  const target = proxy === undefined ? service : new URL(proxy.url)
  yield proxyFinding(proxy)
  const host = target.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 0) {
    const resolved = await resolve(host)
    yield resolved
    if (resolved.state === 'fail') return
  }
  const since = now()
  const connected = await connect(host, target)
  if (connected instanceof Error) {
    yield {
      check: 'connection',
      state: 'fail',
      found: `${target.host} does not answer (${codeOf(connected)})`,
      hint: target === service ? 'Check the address, the network and any firewall.' : 'Check the proxy that is set.',
      ...EXIT,
    }
    return
  }
  connected.destroy()
  yield { check: 'connection', state: 'pass', found: `${target.host} answers after ${now() - since} ms` }
  if (service.protocol === 'https:' && target === service) yield await checkTls(service)
}

function proxyFinding(proxy: { readonly url: string; readonly variable: string } | undefined): Finding {
  if (proxy === undefined) return { check: 'proxy', state: 'pass', found: 'none' }
  return { check: 'proxy', state: 'pass', found: `${new URL(proxy.url).host}, from ${proxy.variable}` }
}

async function resolve(host: string): Promise<Finding> {
  const found: readonly LookupAddress[] | Error = await lookup(host, { all: true }).catch(asError)
  if (found instanceof Error) {
    const hint = 'Check the spelling of the address, and the network.'
    return { check: 'name', state: 'fail', found: `${host} is not known (${codeOf(found)})`, hint, ...EXIT }
  }
  return { check: 'name', state: 'pass', found: `${host} is ${found.map(({ address }) => address).join(', ')}` }
}

async function connect(host: string, { port, protocol }: URL): Promise<Socket | Error> {
  const socket = connectTo({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80), timeout: PATIENCE_MS })
  return settled(socket, 'connect')
}

async function checkTls({ hostname, port }: URL): Promise<Finding> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = secureTo({
    host,
    port: Number(port) || 443,
    timeout: PATIENCE_MS,
    ...(isIP(host) === 0 && { servername: host }),
  })
  const secured = await settled(socket, 'secureConnect')
  if (secured instanceof Error) {
    const hint = 'For an authority of your own, set NODE_EXTRA_CA_CERTS to a file with its certificate.'
    return { check: 'TLS', state: 'fail', found: `no secure connection (${codeOf(secured)})`, hint, ...EXIT }
  }
  const { valid_to: until } = socket.getPeerCertificate()
  const protocol = socket.getProtocol()
  socket.destroy()
  return { check: 'TLS', state: 'pass', found: `${protocol}, certificate valid until ${until}` }
}

function settled<S extends Socket>(socket: S, event: string): Promise<S | Error> {
  return new Promise((done) => {
    socket.once(event, () => done(socket))
    socket.once('error', done)
    socket.once('timeout', () => {
      socket.destroy()
      done(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' }))
    })
  })
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : 'no reason given'
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('failed')
}
