import { expect, test } from 'vitest'
import { createMockServer, type Fault } from '../../mock-server/index.ts'
import { CertifyClient, type Fetch, type FetchInit, type OnRequest, type RequestEvent } from '../../src/index.ts'
import { clientBy, manualClock } from './clock.ts'
import { failureOf, thrownBy } from './failing.ts'
import { json, startServer } from './http-server.ts'

const input = { quizId: 'quiz_react_beginner_state', candidate: { email: 'ada@example.com' } }

/* A client of a mock, and the headers of every request that it sent. */
function setUp(options: object, script: readonly (Fault | 'ok')[] = []) {
  const mock = createMockServer()
  if (script.length > 0) mock.faults.add({ script })
  const sent: FetchInit['headers'][] = []
  const fetch: Fetch = (url, init) => {
    sent.push(init.headers)
    return mock.fetch(url, init)
  }
  const client = clientBy(manualClock(), { baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch, ...options })
  return { mock, client, sent }
}

test('the headers of the option reach the service with every request, beside those of the client', async () => {
  const server = await startServer(json({ data: { developerCertificationPackageTracks: [] } }))
  const headers = { 'X-Tenant': 'acme', authorization: 'Bearer gateway', cookie: 'route=1' }
  const client = new CertifyClient({ baseUrl: server.url, apiKey: 'ck_1', headers })
  await client.tracks.list()
  await client.request('{ developerCertificationPackageTracks { slug } }')
  expect(server.received).toHaveLength(2)
  for (const { headers: received } of server.received) {
    expect(received).toMatchObject({
      'x-tenant': 'acme',
      authorization: 'Bearer gateway',
      cookie: 'route=1',
      'x-api-key': 'ck_1',
      'content-type': 'application/json',
    })
  }
})

test('a function for the headers is called before each attempt', async () => {
  let calls = 0
  const byCall = async () => {
    calls += 1
    return { 'x-token': `t${calls}` }
  }
  const { client, sent } = setUp({ headers: byCall }, [503, 'ok'])
  await client.tracks.list()
  expect(sent.map((headers) => headers['x-token'])).toEqual(['t1', 't2'])
})

const REFUSED = [
  'accept',
  'content-type',
  'user-agent',
  'x-api-key',
  'x-client-reference',
  'connection',
  'content-length',
  'host',
  'transfer-encoding',
  'upgrade',
  'accept-encoding',
  'content-encoding',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'proxy-authorization',
  'proxy-connection',
]

test.each(REFUSED)(
  'nobody but the client sets %s: not at construction, not by a function, not by onRequest',
  async (name) => {
    const headers = { [name.toUpperCase()]: 'x' }
    expect(thrownBy(() => setUp({ headers }))).toMatchObject({
      code: 'CONFIG_INVALID',
      outcome: 'not-executed',
      issues: [{ path: 'headers', rule: `must not set ${name}` }],
    })
    for (const option of ['headers', 'onRequest']) {
      const { client, sent, mock } = setUp({ [option]: () => headers })
      expect(await failureOf(client.invites.create(input))).toMatchObject({
        code: 'CONFIG_INVALID',
        outcome: 'not-executed',
        issues: [{ path: option, rule: `must not set ${name}` }],
      })
      expect([sent, mock.invites]).toEqual([[], []])
    }
  },
)

test('onRequest knows the operation, the reference and the attempt, and nothing else', async () => {
  const events: RequestEvent[] = []
  const { client, sent } = setUp({ onRequest: (event: RequestEvent) => void events.push(event) }, [429, 'ok'])
  await client.invites.create(input, { reference: 'mine-1' })
  const facts = { operation: 'invites.create', reference: 'mine-1' }
  expect(events).toEqual([
    { ...facts, attempt: 1 },
    { ...facts, attempt: 2 },
  ])
  expect(events.every((event) => Object.isFrozen(event))).toBe(true)
  expect(sent.map((headers) => headers['x-client-reference'])).toEqual(['mine-1', 'mine-1'])
})

test('what onRequest returns is sent with that attempt, and overrides the option', async () => {
  const onRequest: OnRequest = async ({ attempt }) =>
    attempt === 1 ? { 'X-Who': 'one', Traceparent: '00-1' } : undefined
  const { client, sent } = setUp({ headers: { 'x-who': 'all' }, onRequest }, [503, 'ok'])
  await client.tracks.list()
  expect(sent.map(({ 'x-who': who, traceparent }) => [who, traceparent])).toEqual([
    ['one', '00-1'],
    ['all', undefined],
  ])
})

