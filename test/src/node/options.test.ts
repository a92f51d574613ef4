import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { inspect } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { listenInTest } from '../../listen.ts'
import { CertifyClient } from '../../../src/index.ts'
import { createFetch, type FetchOptions } from '../../../src/node/index.ts'
import { beyond, setEnv, startProxy } from '../../bin/sockets.ts'
import { everythingShown, failureOf, thrownBy } from '../failing.ts'
import { json, startServer } from '../http-server.ts'
import { input } from '../samples.ts'

const LISTING = { data: { developerCertificationPackageTracks: [] } }
const pem = (name: string) => readFileSync(join(import.meta.dirname, '../../certificates', name))
const ca = pem('ca.pem')
const own = { cert: pem('server.pem'), key: pem('server.key') }

function clientOf(baseUrl: string, options: FetchOptions) {
  const fetch = createFetch(options)
  return new CertifyClient({ baseUrl, apiKey: 'ck_1', fetch, retry: false, allowInsecureHttp: true })
}

/** A service with TLS, and the names in its clients' certificates. */
async function startSecure(needsCertificate: boolean) {
  const clients: unknown[] = []
  const server = createServer({ ...own, ca, requestCert: needsCertificate }, (request, response) => {
    clients.push(needsCertificate ? (request.socket as TLSSocket).getPeerCertificate().subject.CN : 'not asked')
    request.resume().on('end', () => response.end(JSON.stringify(LISTING)))
  })
  return { url: `https://127.0.0.1:${await listenInTest(server)}`, clients }
}

test('tls.ca is trusted; without it nothing is sent', async () => {
  const { url, clients } = await startSecure(false)
  expect(await failureOf(clientOf(url, {}).invites.create(input))).toMatchObject({
    code: 'UNREACHABLE',
    outcome: 'not-executed',
  })
  expect(clients).toEqual([])
  expect(await clientOf(url, { tls: { ca } }).tracks.list()).toEqual([])
  expect(await clientOf(url, { tls: { ca: [ca.toString()] } }).tracks.list()).toEqual([])
})

test.each(['directly', 'through a proxy'])('the client certificate is presented when asked for: %s', async (way) => {
  const { url, clients } = await startSecure(true)
  const proxy = await startProxy()
  const through = way === 'directly' ? {} : { proxy: `http://${proxy.address}` }
  const client = clientOf(way === 'directly' ? url : beyond(url, 'localhost.'), { ...through, tls: { ca, ...own } })
  expect(await client.tracks.list()).toEqual([])
  expect(clients).toEqual(['localhost'])
  expect(proxy.asked).toHaveLength(way === 'directly' ? 0 : 1)
})

test('a service that refuses a client without a certificate leaves the outcome unknown: TLS 1.3 reports it late', async () => {
  const { url, clients } = await startSecure(true)
  expect(await failureOf(clientOf(url, { tls: { ca } }).invites.create(input))).toMatchObject({
    code: 'CONNECTION_LOST',
    outcome: 'unknown',
  })
  expect(clients).toEqual([])
})

test('the proxy option applies to every host but loopback, whatever the environment says', async () => {
  const server = await startServer(json(LISTING))
  const proxy = await startProxy()
  const options = { proxy: `http://me:word@${proxy.address}` }
  expect(await clientOf(server.url, options).tracks.list()).toEqual([])
  expect(proxy.asked).toEqual([])
  expect(await clientOf(beyond(server.url), options).tracks.list()).toEqual([])
  const basic = `Basic ${Buffer.from('me:word').toString('base64')}`
  expect(proxy.asked).toEqual([{ target: new URL(beyond(server.url)).host, authorization: basic }])
})

test.each(['http', 'https'])('the proxy may speak TLS itself, for a service with %s', async (scheme) => {
  const server = scheme === 'http' ? await startServer(json(LISTING)) : await startSecure(false)
  const proxy = await startProxy(200, createServer(own))
  const options = { proxy: `https://${proxy.address}`, tls: { ca } }
  expect(await clientOf(beyond(server.url, 'localhost.'), options).tracks.list()).toEqual([])
  const error = await failureOf(clientOf(beyond(server.url, 'localhost.'), { proxy: options.proxy }).tracks.list())
  expect(error).toMatchObject({ code: 'UNREACHABLE', outcome: 'not-executed' })
  expect(proxy.asked).toHaveLength(1)
})

test('the proxy of the environment is not used unless asked for', async () => {
  const proxy = await startProxy()
  setEnv({ HTTP_PROXY: `http://${proxy.address}` })
  const error = await failureOf(clientOf('http://certify.test', {}).tracks.list())
  expect(error.message).toContain('ENOTFOUND')
  expect(proxy.asked).toEqual([])
})

test.each<[string, object, string]>([
  ['a negative time', { idleMs: -1 }, 'idleMs must be a number of milliseconds between 0 and 60000'],
  ['an endless time', { idleMs: Number.POSITIVE_INFINITY }, 'idleMs must be'],
  ['a proxy that is no URL', { proxy: 'canary' }, "proxy must be 'environment' or the URL of an http or https proxy"],
  ['a SOCKS proxy', { proxy: 'socks5://canary@127.0.0.1' }, 'proxy must be'],
  ['a certificate without its key', { tls: { cert: own.cert } }, 'tls needs both cert and key'],
  ['a key that is none', { tls: { cert: own.cert, key: 'canary' } }, 'tls has a certificate or key'],
  ['a key of another certificate', { tls: { cert: ca, key: own.key } }, 'tls has a certificate or key'],
  ['an unknown option', { idleMS: 5 }, 'idleMS is unknown; known fields: idleMs'],
  ['an agent', { agent: 'canary' }, 'is unknown; known fields: idleMs, proxy, tls'],
])('%s is refused when the fetch is created, and not quoted', (_case, options, words) => {
  const error = thrownBy(() => createFetch(options))
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', outcome: 'not-executed' })
  expect(error.message).toContain(words)
  expect(everythingShown(error)).not.toContain('canary')
})

test('Deno is refused: it resends a request on a new connection', () => {
  Object.assign(globalThis, { Deno: {} })
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'Deno'))
  expect(thrownBy(() => createFetch())).toMatchObject({ code: 'CONFIG_INVALID' })
})

test('inspecting the fetch shows none of its options', () => {
  const fetch = createFetch({ proxy: 'http://me:canary@127.0.0.1:1', tls: { ...own, passphrase: 'canary' } })
  expect(inspect(fetch, { depth: Infinity, showHidden: true })).not.toContain('canary')
})
