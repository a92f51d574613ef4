import http, { Agent, ClientRequest } from 'node:http'
import https from 'node:https'
import { Duplex } from 'node:stream'
import { http as answerTo, HttpResponse, passthrough } from 'msw'
import { setupServer } from 'msw/node'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { CertifyClient } from '../../../src/index.ts'
import { createFetch } from '../../../src/node/index.ts'
import { clientBy, manualClock } from '../clock.ts'
import { failureOf } from '../failing.ts'
import { json, startServer } from '../http-server.ts'
import { input } from '../samples.ts'

/* Not executed only with proof: of what something else has put in the place of our own sockets, nothing is known. */

const LISTING = { data: { developerCertificationPackageTracks: [] } }

afterEach(() => void vi.restoreAllMocks())

/* A client that retries, and how many requests its `fetch` was given. */
function clientOf(baseUrl: string, options: object = {}) {
  const own = createFetch()
  const sent = { count: 0 }
  const fetch: typeof own = (url, init) => {
    sent.count += 1
    return own(url, init)
  }
  const clock = manualClock()
  return { client: clientBy(clock, { baseUrl, apiKey: 'k', fetch, allowInsecureHttp: true, ...options }), sent, clock }
}

/* As an interceptor does: requests get its agent, whatever agent they ask for. */
function intercept(connect: () => Duplex) {
  for (const module of [http, https]) {
    vi.spyOn(module, 'request').mockImplementation((url: unknown, options: unknown) => {
      const { hostname, pathname } = url as URL
      const agent = new Agent()
      agent.createConnection = connect
      return new ClientRequest({ ...Object(options), host: hostname, path: pathname, protocol: 'http:', agent })
    })
  }
}

const BASES = ['http://service.internal:8080', 'https://service.internal']

test.each(BASES)('a request that an interceptor takes counts as sent, whatever its socket says: %s', async (base) => {
  for (const facts of [{}, { connecting: true }, { connecting: true, readyState: 'opening' }, { pending: true }]) {
    let bytes = 0
    intercept(() => {
      const socket = new Duplex({
        read() {},
        write(chunk: Buffer, _encoding, done) {
          bytes += chunk.length
          setImmediate(() => socket.destroy(new Error('lost')))
          done()
        },
      })
      return Object.assign(socket, facts)
    })
    const { client, sent } = clientOf(base)
    const error = await failureOf(client.invites.create(input))
    expect(error).toMatchObject({ code: 'CONNECTION_LOST', outcome: 'unknown', attempts: 1 })
    expect([sent.count, bytes > 0]).toEqual([1, true])
  }
})

test.each(BASES)('a request that an interceptor takes and never answers ends as unknown: %s', async (base) => {
  for (const end of ['timeOut', 'abort'] as const) {
    const controller = new AbortController()
    const { client, clock } = clientOf(base)
    intercept(
      () =>
        new Duplex({
          read() {},
          write(_chunk, _encoding, done) {
            done()
            setImmediate(() => (end === 'abort' ? controller.abort() : clock.timeOut()))
          },
        }),
    )
    const error = await failureOf(client.invites.create(input, { signal: controller.signal }))
    expect(error).toMatchObject({ code: end === 'abort' ? 'ABORTED' : 'TIMED_OUT', outcome: 'unknown', attempts: 1 })
  }
})

test.each(BASES)('the time is checked before an interceptor gets a byte, without a connect: %s', async (base) => {
  let bytes = 0
  const clock = manualClock()
  let late = 0
  intercept(() => {
    late = 1e9
    return new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        bytes += chunk.length
        done()
      },
    })
  })
  const elapsed = () => clock.elapsed() + late
  const fetch = createFetch()
  const options = { baseUrl: base, apiKey: 'k', fetch, allowInsecureHttp: true, retry: false } as const
  const error = await failureOf(clientBy({ ...clock, elapsed }, options).invites.create(input))
  expect(error.outcome).toBe('not-executed')
  expect(bytes).toBe(0)
})

test.each(BASES)('a request object that gives no sign of a socket counts as sent: %s', async (base) => {
  for (const module of [http, https]) {
    vi.spyOn(module, 'request').mockImplementation((() => {
      const request = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
      setImmediate(() => request.destroy(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })))
      return request
    }) as never)
  }
  const { client, sent } = clientOf(base)
  expect(await failureOf(client.invites.create(input))).toMatchObject({ code: 'CONNECTION_LOST', outcome: 'unknown' })
  expect(sent.count).toBe(1)
})

test.each([
  ['a refused connection', { code: 'ECONNREFUSED', syscall: 'connect' }],
  ['an unknown name', { code: 'ENOTFOUND', syscall: 'getaddrinfo' }],
  ['a certificate', { code: 'CERT_HAS_EXPIRED' }],
])('%s that an interceptor reports is proof that nothing was sent', async (_what, facts) => {
  intercept(() => {
    const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
    setImmediate(() => socket.destroy(Object.assign(new Error('no'), facts)))
    return socket
  })
  const { client, sent } = clientOf('http://service.internal')
  expect(await failureOf(client.invites.create(input))).toMatchObject({ code: 'UNREACHABLE', outcome: 'not-executed' })
  expect(sent.count).toBe(3)
})

