import { BlockList, isIP } from 'node:net'
import { isLoopback, parseUrl } from '../util/url.ts'
import { notConnected } from './send-request.ts'

/** A proxy that the environment names. */
export interface EnvironmentProxy {
  /** Its URL, which may have a password. */
  readonly url: string
  /** The variable that names it. */
  readonly variable: string
  /** Why it cannot be used: it is not a URL, or its protocol is neither http nor https. */
  readonly problem: 'PROXY_INVALID' | 'PROXY_UNSUPPORTED' | undefined
}

const VARIABLES = ['https_proxy', 'http_proxy', 'all_proxy']

/**
 * The proxy that the environment names for a URL, as `createFetch({ proxy: 'environment' })` uses it: for diagnostics.
 *
 * @param url the URL of the service
 * @returns `undefined` if there is none, or if the host is this machine
 */
export async function environmentProxy(url: string): Promise<EnvironmentProxy | undefined> {
  const names = VARIABLES.flatMap((name) => [name, name.toUpperCase()]).filter((name) => process.env[name])
  if (names.length === 0 || isLoopback(new URL(url)) || isInBlock(new URL(url))) return undefined
  const { getProxyForUrl } = await import('proxy-from-env')
  const proxy = getProxyForUrl(url)
  if (proxy === '') return undefined
  const own = `${new URL(url).protocol.replace(':', '')}_proxy`
  const variable = names.find((name) => name.toLowerCase() === own) ?? names.find((name) => /^all/i.test(name)) ?? own
  /* As curl reads it: a proxy without a scheme speaks http, whatever the service speaks. */
  const value = process.env[variable] ?? proxy
  const proxyUrl = value.includes('://') ? proxy : `http://${value}`
  return { url: proxyUrl, variable, problem: proxyProblem(proxyUrl) }
}

/* `proxy-from-env` compares texts: it knows no blocks, as in 10.0.0.0/8, and takes the end of an IPv6 address for a port. */
function isInBlock({ hostname }: URL): boolean {
  const address = hostname.replaceAll(/[[\]]/g, '')
  if (isIP(address) === 0) return false
  const blocks = new BlockList()
  for (const entry of (process.env['no_proxy'] || process.env['NO_PROXY'] || '').split(/[,\s]/)) {
    const [, base = '', given] = /^\[?([\da-f:.]+)\]?(?:\/(\d{1,3}))?$/i.exec(entry) ?? []
    const bits = isIP(base) === 4 ? 32 : 128
    const prefix = Number(given ?? bits)
    if (isIP(base) !== 0 && prefix <= bits) blocks.addSubnet(base, prefix, familyOf(base))
  }
  return blocks.check(address, familyOf(address))
}

const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

/** Why a proxy cannot be used, before anything is sent. */
export function proxyProblem(url: string): EnvironmentProxy['problem'] {
  const parsed = parseUrl(url)
  if (parsed === undefined || !hasReadableCredentials(parsed)) return 'PROXY_INVALID'
  return /^https?:$/.test(parsed.protocol) ? undefined : 'PROXY_UNSUPPORTED'
}

/* A password with an unescaped `%` is a frequent mistake. */
function hasReadableCredentials({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}

/**
 * The URL of the proxy to a service, if there is one.
 *
 * @throws an error that says that nothing was sent, if the proxy of the environment cannot be used
 */
export async function proxyFor(url: string, given: string | undefined): Promise<string | undefined> {
  if (given === undefined || isLoopback(new URL(url))) return undefined
  if (given !== 'environment') return given
  const { url: proxy, problem } = (await environmentProxy(url)) ?? {}
  if (problem === undefined) return proxy
  throw notConnected(Object.assign(new Error('the proxy cannot be used'), { code: problem }))
}
