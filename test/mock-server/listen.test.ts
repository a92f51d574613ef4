import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { MockListener, MockServer } from '../../mock-server/contract/mock-server.ts'
import type { MockListenOptions } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { CREATE, INES, keyOf, QUIZ } from './calls.ts'

async function listen(mock: MockServer, options?: MockListenOptions): Promise<MockListener> {
  const listener = await mock.listen(options)
  onTestFinished(() => listener.close())
  return listener
}

function create(mock: MockServer, endpoint: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': keyOf(mock, 'full'), ...headers },
    body: JSON.stringify({ query: CREATE, variables: { input: { quizId: QUIZ, candidate: INES } } }),
  })
}

/** Writes raw bytes and returns everything that arrives until the connection ends. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => {})
  socket.end(bytes)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString()
}

test('a listener serves the same world over HTTP, on a free loopback port', async () => {
  const mock = createMockServer()
  const listener = await listen(mock)
  expect(listener.url).toBe(`http://127.0.0.1:${listener.port}`)
  expect(listener.endpoint).toBe(`${listener.url}/api/developer/graphql`)
  const response = await create(mock, listener.endpoint)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  expect(mock.invites).toHaveLength(1)
})

/** Creates an invite with this Host header, and returns its link. */
async function linkBy(host: string, options?: MockListenOptions): Promise<{ link: string; url: string }> {
  const mock = createMockServer()
  const { url, port } = await listen(mock, options)
  const body = JSON.stringify({ query: CREATE, variables: { input: { quizId: QUIZ, candidate: INES } } })
  const head = `POST /api/developer/graphql HTTP/1.1\r\nhost: ${host}\r\nx-api-key: ${keyOf(mock, 'full')}`
  const rest = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  expect(await raw(port, `${head}\r\n${rest}`)).toContain('200 OK')
  return { link: mock.invites[0]?.challengeUrl ?? '', url }
}

test.each(['evil.example', 'localhost:99999', 'localhost/x', ''])(
  'links created through a listener start with its own url, whatever the Host header says: %j',
  async (host) => {
    const { link, url } = await linkBy(host)
    expect(link.startsWith(`${url}/challenge/`)).toBe(true)
    expect((await fetch(link)).status).toBe(200)
  },
)

test.each(['localhost:32771', 'app.localhost', '[::1]:4010', 'mock:4010'])(
  'a link starts with the address that the client used, if its host is a known one: %s',
  async (host) => {
    const { link } = await linkBy(host, { allowHosts: ['mock'] })
    expect(link.startsWith(`http://${host}/challenge/`)).toBe(true)
  },
)

test('a port in use is an EADDRINUSE error that names it', async () => {
  const mock = createMockServer()
  const { port } = await listen(mock)
  const second = createMockServer().listen({ port })
  await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE', message: expect.stringContaining(String(port)) })
})

test('mock.close() leaves no socket: every listener frees its port, even one that is just opening', async () => {
  const mock = createMockServer()
  const opened = [await mock.listen(), await mock.listen()]
  await Promise.all(opened.map(({ endpoint }) => create(mock, endpoint)))
  mock.faults.add({ fault: 'hang' })
  const hanging = Promise.allSettled([create(mock, opened[0]?.endpoint ?? '')])
  const [used, idle] = opened.map(({ port }) => connect(port, '127.0.0.1'))
  used?.write('GET /__mock/health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
  await Promise.all([used && once(used, 'data'), idle && once(idle, 'connect')])
  const ended = Promise.all([used, idle].map(async (socket) => socket && once(socket.resume(), 'close')))
  const opening = mock.listen()
  await mock.close()
  await ended
  expect(await hanging).toMatchObject([{ status: 'rejected', reason: { message: 'fetch failed' } }])
  for (const { endpoint } of [...opened, await opening]) {
    await expect(create(mock, endpoint)).rejects.toThrow('fetch failed')
  }
})

test('a closed mock can be closed again, called in process, and served again', async () => {
  const mock = createMockServer()
  await mock.close()
  await (await mock.listen()).close()
  await mock.close()
  expect((await mock.fetch(mock.endpoint, { method: 'PUT' })).status).toBe(405)
  const { endpoint } = await listen(mock)
  expect((await create(mock, endpoint)).status).toBe(200)
})

test('a body over 1 MiB gets 413, whether or not its length was announced', async () => {
  const mock = createMockServer()
  const { endpoint } = await listen(mock)
  const headers = { 'content-type': 'application/json' }
  const body = ' '.repeat(1024 * 1024 + 1)
  const streamed = new Blob([body]).stream()
  expect((await fetch(endpoint, { method: 'POST', headers, body })).status).toBe(413)
  expect((await fetch(endpoint, { method: 'POST', headers, body: streamed, duplex: 'half' })).status).toBe(413)
})

test.each(['/x?/__mock/state', '/__mock/state'])(
  'a path outside the control API accepts no large body, whatever its query: POST %s',
  async (target) => {
    const mock = createMockServer()
    const { url } = await listen(mock, { control: false })
    await fetch(url + target, { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) })
    expect(mock.requestLog.list()).toMatchObject([{ status: 404, body: null }])
  },
)

test.each([
  ['GET //[ HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', '404'],
  ['GET http://[/ HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', '404'],
  ['GET /%zz%00 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', '404'],
  ['OPTIONS * HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', '404'],
  ['PURGE /api/developer/graphql HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', '405'],
  ['CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n', ''],
  ['NONSENSE\r\n\r\n', '400'],
  ['\u0000\u0001\u0002', '400'],
  ['POST /api/developer/graphql HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nshort', ''],
  ['POST /api/developer/graphql HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', ''],
])('%j does not crash the server', async (bytes, status) => {
  const mock = createMockServer()
  const { endpoint, port } = await listen(mock)
  const answer = await raw(port, bytes)
  expect(answer).toContain(status)
  expect(answer).not.toContain(' 500 ')
  expect((await create(mock, endpoint)).status).toBe(200)
})
