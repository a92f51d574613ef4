import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { listenInTest } from '../listen.ts'
import type { Fault } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { mswHandlers } from '../../mock-server/msw.ts'
import { type Fetch, isCertifyError } from '../../src/index.ts'
import { createFetch } from '../../src/node/index.ts'
import { openLedger } from '../../src/ledger/index.ts'
import { clientBy, manualClock } from '../src/clock.ts'

/*
 * A fault has one meaning, however a test reaches the mock, and whichever `fetch` a client has: the same outcome, the same number
 * of e-mails, the same record. Creates are retried, as they are by default.
 */

type Place = 'fixture' | 'MSW' | 'HTTP'
type Scheme = 'http' | 'https'
type FetchName = 'own' | 'global'

const PLACES = (['http', 'https'] as const).flatMap((scheme): [Place, Scheme, FetchName | 'mock.fetch'][] => [
  ['fixture', scheme, 'mock.fetch'],
  ['MSW', scheme, 'own'],
  ['MSW', scheme, 'global'],
  ['HTTP', scheme, 'own'],
  ['HTTP', scheme, 'global'],
])

const before: readonly (readonly [Fault | null, string])[] = [
  [null, 'created'],
  [401, 'UNAUTHENTICATED/not-executed'],
  [404, 'UNREACHABLE/not-executed'],
  [429, 'created'],
  [503, 'SERVER_FAULT/unknown'],
  ['cut', 'CONNECTION_LOST/unknown'],
  ['reset', 'CONNECTION_LOST/unknown'],
  ['truncate', 'RESPONSE_UNREADABLE/unknown'],
  ['hang', 'ABORTED/unknown'],
  ['stall', 'TIMED_OUT/unknown'],
  [{ code: 'BAD_USER_INPUT' }, 'BAD_USER_INPUT/not-executed'],
  [{ code: 'INTERNAL_SERVER_ERROR', data: 'null' }, 'SERVER_FAULT/unknown'],
  [{ status: 307, headers: { location: 'https://elsewhere.example/' } }, 'REDIRECT_REFUSED/not-executed'],
  [{ status: 200, body: '<h1>Welcome</h1>' }, 'RESPONSE_UNREADABLE/unknown'],
  [{ delayMs: 1 }, 'created'],
]

const after: typeof before = [
  [503, 'SERVER_FAULT/unknown'],
  ['cut', 'CONNECTION_LOST/unknown'],
  ['reset', 'CONNECTION_LOST/unknown'],
  ['truncate', 'RESPONSE_UNREADABLE/unknown'],
  ['hang', 'ABORTED/unknown'],
  ['stall', 'TIMED_OUT/unknown'],
  [{ code: 'INTERNAL_SERVER_ERROR', data: 'result' }, 'RESPONSE_UNEXPECTED/executed'],
  [{ code: 'INTERNAL_SERVER_ERROR', data: 'null' }, 'SERVER_FAULT/unknown'],
  [{ status: 302, headers: { location: 'https://elsewhere.example/' } }, 'REDIRECT_REFUSED/unknown'],
  [{ status: 200, body: '<h1>Welcome</h1>' }, 'RESPONSE_UNREADABLE/unknown'],
  [{ delayMs: 1 }, 'created'],
]

const ROWS = [
  ...before.map(([fault, ending]) => ({ phase: 'before' as const, fault, ending })),
  ...after.map(([fault, ending]) => ({ phase: 'after' as const, fault, ending })),
]

const msw = setupServer()

describe.each(PLACES)('%s, %s, fetch: %s', (place, scheme, fetchName) => {
  if (place === 'MSW') {
    beforeAll(() => msw.listen({ onUnhandledRequest: 'error' }))
    afterEach(() => msw.resetHandlers())
    afterAll(() => msw.close())
  }

  test.each(ROWS)('$phase $fault ends in $ending', async ({ phase, fault, ending }) => {
    const { mock, baseUrl, fetch } = await open(place, scheme, fetchName)
    const ledger = await openLedger(':memory:')
    if (fault !== null) mock.faults.add({ phase, fault })
    const controller = new AbortController()
    const clock = manualClock()
    const client = clientBy(clock, { baseUrl, apiKey: mock.apiKey, fetch, ledger, allowInsecureHttp: true })
    const calling = client.invites.create(
      { quizId: 'quiz_react_beginner_state', candidate: { email: 'ada@example.com' } },
      { reference: 'hire-1', signal: controller.signal },
    )
    if (isEndless(fault)) {
      await vi.waitUntil(() => mock.requestLog.list().length === 1, { interval: 1 })
      if (fault === 'hang') controller.abort()
      else clock.timeOut()
    }
    const ended = await calling.then(
      () => 'created',
      (error: unknown) => (isCertifyError(error) ? `${error.code}/${error.outcome}` : String(error)),
    )
    const state = (await ledger.find('hire-1'))?.state
    expect({ ended, mails: mock.outbox.length, state }).toEqual({
      ended: ending,
      mails: phase === 'after' || ending === 'created' ? 1 : 0,
      state: stateOf(ending),
    })
  })
})

/* Without a response, the caller ends the call. */
const isEndless = (fault: Fault | null) => fault === 'hang' || fault === 'stall'

/* Of the record. Only the service can refuse. */
function stateOf(ending: string): string {
  if (ending === 'created' || ending.endsWith('/executed')) return 'created'
  if (ending.endsWith('/unknown')) return 'unknown'
  return /^(UNAUTHENTICATED|BAD_USER_INPUT)/.test(ending) ? 'refused' : 'not-executed'
}

async function open(place: Place, scheme: Scheme, fetchName: FetchName | 'mock.fetch') {
  const mock = createMockServer({ baseUrl: `${scheme}://certify.test` })
  onTestFinished(() => mock.close())
  if (place === 'fixture') return { mock, baseUrl: mock.baseUrl, fetch: mock.fetch as Fetch }
  const fetch = fetchName === 'own' ? createFetch() : (globalThis.fetch as Fetch)
  if (place === 'MSW') {
    msw.use(...mswHandlers(mock))
    return { mock, baseUrl: mock.baseUrl, fetch }
  }
  const { url } = await mock.listen()
  return { mock, baseUrl: scheme === 'http' ? url : await withTls(url), fetch }
}

const certificates = join(import.meta.dirname, '../certificates')

/* A server that speaks TLS in front of another one, and ends a connection as that does. */
async function withTls(url: string): Promise<string> {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  onTestFinished(() => void vi.unstubAllEnvs())
  const [key, cert] = ['server.key', 'server.pem'].map((name) => readFileSync(join(certificates, name)))
  const front = createServer({ key, cert }, (socket) => {
    const behind = connect(Number(new URL(url).port), '127.0.0.1')
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      one.on('error', () => {}).on('close', () => other.destroy())
      one.pipe(other)
    }
  })
  return `https://127.0.0.1:${await listenInTest(front)}`
}
