import { expect, onTestFinished, test } from 'vitest'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import { isCertifyError } from '../../src/index.ts'
import { openLedger } from '../../src/ledger/index.ts'
import { clientBy } from '../src/clock.ts'
import { OUTAGE_FAULTS, type OutageFault, type OutageFront, startFront } from './outage-front.ts'
import { timeOutIf } from './outage.ts'

const CANDIDATES = Array.from({ length: 40 }, (_each, index) => `c${index}@example.com`)
const WORKERS = 4
/* By the clock of the ledger, which nobody waits for. */
const LASTS_MS = 15_000

const html = (status: number, more: Partial<OutageFault> = {}): OutageFault => ({
  name: `a page of HTML, HTTP ${status}`,
  respond: (response) => void response.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html>'),
  ...more,
})
const faultOf = (name: string) => OUTAGE_FAULTS.find((each) => each.name === name) ?? html(500)

test.each<[string, OutageFault, { most: number; key?: string; hasLedger?: false }]>([
  ['responds with 503', faultOf('503'), { most: WORKERS }],
  ['responds with 503 to clients without a ledger', faultOf('503'), { most: WORKERS, hasLedger: false }],
  ['responds with 503 although it has executed creates', faultOf('503 after it was executed'), { most: WORKERS }],
  ['is silent', faultOf('silence'), { most: WORKERS }],
  ['resets connections', faultOf('reset'), { most: WORKERS }],
  ['refuses connections', faultOf('refused connections'), { most: WORKERS }],
  ['is behind a page of HTML, HTTP 502', html(502), { most: WORKERS }],
  ['is behind a page of HTML, HTTP 404', html(404), { most: 0 }],
  ['responds to queries, but with 503 to creates', html(503, { sparesQueries: true }), { most: 6 }],
  ['does so for a key that may not list', html(503, { sparesQueries: true }), { most: 6, key: 'invite' }],
])('a queue survives a service that %s: all others invite once', async (_what, fault, { most, key, hasLedger }) => {
  const mock = createMockServer()
  const clock = { time: Date.parse('2030-01-01T00:00:00Z') }
  let endsAt = Number.POSITIVE_INFINITY
  const front = await startFront(mock, false, async (creates) => {
    if (creates !== 11) return
    endsAt = clock.time + LASTS_MS
    await front.begin(fault)
  })
  const onJob = async () => {
    if (clock.time >= endsAt && front.fault !== undefined) await front.end()
  }
  const ends = await workOff(mock, front, { clock, key, hasLedger, onJob })
  const unknown = [...ends.values()].filter((end) => end === 'unknown')
  expect(unknown.length).toBeLessThanOrEqual(most)
  expect([...ends.values()].filter((end) => end === 'invited')).toHaveLength(CANDIDATES.length - unknown.length)
  expectNobodyTwice(mock)
})

test('a queue in which every fifth create fails leaves only those unknown: all others invite by themselves', async () => {
  const mock = createMockServer()
  const poison = CANDIDATES.filter((_email, index) => index % 5 === 4)
  for (const email of poison) mock.faults.add({ email, fault: 500, times: Number.POSITIVE_INFINITY })
  const front = await startFront(mock, false, () => {})
  const ends = await workOff(mock, front, { clock: { time: Date.parse('2030-01-01T00:00:00Z') } })
  const expected = CANDIDATES.map((email) => [email, poison.includes(email) ? 'unknown' : 'invited'])
  expect(Object.fromEntries(ends)).toEqual(Object.fromEntries(expected))
  expectNobodyTwice(mock)
})

interface Work {
  /** Time passes only while every job waits. */
  readonly clock: { time: number }
  readonly key?: string | undefined
  readonly hasLedger?: boolean | undefined
  /** Called after each delivery of a job. */
  readonly onJob?: () => Promise<void>
}

/* Workers of a queue that delivers a job again if its error is retryable. Returns how each job ended. */
async function workOff(
  mock: MockServer,
  front: OutageFront,
  { clock, key, hasLedger = true, onJob }: Work,
): Promise<ReadonlyMap<string, string>> {
  onTestFinished(() => front.close())
  const timers = timeOutIf(() => front.fault?.isSilent === true)
  const times = { now: () => clock.time, startTimer: timers.startTimer }
  const ledger = hasLedger ? await openLedger(':memory:', { clock: times }) : undefined
  const client = clientBy(
    { ...timers, ...times },
    {
      baseUrl: front.url,
      apiKey: mock.apiKeys.find(({ name }) => name === key)?.key ?? mock.apiKey,
      retry: false,
      ...(ledger && { ledger, allowClockSkew: true }),
    },
  )
  const due = new Map(CANDIDATES.map((email) => [email, clock.time]))
  const ends = new Map<string, string>()
  let busy = 0
  const take = () => [...due].find(([, at]) => at <= clock.time)?.[0]
  const workNext = async (email: string): Promise<void> => {
    due.delete(email)
    busy += 1
    try {
      const input = { quizId: 'quiz_react_beginner_state', candidate: { email } }
      await client.invites.create(input, { reference: email.replace('@', '.') })
      ends.set(email, 'invited')
    } catch (error) {
      if (!isCertifyError(error)) throw error
      if (error.retryable) due.set(email, clock.time + (error.retryAfterMs ?? 500))
      else ends.set(email, error.outcome)
    }
    busy -= 1
    if (busy === 0 && take() === undefined && due.size > 0) clock.time = Math.min(...due.values())
    await onJob?.()
  }
  const work = async () => {
    while (ends.size < CANDIDATES.length) {
      const email = take()
      if (email === undefined) await new Promise((resolve) => setImmediate(resolve))
      else await workNext(email)
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, work))
  return ends
}

function expectNobodyTwice(mock: MockServer): void {
  const invited = mock.invites.map(({ candidate }) => candidate.email)
  expect(new Set(invited).size).toBe(invited.length)
}
