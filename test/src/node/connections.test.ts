import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { listenInTest } from '../../listen.ts'
import { CertifyClient } from '../../../src/index.ts'
import { createFetch } from '../../../src/node/index.ts'
import { beyond, setEnv, startProxy } from '../../bin/sockets.ts'
import { failureOf } from '../failing.ts'
import { CREATED, input, invite } from '../samples.ts'

/* The default. */
const IDLE_MS = 500
const certificates = join(import.meta.dirname, '../../certificates')
const tls = {
  key: readFileSync(join(certificates, 'server.key')),
  cert: readFileSync(join(certificates, 'server.pem')),
}

const warnings: Error[] = []
const onWarning = (warning: Error) => void warnings.push(warning)
beforeEach(() => {
  warnings.length = 0
  process.on('warning', onWarning)
})
afterEach(() => {
  process.off('warning', onWarning)
  vi.unstubAllEnvs()
})

/** A server that responds, unless the test says otherwise, and the connections that were made to it. */
async function start(
  scheme: 'http' | 'https',
  answer: (response: ServerResponse, count: number) => void = (response) => response.end(CREATED),
) {
  /* Not the name that only the proxy knows. */
  if (scheme === 'https') vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const sockets: Socket[] = []
  let count = 0
  const server = (scheme === 'http' ? createServer() : createTlsServer(tls)).on('request', (request, response) => {
    request.resume().on('end', () => {
      count += 1
      answer(response, count)
    })
  })
  server.on('connection', (socket: Socket) => sockets.push(socket.on('error', () => {})))
  return { url: `${scheme}://127.0.0.1:${await listenInTest(server)}`, sockets }
}

/** Directly, or through a given proxy. */
async function wayTo(url: string, way: 'directly' | 'through a proxy', idleMs?: number) {
  if (way === 'directly') return { client: clientOf(url, idleMs), proxy: undefined }
  const proxy = await startProxy()
  setEnv({ HTTP_PROXY: `http://${proxy.address}`, HTTPS_PROXY: `http://${proxy.address}` })
  return { client: clientOf(beyond(url), idleMs), proxy }
}

function clientOf(baseUrl: string, idleMs?: number) {
  const fetch = createFetch({ proxy: 'environment', idleMs })
  return new CertifyClient({ baseUrl, apiKey: 'ck_1', fetch, retry: false, timeoutMs: 30_000, allowInsecureHttp: true })
}

const WAYS = [
  ['http', 'directly'],
  ['https', 'directly'],
  ['http', 'through a proxy'],
  ['https', 'through a proxy'],
] as const

test.each(WAYS)('sequential requests share a connection and leave no listeners on it: %s, %s', async (scheme, way) => {
  const { url, sockets } = await start(scheme)
  const { client, proxy } = await wayTo(url, way, 60_000)
  for (let count = 1; count <= 12; count += 1) expect(await client.invites.create(input)).toEqual(invite)
  expect(sockets).toHaveLength(1)
  expect(proxy?.asked ?? [{}]).toHaveLength(1)
  await new Promise((resolve) => setImmediate(resolve))
  expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([])
})

test('concurrent requests get a connection each', async () => {
  const { url, sockets } = await start('http')
  const client = clientOf(url)
  await Promise.all([1, 2, 3].map(() => client.invites.create(input)))
  expect(sockets).toHaveLength(3)
})

test.each(WAYS)(
  'a service that closes after each response without saying so leaves at most one request unknown: %s, %s',
  async (scheme, way) => {
    let received = 0
    const { url } = await start(scheme, (response) => {
      received += 1
      response.end(CREATED)
      response.socket?.end()
    })
    const { client } = await wayTo(url, way)
    const failures: unknown[] = []
    for (let count = 1; count <= 12; count += 1) {
      await client.invites.create(input).catch((error: unknown) => failures.push(error))
    }
    expect(failures.length).toBeLessThanOrEqual(1)
    for (const failure of failures) expect(failure).toMatchObject({ code: 'CONNECTION_LOST', outcome: 'unknown' })
    expect(received).toBeGreaterThanOrEqual(12 - failures.length)
    expect(received).toBeLessThanOrEqual(12)
  },
)

test('a connection idle for half a second is not reused, even if the process was suspended and no timer closed it', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { url, sockets } = await start('http')
  const client = clientOf(url)
  await client.invites.create(input)
  vi.setSystemTime(Date.now() + IDLE_MS + 1)
  await client.invites.create(input)
  expect(sockets).toHaveLength(2)
})

test('a request aborted before it has a connection is never sent', async () => {
  const { url, sockets } = await start('http')
  const fetch = createFetch()
  const client = new CertifyClient({ baseUrl: url, apiKey: 'ck_1', fetch, retry: false })
  await client.invites.create(input)
  const received = sockets[0]?.bytesRead
  const closed = new Promise((resolve) => sockets[0]?.on('close', resolve))
  const controller = new AbortController()
  const second = fetch(client.endpoint, {
    method: 'POST',
    headers: {},
    body: '{}',
    redirect: 'manual',
    signal: controller.signal,
  })
  controller.abort()
  await expect(second).rejects.toMatchObject({ syscall: 'connect' })
  await closed
  expect(sockets).toHaveLength(1)
  expect(sockets[0]?.bytesRead).toBe(received)
})

test.each(['a first', 'a kept'] as const)(
  'bytes that are not TLS after a request on %s connection leave it unknown, and it is not sent again',
  async (which) => {
    let asked = 0
    const { url, sockets } = await start('https', (response, count) => {
      asked = count
      if (which === 'a kept' && count === 1) response.end(CREATED)
      else sockets.at(-1)?.write('HTTP/1.1 400 Bad Request\r\n\r\n')
    })
    const client = new CertifyClient({ baseUrl: url, apiKey: 'ck_1', fetch: createFetch({ idleMs: 60_000 }) })
    if (which === 'a kept') await client.invites.create(input)
    const before = asked
    expect(await failureOf(client.invites.create(input))).toMatchObject({ code: 'CONNECTION_LOST', outcome: 'unknown' })
    expect(asked).toBe(before + 1)
  },
)

test.each(WAYS)('an idle connection is closed after half a second, before the service: %s, %s', async (scheme, way) => {
  let began = Number.POSITIVE_INFINITY
  const { url, sockets } = await start(scheme, (response) => {
    began = performance.now()
    response.end(CREATED)
  })
  const { client } = await wayTo(url, way)
  await client.invites.create(input)
  /* A machine that is busy only closes it later. */
  await new Promise((resolve) => sockets[0]?.on('close', resolve))
  expect(performance.now() - began).toBeGreaterThan(IDLE_MS / 2)
  expect(await client.invites.create(input)).toEqual(invite)
  expect(sockets).toHaveLength(2)
})

test('a response slower than the idle time is waited for', async () => {
  const { url } = await start('http', (response) => {
    setTimeout(() => response.end(CREATED), IDLE_MS + 100)
  })
  const client = clientOf(url)
  /* The second one on the kept connection. */
  for (let count = 1; count <= 2; count += 1) expect(await client.invites.create(input)).toEqual(invite)
})

test.each([
  ['closes it', { connection: 'close' }],
  ['says that it will in a second', { 'keep-alive': 'timeout=1' }],
])('a connection is not reused if the service %s', async (_case, headers) => {
  const { url, sockets } = await start('http', (response) => response.writeHead(200, headers).end(CREATED))
  const client = clientOf(url)
  for (let count = 1; count <= 3; count += 1) expect(await client.invites.create(input)).toEqual(invite)
  expect(sockets).toHaveLength(3)
})
