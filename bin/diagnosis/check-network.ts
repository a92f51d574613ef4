import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { connect as connectTo, isIP, type Socket } from 'node:net'
import { connect as secureTo } from 'node:tls'
import { type EnvironmentProxy, environmentProxy } from '../../src/node/index.ts'
import { certificateHint } from '../certificate-hint.ts'
import { systemCode } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { type CheckResult, fail, pass } from './check-result.ts'

const PATIENCE_MS = 10_000

/** Checks the name, the connection and TLS up to the first failure; of the proxy if one is set. */
export async function* checkNetwork(
  baseUrl: string,
  { now, interruption }: Pick<Io, 'now' | 'interruption'>,
  timeoutsMs: readonly (number | undefined)[],
): AsyncGenerator<CheckResult> {
  const patienceMs = Math.min(PATIENCE_MS, ...timeoutsMs.filter((each) => each !== undefined))
  const limit = () => AbortSignal.any([interruption, AbortSignal.timeout(patienceMs)])
  const service = new URL(baseUrl)
  const proxy = await environmentProxy(baseUrl)
  const proxied = proxyResult(proxy)
  yield proxied
  if (proxied.state === 'fail') return
  const target = proxy === undefined ? service : new URL(proxy.url)
  const host = hostOf(target)
  if (isIP(host) === 0) {
    const resolved = await nameResult(host, proxy === undefined ? 'the address' : 'the proxy', limit())
    yield resolved
    if (resolved.state === 'fail') return
  }
  const since = now()
  const connected = await opened(connectTo({ host, port: portOf(target) }), 'connect', limit())
  if (connected instanceof Error) {
    const hint = target === service ? 'Check the address, the network and any firewall.' : 'Check the proxy setting.'
    yield fail('connection', `${target.host} does not answer (${systemCode(connected)})`, hint, 7)
    return
  }
  connected.destroy()
  yield pass('connection', `${target.host} answers after ${now() - since} ms`)
  if (service.protocol === 'https:' && target === service) yield await tlsResult(service, limit())
}

function proxyResult(proxy: EnvironmentProxy | undefined): CheckResult {
  if (proxy === undefined) return pass('proxy', 'none')
  if (proxy.problem === undefined) return pass('proxy', `${new URL(proxy.url).host}, from ${proxy.variable}`)
  const hint = `Write ${proxy.variable} as http://host:port, or unset it.`
  return fail('proxy', `${proxy.variable} cannot be used (${proxy.problem})`, hint, 7)
}

async function nameResult(host: string, owner: string, limit: AbortSignal): Promise<CheckResult> {
  const late = new Promise<Error>((done) => limit.addEventListener('abort', () => done(timedOut())))
  const found: readonly LookupAddress[] | Error = await Promise.race([lookup(host, { all: true }).catch(asError), late])
  if (!(found instanceof Error)) return pass('name', `${host} is ${found.map(({ address }) => address).join(', ')}`)
  const hint = `Check the spelling of ${owner}, and the network.`
  return fail('name', `${host}, of ${owner}, is not known (${systemCode(found)})`, hint, 7)
}

async function tlsResult(service: URL, limit: AbortSignal): Promise<CheckResult> {
  const host = hostOf(service)
  const socket = secureTo({ host, port: portOf(service), ...(isIP(host) === 0 && { servername: host }) })
  const secured = await opened(socket, 'secureConnect', limit)
  if (secured instanceof Error) {
    const code = systemCode(secured)
    return fail('TLS', `no secure connection (${code})`, tlsHint(code), 7)
  }
  const { valid_to: until } = socket.getPeerCertificate()
  const protocol = socket.getProtocol()
  socket.destroy()
  return pass('TLS', `${protocol}, certificate valid until ${until}`)
}

export function tlsHint(code: string): string {
  if (code === 'ETIMEDOUT') return 'Check whether it speaks TLS on this port, or allow more time with --timeout.'
  return certificateHint(code) ?? 'Check the address and its port, and whether it speaks TLS.'
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80)
}

function opened<S extends Socket>(socket: S, event: string, limit: AbortSignal): Promise<S | Error> {
  return new Promise((done) => {
    socket.once(event, () => done(socket))
    socket.once('error', done)
    limit.addEventListener('abort', () => {
      socket.destroy()
      done(timedOut())
    })
  })
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('failed')
}

function timedOut(): Error {
  return Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })
}
