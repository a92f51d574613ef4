import { expect, test } from 'vitest'
import { createMockServer, type Fault } from '../../mock-server/index.ts'
import type { Fetch } from '../../src/index.ts'
import { FAILURES, type FailureKind } from '../../src/transport/failures.ts'
import { readRetryAfter, waitBeforeRetry } from '../../src/transport/call.ts'
import { clientBy, manualClock } from './clock.ts'
import { failureOf } from './failing.ts'

const input = { quizId: 'quiz_react_beginner_state', candidate: { name: 'Ada Byron', email: 'ada@example.com' } }
const failed = { attempt: 1, maxAttempts: 3, retryAfterMs: undefined, remainingMs: 60_000, random: 0.5 }
const kinds = Object.keys(FAILURES) as FailureKind[]

function setUp(script: readonly (Fault | 'ok')[], options = {}, randoms: readonly number[] = []) {
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
  if (script.length > 0) mock.faults.add({ script })
  const sent: Readonly<Record<string, string>>[] = []
  const fetch: Fetch = (url, init) => {
    sent.push(init.headers)
    return mock.fetch(url, init)
  }
  const clock = manualClock(randoms)
  const client = clientBy(clock, { baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch, ...options })
  return { mock, client, clock, sent }
}

test('a create is retried only after proof that it did not happen', () => {
  const repeated = kinds.filter((failure) => waitBeforeRetry({ ...failed, kind: 'mutation', failure }) !== undefined)
  expect(repeated.toSorted()).toEqual([
    'credentialsUnavailable',
    'providedLate',
    'rateLimited',
    'timedOutBeforeSending',
    'unreachable',
    'untrusted',
  ])
  for (const failure of repeated) expect(FAILURES[failure].outcome).toBe('not-executed')
})

test('a query is retried after transient failures, and after nothing else', () => {
  const repeated = kinds.filter((failure) => waitBeforeRetry({ ...failed, kind: 'query', failure }) !== undefined)
  expect(repeated.toSorted()).toEqual([
    'connectionLost',
    'credentialsUnavailable',
    'fetchFailed',
    'providedLate',
    'rateLimited',
    'rateLimitedByCode',
    'serverFault',
    'timedOut',
    'timedOutBeforeSending',
    'unreachable',
    'unreadable',
    'untrusted',
  ])
})

test.each([
  [{ attempt: 1, random: 0 }, 0],
  [{ attempt: 1, random: 0.5 }, 250],
  [{ attempt: 2, random: 0.5 }, 500],
  [{ attempt: 5, maxAttempts: 10, random: 0.5 }, 4000],
  [{ attempt: 9, maxAttempts: 10, random: 0.999 }, 7992],
  [{ attempt: 3 }, undefined],
  [{ retryAfterMs: 7000, random: 0 }, 7000],
  [{ retryAfterMs: 0 }, 0],
  [{ retryAfterMs: 60_000 }, undefined],
  [{ retryAfterMs: 59_999 }, 59_999],
  [{ remainingMs: 250 }, undefined],
])('after %o the backoff is %s milliseconds', (details, wait) => {
  expect(waitBeforeRetry({ ...failed, kind: 'query', failure: 'serverFault', ...details })).toBe(wait)
})

