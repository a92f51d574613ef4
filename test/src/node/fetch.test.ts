import { once } from 'node:events'
import { Socket } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { CertifyClient, type Fetch } from '../../../src/index.ts'
import { createFetch, environmentProxy } from '../../../src/node/index.ts'
import { beyond, setEnv, startProxy, startSockets } from '../../bin/sockets.ts'
import { everythingShown, failureOf } from '../failing.ts'
import { json, startServer } from '../http-server.ts'
import { CREATED, input, invite } from '../samples.ts'

function clientOf(baseUrl: string, timeoutMs = 30_000) {
  const fetch = createFetch({ proxy: 'environment' })
  return new CertifyClient({ baseUrl, apiKey: 'ck_1', fetch, retry: false, timeoutMs, allowInsecureHttp: true })
}

test('a request is sent whole and its response comes back', async () => {
  const server = await startServer(json(JSON.parse(CREATED)))
  expect(await clientOf(server.url).invites.create(input)).toEqual(invite)
  expect(server.received[0]).toMatchObject({
    method: 'POST',
    headers: { 'x-api-key': 'ck_1', 'accept-encoding': 'identity' },
  })
})

const encoded = (encoding: string | string[], body: string | Uint8Array) =>
  startServer((response) => void response.setHeader('content-encoding', encoding).end(body))

const FETCHES: readonly (readonly [string, Fetch])[] = [
  ['createFetch', createFetch()],
  ['the runtime’s fetch', (url, init) => fetch(url, init)],
]

describe.each(FETCHES)('with %s', (_name, fetch) => {
  const createAt = (baseUrl: string) =>
    new CertifyClient({ baseUrl, apiKey: 'ck_1', fetch, retry: false }).invites.create(input)

  test.each<[string, string | string[], string | Uint8Array]>([
    ['gzip', 'gzip', gzipSync(CREATED)],
    ['gzip by its old name, in upper case', 'X-GZIP', gzipSync(CREATED)],
    ['deflate', 'deflate', deflateSync(CREATED)],
    ['deflate without its header', 'deflate', deflateRawSync(CREATED)],
    ['br', 'br', brotliCompressSync(CREATED)],
    ['two codings', 'deflate, gzip', gzipSync(deflateSync(CREATED))],
    ['two codings in two headers', ['br', 'gzip'], gzipSync(brotliCompressSync(CREATED))],
    ['a coding and identity', 'identity,gzip', gzipSync(CREATED)],
  ])('a response that nobody asked to encode is read: %s', async (_what, encoding, body) => {
    expect(await createAt((await encoded(encoding, body)).url)).toEqual(invite)
  })

  const BOMB = Buffer.concat([Buffer.from(CREATED), Buffer.alloc(17 * 1024 * 1024, ' ')])

  test.each<[string, string, Uint8Array]>([
    ['cut short', 'gzip', gzipSync(CREATED).subarray(0, 60)],
    ['broken', 'gzip', gzipSync(CREATED).fill(7, 20)],
    ['of another coding', 'br', gzipSync(CREATED)],
    ['of an unknown coding', 'compress', gzipSync(CREATED)],
    ['larger than any response once it is decoded', 'gzip', gzipSync(BOMB)],
    ['larger, in two codings', 'gzip, br', brotliCompressSync(gzipSync(BOMB))],
  ])('an encoded response that cannot be decoded leaves the outcome unknown: %s', async (_what, encoding, body) => {
    const error = await failureOf(createAt((await encoded(encoding, body)).url))
    expect(error).toMatchObject({ code: 'RESPONSE_UNREADABLE', outcome: 'unknown', status: 200 })
  })
})

test.each<[string, string, string | Uint8Array]>([
  ['JSON as it is', 'gzip', CREATED],
  ['JSON as it is, under an unknown coding', 'aws-chunked', CREATED],
  ['a coding that is named twice', 'gzip, gzip', gzipSync(CREATED)],
])('a response is read although its header is wrong: %s', async (_what, encoding, body) => {
  expect(await clientOf((await encoded(encoding, body)).url).invites.create(input)).toEqual(invite)
})