test('node:http and node:https are read when a request is made: what replaces them sees each one', async () => {
  const server = await startServer(json(LISTING))
  const { client } = clientOf(server.url)
  await client.tracks.list()
  const seen = vi.spyOn(http, 'request')
  await client.tracks.list()
  expect(seen).toHaveBeenCalledTimes(1)
  seen.mockRestore()
  const overTls = vi.spyOn(https, 'request')
  await failureOf(clientOf(server.url.replace('http', 'https')).client.tracks.list())
  expect(overTls).toHaveBeenCalledTimes(3)
})

test('a tool that wraps http.request, as an APM agent does, changes no outcome', async () => {
  const original = http.request
  vi.spyOn(http, 'request').mockImplementation((...given: Parameters<typeof original>) =>
    original(...given).on('socket', () => {}),
  )
  const server = await startServer((response) => response.destroy())
  expect(await failureOf(clientOf(server.url).client.invites.create(input))).toMatchObject({ outcome: 'unknown' })
  const refused = clientOf('http://127.0.0.1:1')
  expect(await failureOf(refused.client.invites.create(input))).toMatchObject({ code: 'UNREACHABLE' })
  expect(refused.sent.count).toBe(3)
})

test('what MSW lets through reaches a server, keeps its proof, and loses none', async () => {
  const msw = setupServer()
  msw.listen({ onUnhandledRequest: 'bypass' })
  onTestFinished(() => msw.close())
  const server = await startServer(json(LISTING))
  expect(await clientOf(server.url).client.tracks.list()).toEqual([])
  msw.use(answerTo.all('*', () => passthrough()))
  expect(await clientOf(server.url).client.tracks.list()).toEqual([])
  for (const baseUrl of ['http://127.0.0.1:1', 'https://127.0.0.1:1', 'http://name.invalid']) {
    const { client, sent } = clientOf(baseUrl)
    expect(await failureOf(client.invites.create(input))).toMatchObject({ code: 'UNREACHABLE' })
    expect(sent.count).toBe(3)
  }
  const cut = await startServer((response) => response.destroy())
  expect(await failureOf(clientOf(cut.url).client.invites.create(input))).toMatchObject({
    code: 'CONNECTION_LOST',
    outcome: 'unknown',
    attempts: 1,
  })
})

test.each(BASES)('an error of an MSW handler leaves a create unknown, and it is not sent again: %s', async (base) => {
  const msw = setupServer(answerTo.all('*', () => HttpResponse.error()))
  msw.listen()
  onTestFinished(() => msw.close())
  const { client, sent } = clientOf(base)
  expect(await failureOf(client.invites.create(input))).toMatchObject({ code: 'CONNECTION_LOST', outcome: 'unknown' })
  expect(sent.count).toBe(1)
})

test.each(['http://255.255.255.255', 'http://224.0.0.1:8080', 'http://[ff02::1]', 'https://255.255.255.255'])(
  'a connection that fails at once is UNREACHABLE, not executed: %s',
  async (base) => {
    const { client, sent } = clientOf(base)
    expect(await failureOf(client.invites.create(input))).toMatchObject({
      code: 'UNREACHABLE',
      outcome: 'not-executed',
    })
    expect(sent.count).toBe(3)
  },
)

test('a connection that the runtime forbids is UNREACHABLE, not executed', async () => {
  vi.spyOn(Agent.prototype, 'createConnection').mockImplementation(() => {
    throw Object.assign(new Error('no'), { code: 'ERR_ACCESS_DENIED' })
  })
  const { client, sent } = clientOf('http://127.0.0.1:9')
  expect(await failureOf(client.invites.create(input))).toMatchObject({ code: 'UNREACHABLE', outcome: 'not-executed' })
  expect(sent.count).toBe(3)
})

test.each([
  [
    'no agent can be made',
    () =>
      vi.spyOn(http, 'Agent').mockImplementation(() => {
        throw new ReferenceError('x')
      }),
  ],
  ['node:http is not there', () => vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never)],
])('what fails before the request is made is not executed: %s', async (_what, breaks) => {
  breaks()
  const { client } = clientOf('http://127.0.0.1:9')
  expect(await failureOf(client.invites.create(input))).toMatchObject({ code: 'UNREACHABLE', outcome: 'not-executed' })
})

test('a runtime without fetch is CONFIG_INVALID, not executed', async () => {
  vi.stubGlobal('fetch', undefined)
  onTestFinished(() => void vi.unstubAllGlobals())
  const client = new CertifyClient({ baseUrl: 'https://certify.test', apiKey: 'k' })
  expect(await failureOf(client.invites.create(input))).toMatchObject({
    code: 'CONFIG_INVALID',
    outcome: 'not-executed',
    message: 'invites.create: this runtime has no `fetch`.',
  })
})