test.each([
  ['0', 0],
  ['120', 120_000],
  [' 5 ', 5000],
  ['3600', 3_600_000],
  ['3601', 3_600_000],
  ['9'.repeat(400), 3_600_000],
  ['Tue, 01 Jan 2030 01:00:01 GMT', 3_600_000],
  ['Tue, 01 Jan 2030 00:00:30 GMT', 30_000],
  ['Mon, 31 Dec 2029 23:59:59 GMT', 0],
  ['Tue, 01 Jan 2030 00:00:30', undefined],
  ['2030-01-01T00:00:30Z', undefined],
  ['Tue, 99 Jan 2030 00:00:30 GMT', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['0x10', undefined],
  ['soon', undefined],
  ['', undefined],
  [null, undefined],
])('a Retry-After of $0 is a hint of $1 milliseconds', (header, hint) => {
  expect(readRetryAfter(header, Date.parse('2030-01-01T00:00:00Z'))).toBe(hint)
})

test('a query is retried through transient failures by exponential backoff with full jitter, under one reference', async () => {
  const { client, clock, sent } = setUp([503, 'cut', 'ok'], {}, [0.2, 0.9])
  expect((await client.tracks.list()).length).toBeGreaterThan(0)
  expect(clock.waits).toEqual([100, 900])
  expect(new Set(sent.map((headers) => headers['x-client-reference'])).size).toBe(1)
  expect(sent).toHaveLength(3)
})

test('a query that keeps failing ends with its last failure and the number of attempts', async () => {
  const { client, sent } = setUp([500, 502, 'cut', 'ok'])
  const error = await failureOf(client.tracks.list())
  expect(error).toMatchObject({ code: 'CONNECTION_LOST', outcome: 'not-executed', attempts: 3, durationMs: 750 })
  expect(sent).toHaveLength(3)
})

test('a create that was never sent is sent again and creates one invite', async () => {
  const mock = createMockServer()
  let calls = 0
  const fetch: Fetch = async (url, init) => {
    calls += 1
    if (calls < 3) throw Object.assign(new Error('x'), { code: 'ECONNREFUSED', syscall: 'connect' })
    return mock.fetch(url, init)
  }
  const client = clientBy(manualClock(), { baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch })
  await client.packageInvites.create({ packageId: 'pkg_sql_beginner', candidate: input.candidate })
  expect(mock.invites).toHaveLength(2)
})

test('a Retry-After beyond the deadline ends the call at once and is passed on', async () => {
  const { client, clock, sent } = setUp([{ status: 429, headers: { 'retry-after': '3600' } }, 'ok'])
  const error = await failureOf(client.invites.create(input))
  expect(error).toMatchObject({ code: 'RATE_LIMITED', outcome: 'not-executed', retryAfterMs: 3_600_000, attempts: 1 })
  expect(clock.waits).toEqual([])
  expect(sent).toHaveLength(1)
})

test('retry: false sends each request once, and maxAttempts limits the attempts', async () => {
  const once = setUp([429, 'ok'], { retry: false })
  expect((await failureOf(once.client.tracks.list())).attempts).toBe(1)
  const five = setUp([503, 503, 503, 503, 'ok'], { retry: { maxAttempts: 5 } })
  await five.client.tracks.list()
  expect(five.sent).toHaveLength(5)
})

test('an abort during the backoff ends the call, and nothing was created', async () => {
  const controller = new AbortController()
  const { mock, client } = setUp([429, 'ok'], { hooks: { onRetry: () => controller.abort('enough') } })
  const error = await failureOf(client.invites.create(input, { signal: controller.signal }))
  expect(error).toMatchObject({ code: 'ABORTED', outcome: 'not-executed', cause: 'enough', attempts: 1 })
  expect(mock.invites).toEqual([])
})

test('the deadline bounds all attempts and delays together, and limits each attempt to the time left', async () => {
  const fault = (seconds: number) => ({ status: 503, headers: { 'retry-after': String(seconds) } })
  const { client, clock } = setUp([fault(9), fault(31), 'ok'], { deadlineMs: 40_000, timeoutMs: 60_000 })
  const error = await failureOf(client.tracks.list())
  expect(error).toMatchObject({ attempts: 2, durationMs: 9000, retryAfterMs: 31_000 })
  expect(clock.waits).toEqual([9000])
  expect(clock.limits).toEqual([40_000, 31_000])
})

test('a request id of the service is passed on if it looks like one', async () => {
  const answer = { status: 403, body: 'no' }
  const { client } = setUp([
    { ...answer, headers: { 'x-request-id': 'req_1' } },
    { ...answer, headers: { 'x-request-id': 'ada@example.com is known' } },
  ])
  expect((await failureOf(client.invites.create(input))).requestId).toBe('req_1')
  expect((await failureOf(client.invites.create(input))).requestId).toBeUndefined()
})