test('a page that was decoded before, and still has the header, keeps the meaning of its status', async () => {
  const server = await startServer((response) => {
    response.writeHead(403, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(gzipSync('<h1>no</h1>'))
  })
  const client = new CertifyClient({ baseUrl: server.url, apiKey: 'ck_1', fetch: (url, init) => fetch(url, init) })
  expect(await failureOf(client.invites.create(input))).toMatchObject({ code: 'FORBIDDEN', outcome: 'not-executed' })
  expect(await failureOf(clientOf(server.url).invites.create(input))).toMatchObject({ code: 'FORBIDDEN' })
})

test('a connection cut after the request arrived leaves the outcome unknown', async () => {
  const port = await startSockets(
    () => {},
    (socket) => socket.resetAndDestroy(),
  )
  const error = await failureOf(clientOf(`http://127.0.0.1:${port}`).invites.create(input))
  expect(error).toMatchObject({ code: 'CONNECTION_LOST', outcome: 'unknown' })
  expect(error.message).toContain('ECONNRESET')
})

test('an unrequested upgrade ends the call at once, with an unknown outcome', async () => {
  const port = await startSockets(
    () => {},
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  )
  const error = await failureOf(clientOf(`http://127.0.0.1:${port}`).invites.create(input))
  expect(error).toMatchObject({ code: 'CONNECTION_LOST', outcome: 'unknown' })
})

test('a refused connection is UNREACHABLE', async () => {
  const error = await failureOf(clientOf('http://127.0.0.1:1').invites.create(input))
  expect(error).toMatchObject({ code: 'UNREACHABLE', outcome: 'not-executed' })
})

test('a TLS handshake that fails, or is never answered, proves that nothing was sent', async () => {
  const plain = await startServer(json({}))
  const overTls = plain.url.replace('http:', 'https:')
  expect(await failureOf(clientOf(overTls).invites.create(input))).toMatchObject({
    code: 'UNREACHABLE',
    outcome: 'not-executed',
  })
  const port = await startSockets(() => {})
  expect(await failureOf(clientOf(`https://127.0.0.1:${port}`, 50).invites.create(input))).toMatchObject({
    code: 'TIMED_OUT',
    outcome: 'not-executed',
    phase: 'not-sent',
  })
  expect(plain.received).toEqual([])
})

test('an abort while connecting proves that nothing was sent; after that the outcome is unknown', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const silent = await startSockets((socket) => socket.once('data', () => controller.abort('enough')))
  const after = await failureOf(clientOf(`http://127.0.0.1:${silent}`).invites.create(input, { signal }))
  expect(after).toMatchObject({ code: 'ABORTED', outcome: 'unknown' })

  const handshake = new AbortController()
  const tls = await startSockets((socket) => socket.once('data', () => handshake.abort('enough')))
  const during = clientOf(`https://127.0.0.1:${tls}`).invites.create(input, { signal: handshake.signal })
  expect(await failureOf(during)).toMatchObject({ code: 'ABORTED', outcome: 'not-executed' })
})

test('an abort closes the socket, so that a program can exit', async () => {
  const controller = new AbortController()
  let ended: () => void = () => {}
  const end = new Promise<void>((resolve) => {
    ended = resolve
  })
  const port = await startSockets((socket) => {
    socket.once('data', () => controller.abort())
    socket.once('close', ended)
  })
  await failureOf(clientOf(`http://127.0.0.1:${port}`).invites.create(input, { signal: controller.signal }))
  await end
  expect(controller.signal.aborted).toBe(true)
})

test('requests go through the CONNECT tunnel of the proxy in the environment, unless NO_PROXY matches', async () => {
  const server = await startServer(json(JSON.parse(CREATED)))
  const proxy = await startProxy()
  const env = setEnv({ HTTP_PROXY: `http://me:word@${proxy.address}` })
  expect(await clientOf(beyond(server.url)).invites.create(input)).toEqual(invite)
  const basic = `Basic ${Buffer.from('me:word').toString('base64')}`
  expect(proxy.asked).toEqual([{ target: new URL(beyond(server.url)).host, authorization: basic }])
  setEnv({ ...env, NO_PROXY: 'certify.test' })
  const error = await failureOf(clientOf(beyond(server.url)).invites.create(input))
  expect(error.message).toContain('ENOTFOUND')
  expect(proxy.asked).toHaveLength(1)
})

