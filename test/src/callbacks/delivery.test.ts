import { createServer, request as httpRequest } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import type { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createMockServer } from '../../../mock-server/index.ts'
import { callbackUrls, createCallbackHandler, type ReceivedEvent } from '../../../src/callbacks/index.ts'
import type { NodeListener } from '../../../src/callbacks/node-listener.ts'
import { all, clientOf, freshLedger, QUIZ, standingClock } from '../ledger/setting.ts'

const urls = callbackUrls({ baseUrl: 'https://app.example/certify', secrets: ['a secret of thirty-two characters'] })
const CANDIDATES = 40
/* Everything here goes over HTTP, on a machine that may be busy. */
vi.setConfig({ testTimeout: 60_000 })

/** A receiver on node:http behind the callback URLs of a mock. */
async function receiving() {
  const ledger = await freshLedger(standingClock())
  const handled: ReceivedEvent[] = []
  const handler = createCallbackHandler({
    callbacks: urls,
    inbox: ledger.inbox,
    onEvent: async (event) => void handled.push(event),
  })
  const server = createServer(handler.listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(async () => {
    await handler.close()
    server.closeAllConnections()
    server.close()
  })
  const mock = createMockServer({
    now: '2030-01-01T00:00:00Z',
    callbacks: { hosts: { 'https://app.example': origin } },
  })
  const guarded = clientOf(mock, { callbacks: urls, ledger })
  return { mock, guarded, handler, handled, origin }
}

test('over HTTP each event of each candidate is handled once, whatever happens to its deliveries', async () => {
  const { mock, guarded, handler, handled } = await receiving()
  mock.faults.add({ event: 'any', fault: 'duplicate', probability: 0.3, times: 1_000 })
  mock.faults.add({ event: 'any', fault: 'refuse', probability: 0.2, times: 1_000 })
  mock.faults.add({ event: 'certification.follow_up_claimed', fault: 'reorder', probability: 0.5, times: 1_000 })
  mock.faults.add({ event: 'any', fault: { delay: '2s' }, probability: 0.2, times: 1_000 })
  for (const fault of ['forged', 'truncated', 'huge'] as const) {
    mock.faults.add({ event: 'any', fault, probability: 0.1, times: 1_000 })
  }
  for (let number = 0; number < CANDIDATES; number += 1) {
    const candidate = { email: `c${number}@example.com` }
    const { challengeUrl } = await guarded.invites.create({ quizId: QUIZ, candidate })
    const challenge = mock.open(challengeUrl)
    challenge.fail()
    mock.open(challenge.claim('retake').challengeUrl).pass()
  }
  for (let hour = 0; hour < 12; hour += 1) {
    await mock.settle()
    await mock.clock.advance('1h')
  }
  await mock.settle()
  await handler.drain()
  const byReference = new Map<string, ReceivedEvent[]>()
  for (const event of handled) byReference.set(event.reference, [...(byReference.get(event.reference) ?? []), event])
  expect(byReference.size).toBe(CANDIDATES)
  for (const events of byReference.values()) {
    const results = events.flatMap((event) => (event.type === 'certification.completed' ? [event] : []))
    expect(events).toHaveLength(3)
    expect(results.map(({ result }) => result).toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
      'FAILED',
      'PASSED',
    ])
  }
  const attempts = mock.callbacks.list().map((event) => event.attempts.length)
  expect(attempts.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(3 * CANDIDATES)
})

test('over HTTP the server answers a forged token, a large body and a probe, and keeps running', async () => {
  const { handler, handled, origin } = await receiving()
  const path = new URL(await urls.mint('req-1')).pathname
  const post = async (target: string, body: string, type = 'application/json') => {
    const answer = await fetch(origin + target, { method: 'POST', body, headers: { 'content-type': type } }).catch(
      () => undefined,
    )
    return answer?.status
  }
  const huge = `"${'x'.repeat(5_000_000)}"`
  expect(await post('/certify/cmVx.AAAA', '{}')).toBe(404)
  expect([404, undefined]).toContain(await post('/certify/cmVx.AAAA', huge))
  expect([413, undefined]).toContain(await post(path, huge))
  expect(await post(path, '{', 'application/json')).toBe(400)
  expect((await fetch(origin + path)).status).toBe(200)
  expect((await fetch(origin + path, { method: 'POST' })).status).toBe(200)
  expect(await post(path, '{"type":"certification.completed","data":{"inviteId":"inv_1"}}')).toBe(200)
  await handler.drain()
  expect(handled).toMatchObject([{ inviteId: 'inv_1', reference: 'req-1' }])
})

const EVENT = '{"id":"evt_1","type":"certification.completed","data":{"inviteId":"inv_canary","result":"PASSED"}}'

/** A server in which something else runs before the handler, and what the handler has handled and reported. */
async function mounted(newServer: (listener: NodeListener) => Server, read: (request: Readable) => Promise<unknown>) {
  const failures: unknown[] = []
  const handled: ReceivedEvent[] = []
  const { inbox } = await freshLedger()
  const onEvent = async (event: ReceivedEvent) => void handled.push(event)
  const handler = createCallbackHandler({ callbacks: urls, inbox, onEvent, onFailure: (error) => failures.push(error) })
  const server = newServer((request, response) => {
    void read(request as unknown as Readable).then(() => handler.listener(request, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    await handler.close()
    server.close()
  })
  return { handler, inbox, handled, failures, port: (server.address() as AddressInfo).port }
}

test.each<[string, boolean, (request: Readable) => Promise<unknown>]>([
  ['express.json() and express.raw() read it', false, readByEvents],
  ['the default parser of Fastify reads it as text', false, (request) => readByEvents(request.setEncoding('utf8'))],
  ['a middleware reads it to its end', false, (request) => buffer(request)],
  ['a middleware reads its beginning', false, readBeginning],
  ['a middleware reads one without a declared length', true, readByEvents],
])(
  'over HTTP an event whose body was already read is not acknowledged, and the report says what to do: %s',
  async (_what, isChunked, read) => {
    const { port, inbox, failures } = await mounted(createServer, read)
    const { pathname } = new URL(await urls.mint('req-canary'))
    const length = isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': `${EVENT.length}` }
    const headers = { 'content-type': 'application/json', ...length }
    const status = await new Promise((resolve, reject) => {
      const options = { port, host: '127.0.0.1', method: 'POST', path: pathname, headers }
      httpRequest(options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end(EVENT)
    })
    expect([status, failures]).toEqual([500, [expect.objectContaining({ message: MOUNT_FIRST })]])
    expect(String(failures)).not.toContain('canary')
    expect(await all(inbox.list())).toEqual([])
  },
)

test.each([
  ['is stored', async () => {}, 200, ['inv_canary']],
  ['is not acknowledged if something else has read its body', readByEvents, 500, []],
])(
  'over HTTP/2, where a length need not be declared, an event %s',
  async (_what, read: (request: Readable) => Promise<unknown>, status, stored) => {
    const { port, handler, handled } = await mounted(createHttp2Server, read)
    const session = connect(`http://127.0.0.1:${port}`)
    onTestFinished(() => session.close())
    const { pathname } = new URL(await urls.mint('req-1'))
    const stream = session.request({ ':method': 'POST', ':path': pathname, 'content-type': 'application/json' })
    const answered = new Promise((resolve, reject) => {
      stream.on('response', (headers) => resolve(headers[':status'])).on('error', reject)
    })
    stream.end(EVENT)
    expect(await answered).toBe(status)
    await text(stream)
    await handler.drain()
    expect(handled.map((event) => 'inviteId' in event && event.inviteId)).toEqual(stored)
  },
)

const MOUNT_FIRST = expect.stringContaining('before express.json()')

function readByEvents(request: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    request
      .on('data', () => {})
      .on('end', resolve)
      .on('error', reject)
  })
}

async function readBeginning(request: Readable): Promise<void> {
  while (request.read(5) === null) await new Promise((resolve) => request.once('readable', resolve))
}
