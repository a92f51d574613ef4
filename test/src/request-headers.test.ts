import { expect, test } from 'vitest'
import { createMockServer, type Fault } from '../../mock-server/index.ts'
import { CertifyClient, type Fetch, type RequestEvent } from '../../src/index.ts'
import type { FetchInit } from '../../src/transport/fetch.ts'
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

test('the headers option is sent with every request, along with the client’s own headers', async () => {
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

test.each(REFUSED)('callers cannot set %s: not in headers or a session, by a value or a function', async (name) => {
  const headers = { [name.toUpperCase()]: 'x' }
  const refusal = (path: string) => ({
    code: 'CONFIG_INVALID',
    outcome: 'not-executed',
    issues: [{ path, rule: `must not set ${name}` }],
  })
  const inSession = (given: unknown) => ({ apiKey: undefined, adminSession: { headers: given } })
  expect(thrownBy(() => setUp({ headers }))).toMatchObject(refusal('headers'))
  expect(thrownBy(() => setUp(inSession(headers)))).toMatchObject(refusal('adminSession.headers'))
  for (const [path, options] of [
    ['headers', { headers: () => headers }],
    ['adminSession.headers', inSession(() => headers)],
  ] as const) {
    const { client, sent, mock } = setUp(options)
    expect(await failureOf(client.invites.create(input))).toMatchObject(refusal(path))
    expect([sent, mock.invites]).toEqual([[], []])
  }
})

test('a headers function is called before each attempt with the operation, the reference and the attempt number', async () => {
  const events: RequestEvent[] = []
  const headers = async (event: RequestEvent) => {
    events.push(event)
    return { 'x-token': `t${event.attempt}` }
  }
  const { client, sent } = setUp({ headers }, [429, 'ok'])
  await client.invites.create(input, { reference: 'mine-1' })
  const facts = { operation: 'invites.create', reference: 'mine-1' }
  expect(events).toEqual([
    { ...facts, attempt: 1 },
    { ...facts, attempt: 2 },
  ])
  expect(events.every((event) => Object.isFrozen(event))).toBe(true)
  expect(sent.map((each) => [each['x-client-reference'], each['x-token']])).toEqual([
    ['mine-1', 't1'],
    ['mine-1', 't2'],
  ])
})

test('in an admin session, the session’s headers take precedence', async () => {
  const server = await startServer(json({ data: { developerCertificationPackageTracks: [] } }))
  const client = new CertifyClient({
    baseUrl: server.url,
    adminSession: { headers: { cookie: 'session' } },
    headers: { Cookie: 'mine', 'x-tenant': 'acme' },
  })
  await client.tracks.list()
  expect(server.received).toMatchObject([{ headers: { cookie: 'session', 'x-tenant': 'acme' } }])
})

test.each<[string, () => unknown]>([
  ['a header with two lines', () => ({ traceparent: 'a\nb' })],
  ['a header without a value', () => ({ traceparent: undefined })],
  ['Headers', () => new Headers({ a: 'b' })],
  ['a string', () => 'a: b'],
  ['nothing', () => undefined],
])('a headers function that returns %s is CONFIG_INVALID: nothing is sent or retried', async (_what, given) => {
  let calls = 0
  const headers = () => {
    calls += 1
    return given()
  }
  const { client, sent, mock } = setUp({ headers })
  const error = await failureOf(client.invites.create(input))
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', outcome: 'not-executed', retryable: false })
  expect([sent, mock.invites, calls]).toEqual([[], [], 1])
})

const cause = new Error('mine')

test.each(['headers', 'adminSession'])(
  'nothing is sent if a header from the function in %s cannot be read: not-executed, with the cause',
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

test('the headers function is called last: if the apiKey function fails, it is not called', async () => {
  const calls: string[] = []
  const { client } = setUp({ apiKey: () => '', headers: () => void calls.push('headers') })
  await failureOf(client.tracks.list())
  expect(calls).toEqual([])
})