test.each<[noProxy: string, direct: readonly string[], proxied: readonly string[]]>([
  ['10.0.0.0/8', ['10.1.2.3', '10.255.0.1:8080', '[::ffff:10.1.2.3]'], ['11.0.0.1', '[a00::1]', 'ten.test']],
  ['x.test, 192.168.7.0/24\t172.16.0.0/12 ', ['x.test', '192.168.7.9', '172.31.0.1'], ['192.168.8.1', '172.32.0.1']],
  ['fe80::/10', ['[fe80::1]', '[FEBF::1]'], ['[fec0::1]', '10.0.0.1']],
  ['[2001:db8::]/32', ['[2001:db8:1::1]'], ['[2001:db9::1]']],
  ['2001:DB8::1', ['[2001:db8::1]', '[2001:db8:0::1]:8443'], ['[2001:db8::2]', '[2001:db8::]']],
  ['2001:db8::8080', ['[2001:db8::8080]'], ['[2001:db8::]:8080']],
  ['[2001:db8::1]:8443', ['[2001:db8::1]:8443'], ['[2001:db8::1]']],
  ['10.0.0.7', ['10.0.0.7', '10.0.0.7:8080'], ['10.0.0.8']],
  ['10.0.0.7:8080', ['10.0.0.7:8080'], ['10.0.0.7']],
  ['.corp.test,*.lab.test', ['a.corp.test', 'b.lab.test'], ['corp.test']],
  ['0.0.0.0/0', ['1.2.3.4'], ['[2001:db8::1]', 'certify.test']],
  ['*', ['1.2.3.4', '[2001:db8::1]', 'certify.test'], []],
  ['10.0.0.0/33, 10.0.0/8, ::/129, /8, :, 10.0.0.0/', [], ['10.0.0.1', '[2001:db8::1]', 'certify.test']],
])('NO_PROXY may list names, addresses and blocks of addresses: %s', async (noProxy, direct, proxied) => {
  for (const name of ['NO_PROXY', 'no_proxy']) {
    setEnv({ HTTPS_PROXY: 'http://proxy.test:3128', NO_PROXY: 'other.test', no_proxy: '', [name]: noProxy })
    const isDirect = async (host: string) => (await environmentProxy(`https://${host}`)) === undefined
    for (const host of direct) expect([host, await isDirect(host)]).toEqual([host, true])
    for (const host of proxied) expect([host, await isDirect(host)]).toEqual([host, false])
  }
  vi.unstubAllEnvs()
})

test.each([
  [30_000, 3000],
  [4000, 1000],
  [500, 250],
])('with a time-out of %i ms, each address of a host has %i ms to connect', async (timeoutMs, attemptMs) => {
  const server = await startServer(json(JSON.parse(CREATED)))
  const proxy = await startProxy()
  const connecting = vi.spyOn(Socket.prototype, 'connect')
  onTestFinished(() => connecting.mockRestore())
  const limits = () => connecting.mock.calls.flat(2).map((each) => Object(each).autoSelectFamilyAttemptTimeout)
  await clientOf(server.url, timeoutMs).invites.create(input)
  await failureOf(clientOf(server.url.replace('http:', 'https:'), timeoutMs).invites.create(input))
  setEnv({ HTTP_PROXY: proxy.address, HTTPS_PROXY: proxy.address })
  await clientOf(beyond(server.url), timeoutMs).invites.create(input)
  await failureOf(clientOf(beyond(server.url).replace('http:', 'https:'), timeoutMs).invites.create(input))
  expect(limits().filter((each) => each !== undefined)).toEqual([attemptMs, attemptMs, attemptMs, attemptMs])
})

test('a proxy without a scheme is an http proxy, for https services too', async () => {
  const server = await startServer(json({}))
  const proxy = await startProxy()
  setEnv({ HTTPS_PROXY: proxy.address })
  const { host } = new URL(beyond(server.url))
  await failureOf(clientOf(`https://${host}`).invites.create(input))
  expect(proxy.asked).toMatchObject([{ target: host }])
})

test('a proxy that answers CONNECT with 502 let nothing through', async () => {
  const server = await startServer(json(JSON.parse(CREATED)))
  const proxy = await startProxy(502)
  setEnv({ http_proxy: proxy.address })
  const error = await failureOf(clientOf(beyond(server.url)).invites.create(input))
  expect(error).toMatchObject({ code: 'UNREACHABLE', outcome: 'not-executed' })
  expect(error.message).toContain('PROXY_RESPONDED_502')
  expect(server.received).toEqual([])
})

