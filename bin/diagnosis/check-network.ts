import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { connect as connectTo, isIP, type Socket } from 'node:net'
import { connect as secureTo } from 'node:tls'
import { type ProxySetting, proxyFor, refusalOf } from '../network/proxy.ts'
import { type Finding, fail, pass } from './check-result.ts'

const PATIENCE_MS = 10_000

/** What bounds each step, beside a patience of its own: the times that are set, and the end of the program. */
export interface Bounds {
  readonly timeoutsMs: readonly (number | undefined)[]
  readonly interruption: AbortSignal
}

/** Checks the way to the service, step by step, to the first that fails: name, connection, TLS; to a proxy where one is set. */
export async function* checkNetwork(
  baseUrl: string,
  env: Readonly<Record<string, string | undefined>>,
  now: () => number,
  { timeoutsMs, interruption }: Bounds,
): AsyncGenerator<Finding> {
  const patienceMs = Math.min(PATIENCE_MS, ...timeoutsMs.filter((each) => each !== undefined))
  const limit = () => AbortSignal.any([interruption, AbortSignal.timeout(patienceMs)])
  const service = new URL(baseUrl)
  const proxy = await proxyFor(baseUrl, env)
  const found = proxyFinding(proxy)
  yield found
  if (found.state === 'fail') return
  const target = proxy === undefined ? service : new URL(proxy.url)
  const host = target.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 0) {
    const resolved = await resolve(host, proxy === undefined ? 'the address' : 'the proxy', limit())
    yield resolved
    if (resolved.state === 'fail') return
  }
  const since = now()
  const connected = await connect(host, target, limit())
  if (connected instanceof Error) {
    const hint =
      target === service ? 'Check the address, the network and any firewall.' : 'Check the proxy that is set.'
    yield fail('connection', `${target.host} does not answer (${codeOf(connected)})`, hint, 7)
    return
  }
  connected.destroy()
  yield pass('connection', `${target.host} answers after ${now() - since} ms`)
  if (service.protocol === 'https:' && target === service) yield await checkTls(service, limit())
}

function proxyFinding(proxy: ProxySetting | undefined): Finding {
  if (proxy === undefined) return pass('proxy', 'none')
  const refusal = refusalOf(proxy)
  if (refusal !== undefined) {
    const hint = `Write ${proxy.variable} as http://host:port, or unset it.`
    return fail('proxy', `${proxy.variable} cannot be used (${refusal})`, hint, 7)
  }
  return pass('proxy', `${new URL(proxy.url).host}, from ${proxy.variable}`)
}

async function resolve(host: string, whose: string, limit: AbortSignal): Promise<Finding> {
  const late = new Promise<Error>((done) => limit.addEventListener('abort', () => done(tooLate())))
  const found: readonly LookupAddress[] | Error = await Promise.race([lookup(host, { all: true }).catch(asError), late])
  if (found instanceof Error) {
    const hint = `Check the spelling of ${whose}, and the network.`
    const what = `${host}, of ${whose}, is not known (${codeOf(found)})`
    return fail('name', what, hint, 7)
  }
  return pass('name', `${host} is ${found.map(({ address }) => address).join(', ')}`)
}

async function connect(host: string, { port, protocol }: URL, limit: AbortSignal): Promise<Socket | Error> {
  const socket = connectTo({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) })
  return opened(socket, 'connect', limit)
}

async function checkTls({ hostname, port }: URL, limit: AbortSignal): Promise<Finding> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = secureTo({
    host,
    port: Number(port) || 443,
    ...(isIP(host) === 0 && { servername: host }),
  })
  const secured = await opened(socket, 'secureConnect', limit)
  if (secured instanceof Error) {
    const code = codeOf(secured)
    return fail('TLS', `no secure connection (${code})`, tlsHint(code), 7)
  }
  const { valid_to: until } = socket.getPeerCertificate()
  const protocol = socket.getProtocol()
  socket.destroy()
  return pass('TLS', `${protocol}, certificate valid until ${until}`)
}

/** What to do about a handshake that failed, by the word of the system. */
export function tlsHint(code: string): string {
  if (code === 'ETIMEDOUT') return 'Check whether it speaks TLS on this port, or give it longer with --timeout.'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'The certificate is for another name: check the address.'
  if (/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(code)) {
    return 'Check the clock of this machine; if it is right, the service needs a new certificate.'
  }
  if (/SELF_SIGNED|ISSUER|UNABLE_TO_VERIFY|UNTRUSTED/.test(code)) {
    return 'For an authority of your own, set NODE_EXTRA_CA_CERTS to a file with its certificate.'
  }
  return 'Check the address and its port, and whether it speaks TLS.'
}

function opened<S extends Socket>(socket: S, event: string, limit: AbortSignal): Promise<S | Error> {
  return new Promise((done) => {
    socket.once(event, () => done(socket))
    socket.once('error', done)
    limit.addEventListener('abort', () => {
      socket.destroy()
      done(tooLate())
    })
  })
}

function tooLate(): Error {
  return Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : 'no reason given'
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('failed')
}