test('in an admin session, a header of the session takes precedence', async () => {
  const server = await startServer(json({ data: { developerCertificationPackageTracks: [] } }))
  const client = new CertifyClient({
    baseUrl: server.url,
    adminSession: { headers: { cookie: 'session' } },
    headers: { Cookie: 'mine', 'x-tenant': 'acme' },
    onRequest: () => ({ cookie: 'mine too' }),
  })
  await client.tracks.list()
  expect(server.received).toMatchObject([{ headers: { cookie: 'session', 'x-tenant': 'acme' } }])
})

const cause = new Error('mine')
test.each<[string, unknown]>([
  ['returns a header with two lines', () => ({ traceparent: 'a\nb' })],
  ['returns a header without a value', () => ({ traceparent: undefined })],
  ['returns Headers', () => new Headers({ a: 'b' })],
  ['returns a string', () => 'a: b'],
])('nothing is sent if onRequest %s: CONFIG_INVALID, not-executed, no other attempt', async (_what, onRequest) => {
  let calls = 0
  const counted = () => {
    calls += 1
    return (onRequest as () => unknown)()
  }
  const { client, sent, mock } = setUp({ onRequest: counted })
  const error = await failureOf(client.invites.create(input))
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', outcome: 'not-executed', retryable: false })
  expect([sent, mock.invites, calls]).toEqual([[], [], 1])
})

test.each(['headers', 'onRequest', 'adminSession'])(
  'nothing is sent if a header from the function of %s cannot be read: not-executed, with the cause',
  async (option) => {
    const unreadable = () => ({
      get authorization(): string {
        throw cause
      },
    })
    const options = option === 'adminSession' ? { apiKey: undefined, adminSession: { headers: unreadable } } : undefined
    const { client, sent } = setUp(options ?? { [option]: unreadable })
    const error = await failureOf(client.invites.create(input))
    expect(error).toMatchObject({ code: 'CREDENTIALS_UNAVAILABLE', outcome: 'not-executed', cause })
    expect(sent).toEqual([])
  },
)

test('if onRequest fails before the second attempt and later, no second request is sent', async () => {
  const onRequest: OnRequest = ({ attempt }) => {
    if (attempt > 1) throw cause
  }
  const { client, sent, mock } = setUp({ onRequest }, [429])
  const error = await failureOf(client.invites.create(input))
  expect(error).toMatchObject({ code: 'CREDENTIALS_UNAVAILABLE', outcome: 'not-executed', cause })
  expect([sent.length, mock.invites.length]).toEqual([1, 0])
})

test('onRequest counts to the time limit of the attempt: nothing is sent, now or later', async () => {
  let finish = (_headers: Record<string, string>) => {}
  const onRequest: OnRequest = () => new Promise((resolve) => (finish = resolve))
  const { client, sent } = setUp({ onRequest, timeoutMs: 10, retry: false })
  const error = await failureOf(client.invites.create(input))
  expect(error).toMatchObject({ code: 'TIMED_OUT', outcome: 'not-executed', phase: 'not-sent' })
  finish({ late: 'yes' })
  await new Promise((resolve) => setImmediate(resolve))
  expect(sent).toEqual([])
})

test.each<[string, () => unknown]>([
  ['returns after it', () => undefined],
  ['never returns', () => new Promise(() => {})],
  ['throws because of it', () => Promise.reject(cause)],
])('an abort while onRequest runs sends nothing, and is told as one: it %s', async (_what, end) => {
  const controller = new AbortController()
  const onRequest = () => {
    controller.abort()
    return end()
  }
  const { client, sent } = setUp({ onRequest })
  const error = await failureOf(client.invites.create(input, { signal: controller.signal }))
  expect(error).toMatchObject({ code: 'ABORTED', outcome: 'not-executed', phase: 'not-sent' })
  expect(sent).toEqual([])
})

test('onRequest is the last of the caller’s functions: if the function for the key fails, it is not called', async () => {
  const calls: string[] = []
  const { client } = setUp({ apiKey: () => '', onRequest: () => void calls.push('onRequest') })
  await failureOf(client.tracks.list())
  expect(calls).toEqual([])
})

test('an added header is optional: no headers in the option, nothing returned by onRequest', async () => {
  for (const nothing of [undefined, null, {}]) {
    const { client, sent } = setUp({ headers: {}, onRequest: () => nothing })
    await client.tracks.list()
    expect(Object.keys(sent[0] ?? {}).toSorted()).toEqual([
      'accept',
      'content-type',
      'user-agent',
      'x-api-key',
      'x-client-reference',
    ])
  }
})