test('if a proxy never opens the tunnel, the call times out unsent and its connection is closed', async () => {
  const sockets: Socket[] = []
  const port = await startSockets((socket) => sockets.push(socket.resume()))
  setEnv({ HTTP_PROXY: `http://127.0.0.1:${port}` })
  const error = await failureOf(clientOf('http://certify.test', 50).invites.create(input))
  expect(error).toMatchObject({ code: 'TIMED_OUT', outcome: 'not-executed', phase: 'not-sent' })
  await once(sockets[0] as Socket, 'close')
})

test('a proxy that closes the connection instead of opening a tunnel let nothing through', async () => {
  const port = await startSockets(
    () => {},
    (socket) => socket.end(),
  )
  setEnv({ HTTP_PROXY: `http://127.0.0.1:${port}` })
  const error = await failureOf(clientOf('http://certify.test').invites.create(input))
  expect(error).toMatchObject({ code: 'UNREACHABLE', outcome: 'not-executed' })
})

test.each([
  ['a password that is not percent-encoded', 'me:canary%', 'PROXY_INVALID'],
  ['a proxy that refuses the password', 'me:canary', 'PROXY_RESPONDED_407'],
])('a proxy password appears in no error: %s', async (_case, credentials, reason) => {
  const proxy = await startProxy(407)
  setEnv({ HTTP_PROXY: `http://${credentials}@${proxy.address}` })
  const error = await failureOf(clientOf('http://certify.test').invites.create(input))
  expect(error).toMatchObject({ code: 'UNREACHABLE', outcome: 'not-executed' })
  expect(error.message).toContain(reason)
  expect(everythingShown(error)).not.toContain('canary')
})

test('a connection through a proxy, cut after the request arrived, leaves the outcome unknown', async () => {
  const port = await startSockets(
    () => {},
    (socket) => socket.resetAndDestroy(),
  )
  const proxy = await startProxy()
  setEnv({ HTTP_PROXY: `http://${proxy.address}` })
  const error = await failureOf(clientOf(`http://certify.test:${port}`).invites.create(input))
  expect(error).toMatchObject({ code: 'CONNECTION_LOST', outcome: 'unknown' })
})

test('a failed TLS handshake through a proxy proves that nothing was sent', async () => {
  const server = await startServer(json({}))
  const proxy = await startProxy()
  setEnv({ HTTPS_PROXY: `http://${proxy.address}` })
  const url = beyond(server.url).replace('http:', 'https:')
  const error = await failureOf(clientOf(url).invites.create(input))
  expect(error).toMatchObject({ code: 'UNREACHABLE', outcome: 'not-executed' })
  expect(proxy.asked).toHaveLength(1)
})

test('a proxy that is down, or is not a URL, means that nothing was sent', async () => {
  for (const proxy of ['http://127.0.0.1:1', 'http://[']) {
    setEnv({ HTTP_PROXY: proxy })
    const error = await failureOf(clientOf('http://certify.test').invites.create(input))
    expect(error).toMatchObject({ code: 'UNREACHABLE', outcome: 'not-executed' })
  }
  vi.unstubAllEnvs()
})

test.each(['socks5://127.0.0.1', 'socks://127.0.0.1', 'ftp://127.0.0.1', 'pac+http://127.0.0.1'])(
  'a proxy with an unsupported scheme is refused, and nothing is sent to it: %s',
  async (address) => {
    const asked: unknown[] = []
    const port = await startSockets((socket) => socket.once('data', (data) => asked.push(data)))
    setEnv({ HTTP_PROXY: `${address}:${port}` })
    const error = await failureOf(clientOf('http://certify.test').invites.create(input))
    vi.unstubAllEnvs()
    expect(error).toMatchObject({ code: 'UNREACHABLE', outcome: 'not-executed' })
    expect(error.message).toContain('PROXY_UNSUPPORTED')
    expect(asked).toEqual([])
  },
)

test('loopback hosts are never reached through a proxy', async () => {
  const server = await startServer(json(JSON.parse(CREATED)))
  const proxy = await startProxy()
  setEnv({ HTTP_PROXY: `http://${proxy.address}`, ALL_PROXY: `http://${proxy.address}` })
  for (const host of ['127.0.0.1', 'localhost', '127.1']) {
    const url = server.url.replace('127.0.0.1', host)
    expect(await clientOf(url).invites.create(input)).toEqual(invite)
  }
  const error = await failureOf(clientOf('http://[::1]:1').invites.create(input))
  expect(error).toMatchObject({ code: 'UNREACHABLE' })
  expect(proxy.asked).toEqual([])
})
