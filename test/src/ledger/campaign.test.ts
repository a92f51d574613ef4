import { expect, test } from 'vitest'
import type { MockServerOptions } from '../../../mock-server/index.ts'
import {
  type CampaignEvent,
  type CampaignRow,
  planCampaign,
  type PlanOptions,
  type RowEvent,
  type RunOptions,
  runCampaign,
} from '../../../src/campaign/index.ts'
import { Pace } from '../../../src/campaign/pace.ts'
import { CertifyError, type Fetch } from '../../../src/index.ts'
import type { WholeLedger } from './whole.ts'
import { loadDriver } from '../../../src/ledger/sqlite-driver.ts'
import { failureOf } from '../failing.ts'
import { completed } from './contract/events.ts'
import { claimOf } from './contract/samples.ts'
import { all, changedLedger, clientOf, DAY_MS, guardedSetting, PACKAGE, QUIZ, standingClock } from './setting.ts'

const CREATE = 'developerCreateCertificationInvite'
const rowOf = (email: string, more: object = {}): CampaignRow => ({
  input: { quizId: QUIZ, candidate: { email }, ...more },
})
const rowsOf = (count: number) => Array.from({ length: count }, (_each, index) => rowOf(`c${index + 1}@example.com`))

async function campaignSetting(options: MockServerOptions = {}) {
  const setting = await guardedSetting(options)
  const planOptions = { client: setting.guarded, campaign: 'spring' }
  type IfExpired = Pick<PlanOptions, 'ifExpired'>
  const plan = (rows: Iterable<CampaignRow> | AsyncIterable<CampaignRow>, more: IfExpired = {}) =>
    planCampaign(rows, { ...planOptions, ...more })
  const run = async (rows: Iterable<CampaignRow>, { ifExpired, ...runOptions }: RunOptions & IfExpired = {}) => {
    const planned = await plan(rows, { ifExpired })
    const events = await all<CampaignEvent>(runCampaign(planned, runOptions))
    return readEvents(events)
  }
  return { ...setting, planOptions, plan, run }
}

function readEvents(events: readonly CampaignEvent[]) {
  const rows = events.filter((event): event is RowEvent => event.type === 'row').toSorted((a, b) => a.row - b.row)
  const last = events.at(-1)
  if (last?.type !== 'finished') throw new Error('the summary has to come last')
  return { events, rows, statuses: rows.map(({ status }) => status), summary: last.summary }
}

test('a plan says what would be sent and why the rest would not, and sends nothing', async () => {
  const { guarded, mock, plan } = await campaignSetting()
  await guarded.invites.create({ quizId: QUIZ, candidate: { email: 'here@example.com' } })
  mock.requestLog.clear()
  const planned = await plan([
    rowOf('ada@example.com', { callbackUrl: 'https://events.example.com/x' }),
    rowOf(' ada@example.com'),
    rowOf('ADA@example.com'),
    rowOf('grace@example.com', { sendInviteEmail: false }),
    rowOf('HERE@example.com'),
    { input: undefined },
    {
      input: { quizId: QUIZ, candidate: { email: 'x@example.com' } },
      row: 99,
      issues: [{ path: 'quiz_id', rule: 'is there twice' }],
    },
  ])
  expect(planned.counts).toEqual({
    planned: 2,
    already_invited: 1,
    expired: 0,
    partly_invited: 0,
    duplicate: 1,
    rejected: 3,
    unknown: 0,
  })
  expect(planned.emails).toEqual({ sent: 1, notSent: 1 })
  expect(planned.callbackHosts).toEqual(['events.example.com'])
  expect([...planned.targets]).toEqual([[QUIZ, 2]])
  const rowsOfStatus = (status: string) => planned.rows.filter((row) => row.status === status)
  expect(rowsOfStatus('duplicate')).toMatchObject([{ row: 3, duplicateOf: 1 }])
  expect(rowsOfStatus('rejected').map(({ row, issues }) => [row, issues[0]?.path])).toEqual([
    [2, 'candidate.email'],
    [6, ''],
    [99, 'quiz_id'],
  ])
  expect(planned.rows).toHaveLength(7)
  expect(mock.requestLog.list()).toEqual([])
})

test('what resending unknown rows would send is listed beside the plan', async () => {
  const { mock, plan, run } = await campaignSetting()
  mock.faults.add({ operation: CREATE, phase: 'after', fault: 'cut' })
  await run([rowOf('ada@example.com')])
  const planned = await plan([rowOf('ada@example.com', { sendInviteEmail: false }), rowOf('grace@example.com')])
  expect(planned.counts).toMatchObject({ planned: 1, unknown: 1 })
  expect(planned.emails).toEqual({ sent: 1, notSent: 0 })
  const { emails, targets, callbackHosts } = planned.unknown
  expect([emails, [...targets], callbackHosts]).toEqual([{ sent: 0, notSent: 1 }, [[QUIZ, 1]], []])
})

test('a plan says if the key may not list packages, so that they are not compared by their quizzes', async () => {
  const { ledger, mock, planOptions, plan } = await campaignSetting()
  const rows = [{ input: { packageId: PACKAGE, candidate: { email: 'ada@example.com' } } }]
  const read = await plan(rows)
  const apiKey = mock.apiKeys.find(({ name }) => name === 'invite')?.key ?? ''
  const client = clientOf(mock, { apiKey, ledger })
  const unread = await planCampaign(rows, { ...planOptions, client })
  expect([read.hasUnreadPackages, unread.hasUnreadPackages]).toEqual([false, true])
})

test.each([
  { reached: 'nothing at all', answered: 0, counts: { created: 0, failed: 0 }, remaining: 6, pauses: 2 },
  { reached: 'the first create', answered: 2, counts: { created: 1, failed: 0 }, remaining: 5, pauses: 0 },
])('if the service stops responding, the run ends and no row is lost; reached: $reached', async (expected) => {
  const { ledger, mock, planOptions } = await campaignSetting()
  let requests = 0
  const client = clientOf(mock, {
    ledger,
    fetch(url, init) {
      requests += 1
      if (requests <= expected.answered) return mock.fetch(url, init)
      throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' })
    },
  })
  const plan = await planCampaign(rowsOf(6), { ...planOptions, client })
  const { summary, events } = readEvents(await all<CampaignEvent>(runCampaign(plan, { concurrency: 1 })))
  expect(summary).toMatchObject({ stopped: 'error', counts: expected.counts, remaining: expected.remaining })
  expect(summary.error?.code).toBe('UNREACHABLE')
  expect(events.filter(({ type }) => type === 'pause')).toHaveLength(expected.pauses)
})

test('a run emits one event per row, with the invite, and a summary at the end', async () => {
  const { mock, run, ledger } = await campaignSetting()
  const { rows, statuses, summary } = await run([
    rowOf('ada@example.com'),
    rowOf('ada@example.com'),
    rowOf('nobody'),
    { input: { quizId: 'quiz_of_nobody', candidate: { email: 'x@example.com' } } },
    rowOf('bounce@candidate.test'),
  ])
  expect(statuses).toEqual(['created', 'duplicate', 'rejected', 'refused', 'created'])
  const expected = mock.invites.map(({ inviteId, challengeUrl, expiresAt }) => ({ inviteId, challengeUrl, expiresAt }))
  expect([rows[0], rows[4]].flatMap((row) => row?.invites)).toMatchObject(expected)
  expect(rows[3]?.error?.code).toBe('BAD_USER_INPUT')
  expect(summary).toMatchObject({
    counts: { created: 2, already_invited: 0, duplicate: 1, rejected: 1, refused: 1, failed: 0, unknown: 0 },
    remaining: 0,
    emailsNotSent: 1,
    stopped: undefined,
    error: undefined,
  })
  expect(await all(ledger.list({ email: 'ada@example.com' }))).toMatchObject([
    { campaign: 'spring', row: 1, reference: rows[0]?.reference },
  ])
})

test('running the same rows again resumes: rows that are done are skipped, and reported with their invites', async () => {
  const { mock, run, clock } = await campaignSetting()
  await run(rowsOf(3))
  mock.requestLog.clear()
  const again = await run(rowsOf(5))
  expect(again.statuses).toEqual([...Array<string>(3).fill('already_invited'), 'created', 'created'])
  expect(again.rows.map(({ invites }) => invites[0]?.inviteId)).toEqual(mock.invites.map(({ inviteId }) => inviteId))
  expect(mock.requestLog.list().filter(({ operations }) => operations.includes(CREATE))).toHaveLength(2)
  clock.advance(14 * DAY_MS)
  await mock.clock.advance('14d')
  expect((await run(rowsOf(1), { ifExpired: 'invite' })).statuses).toEqual(['created'])
})

test('the same rows after the links have expired invite nobody again, unless they are to, and nobody who has a result', async () => {
  const { clock, mock, ledger, run } = await campaignSetting()
  const { rows } = await run(rowsOf(2))
  clock.advance(15 * DAY_MS)
  await mock.clock.advance('15d')
  const again = await run(rowsOf(3))
  expect([again.statuses, again.summary.counts.expired]).toEqual([['expired', 'expired', 'created'], 2])
  const [{ reference = '', invites } = { invites: [] }] = rows
  await ledger.inbox.learn({ ...completed(invites[0]?.inviteId ?? '', 'FAILED'), reference })
  expect((await run(rowsOf(2), { ifExpired: 'invite' })).statuses).toEqual(['expired', 'created'])
})

test('a package has expired if it was invited to as a whole, or to each of its quizzes', async () => {
  const { clock, mock, run, plan } = await campaignSetting()
  const whole = { input: { packageId: PACKAGE, candidate: { email: 'whole@example.com' } } }
  const part = { input: { packageId: PACKAGE, candidate: { email: 'c1@example.com' } } }
  await run([whole, rowOf('c1@example.com')])
  clock.advance(15 * DAY_MS)
  await mock.clock.advance('15d')
  expect((await plan([whole, part])).rows.map(({ status }) => status)).toEqual(['expired', 'planned'])
})

test('a plan reports what has lapsed: expired links, and unknown outcomes that are not sent again', async () => {
  const { clock, mock, plan, run } = await campaignSetting()
  mock.faults.add({ operation: CREATE, phase: 'after', fault: 'cut' })
  await run(rowsOf(3), { concurrency: 1 })
  const { lapsed: none } = await plan(rowsOf(3))
  expect(none).toEqual({ invited: 0, unknown: 0 })
  clock.advance(15 * DAY_MS)
  await mock.clock.advance('15d')
  const planned = await plan(rowsOf(4), { ifExpired: 'invite' })
  expect(planned.counts).toMatchObject({ planned: 3, unknown: 1, already_invited: 0 })
  expect(planned.lapsed).toEqual({ invited: 2, unknown: 1 })
  expect(planned.rows.map(({ lapsed }) => lapsed)).toEqual([true, true, true, undefined])
  const again = await run(rowsOf(4), { ifExpired: 'invite' })
  expect(again.statuses).toEqual(['unknown', 'created', 'created', 'created'])
  expect(again.rows[0]?.error?.message).toContain('Its link would have expired.')
  expect((await run(rowsOf(4), { ifUnknown: 'create' })).statuses[0]).toBe('created')
})

test('rows with an unknown outcome are not sent again, unless asked for', async () => {
  const { mock, run } = await campaignSetting()
  mock.faults.add({ operation: CREATE, phase: 'after', fault: 'cut' })
  const first = await run(rowsOf(2), { concurrency: 1 })
  expect(first.statuses).toEqual(['unknown', 'created'])
  expect(first.rows[0]?.error?.code).toBe('CONNECTION_LOST')
  const second = await run(rowsOf(2))
  expect(second.statuses).toEqual(['unknown', 'already_invited'])
  expect(second.rows[0]?.error).toMatchObject({ code: 'PRIOR_OUTCOME_UNKNOWN', reference: first.rows[0]?.reference })
  expect(second.rows[0]?.reference).toBe(first.rows[0]?.reference)
  expect(mock.invites).toHaveLength(2)
  expect((await run(rowsOf(2), { ifUnknown: 'create' })).statuses).toEqual(['created', 'already_invited'])
  expect(mock.invites).toHaveLength(3)
})

test('a package and a single invite for one of its quizzes are duplicates within a campaign', async () => {
  const { mock, run } = await campaignSetting()
  const pack = { input: { packageId: PACKAGE, candidate: { email: 'ada@example.com' } } }
  const { statuses, rows } = await run([pack, rowOf('ada@example.com'), rowOf('grace@example.com')])
  expect(statuses).toEqual(['created', 'duplicate', 'created'])
  expect(rows[0]?.invites.map(({ quizId }) => quizId)).toContain(QUIZ)
  expect(mock.invites).toHaveLength(4)
})

test('after HTTP 429 all workers wait as long as Retry-After says, then the same rows are sent', async () => {
  const { mock, run, clock } = await campaignSetting()
  const began = clock.now()
  mock.faults.add({ operation: CREATE, script: ['ok', 'ok', { status: 429, headers: { 'retry-after': '30' } }] })
  const { statuses, events } = await run(rowsOf(8), { concurrency: 2 })
  expect(new Set(statuses)).toEqual(new Set(['created']))
  expect(events.filter(({ type }) => type === 'pause')).toMatchObject([
    { waitMs: 30_000, error: { code: 'RATE_LIMITED' } },
  ])
  expect(clock.now() - began).toBeGreaterThanOrEqual(30_000)
  expect(mock.invites).toHaveLength(8)
})

test('RATE_LIMITED without HTTP 429 pauses all workers too, but leaves its row to the next run', async () => {
  const { mock, run } = await campaignSetting()
  mock.faults.add({ operation: CREATE, fault: { code: 'RATE_LIMITED' } })
  expect((await run(rowsOf(3), { concurrency: 1 })).statuses).toEqual(['failed', 'created', 'created'])
  expect((await run(rowsOf(3))).statuses).toEqual(['created', 'already_invited', 'already_invited'])
  expect(mock.invites).toHaveLength(3)
})

test('a rate limit reported after the create never causes a resend, in this run or the next', async () => {
  const { mock, run, clock } = await campaignSetting()
  const began = clock.now()
  const late = [
    { errors: [{ message: 'slow down', path: [CREATE, 'emailSent'], extensions: { code: 'RATE_LIMITED' } }] },
    { data: null, errors: [{ message: 'slow down', extensions: { code: 'RATE_LIMITED' } }] },
  ]
  for (const body of late) {
    mock.faults.add({ operation: CREATE, phase: 'after', fault: { status: 429, body: JSON.stringify(body) } })
  }
  expect((await run(rowsOf(3), { concurrency: 1 })).statuses).toEqual(['unknown', 'unknown', 'created'])
  /* Still a rate limit: the other rows wait. */
  expect(clock.now() - began).toBeGreaterThanOrEqual(1000)
  expect((await run(rowsOf(3))).statuses).toEqual(['unknown', 'unknown', 'already_invited'])
  expect(mock.invites).toHaveLength(3)
})

test('ratePerSecond is respected', async () => {
  const { run, clock } = await campaignSetting()
  const began = clock.now()
  await run(rowsOf(21), { concurrency: 8, ratePerSecond: 10 })
  expect(clock.now() - began).toBeGreaterThanOrEqual(1999)
  expect(clock.now() - began).toBeLessThan(4000)
})

test('a clock set back delays no row beyond the rate and the pause', async () => {
  const clock = standingClock()
  const { signal } = new AbortController()
  const pace = new Pace(clock, 2)
  await pace.waitForTurn(signal)
  clock.advance(-3_600_000)
  await pace.waitForTurn(signal)
  pace.pauseFor(5000)
  clock.advance(-3_600_000)
  await pace.waitForTurn(signal)
  await pace.waitForTurn(signal)
  expect(clock.waits).toEqual([500, 5000])
})

test('a create is recorded before its request leaves, and no more than the concurrency are recorded at once', async () => {
  const { mock, planOptions, ledger } = await campaignSetting()
  const file = loadDriver().open(ledger.path)
  const stateOf = file.prepare('SELECT state FROM certify_sends WHERE reference = ?')
  const onTheirWay = file.prepare("SELECT count(*) AS number FROM certify_sends WHERE state = 'sending'")
  const seen: { state: unknown; sending: number; requests: number }[] = []
  let requests = 0
  const client = clientOf(mock, {
    ledger,
    async fetch(url, init) {
      if (!init.body.includes(CREATE)) return mock.fetch(url, init)
      requests += 1
      const reference = new Headers(init.headers).get('x-client-reference') ?? ''
      const [{ state } = {}] = stateOf.all(reference) as { state?: unknown }[]
      seen.push({ state, requests, sending: (onTheirWay.all() as { number: number }[])[0]?.number ?? 0 })
      return mock.fetch(url, init).finally(() => {
        requests -= 1
      })
    },
  })
  const plan = await planCampaign(rowsOf(40), { ...planOptions, client })
  await all(runCampaign(plan, { concurrency: 4 }))
  file.close()
  expect(seen).toHaveLength(40)
  expect(new Set(seen.map(({ state }) => state))).toEqual(new Set(['sending']))
  expect(Math.max(...seen.map((each) => each.requests))).toBe(4)
  expect(Math.max(...seen.map(({ sending }) => sending))).toBe(4)
})

test('a row that waits long for its turn is claimed only then, and sent once', async () => {
  const { mock, run, ledger } = await campaignSetting()
  const { statuses } = await run(rowsOf(6), { concurrency: 2, ratePerSecond: 0.01 })
  expect(new Set(statuses)).toEqual(new Set(['created']))
  expect(mock.invites).toHaveLength(6)
  expect(await all(ledger.list())).toHaveLength(6)
})

test('a run stops after maxFailures failures, and counts the remaining rows', async () => {
  const { mock, run } = await campaignSetting()
  mock.faults.add({ operation: CREATE, times: Number.POSITIVE_INFINITY, fault: 502 })
  const { statuses, summary } = await run(rowsOf(20), { concurrency: 1, maxFailures: 3 })
  expect(statuses).toEqual(['unknown', 'unknown', 'unknown'])
  expect(summary).toMatchObject({ stopped: 'failures', remaining: 17 })
})

test('a failure that every row would share ends the run at once', async () => {
  const { ledger, mock, planOptions, run } = await campaignSetting()
  const client = clientOf(mock, { apiKey: 'wrong', ledger })
  const plan = await planCampaign(rowsOf(20), { ...planOptions, client })
  const { statuses, summary } = readEvents(await all<CampaignEvent>(runCampaign(plan, { concurrency: 1 })))
  expect(statuses).toEqual(['failed'])
  expect(summary).toMatchObject({ stopped: 'error', remaining: 19, error: { code: 'UNAUTHENTICATED' } })
  expect((await run(rowsOf(1), { ifExpired: 'invite' })).statuses).toEqual(['created'])
})

test('a mismatched response ends the run at once: the next ones may belong to other rows as well', async () => {
  const { mock, run } = await campaignSetting()
  mock.faults.add({ operation: CREATE, fault: { status: 200, body: '{"data":{"aCreateOfAnotherRow":{}}}' } })
  const { statuses, summary } = await run(rowsOf(3), { concurrency: 1 })
  expect(statuses).toEqual(['unknown'])
  expect(summary).toMatchObject({ stopped: 'error', remaining: 2, error: { code: 'RESPONSE_MISMATCHED' } })
})

test('an aborted run starts no further row, waits for the requests in flight and records them', async () => {
  const { mock, plan, ledger, run } = await campaignSetting()
  const stop = new AbortController()
  const planned = await plan(rowsOf(30))
  const seen: CampaignEvent[] = []
  for await (const event of runCampaign(planned, { concurrency: 4, signal: stop.signal })) {
    seen.push(event)
    stop.abort()
  }
  const { rows, summary } = readEvents(seen)
  expect(summary).toMatchObject({ stopped: 'aborted', remaining: 30 - rows.length })
  expect(rows.length).toBeLessThan(30)
  expect(mock.invites).toHaveLength(rows.length)
  expect((await ledger.check()).records).toMatchObject({ created: rows.length, sending: 0 })
  expect((await run(rowsOf(30))).summary.counts).toMatchObject({
    created: 30 - rows.length,
    already_invited: rows.length,
  })
})

test('rows of an earlier run are reported as already invited, even if this run ends early', async () => {
  const { mock, plan, run } = await campaignSetting()
  await run(rowsOf(20))
  mock.faults.add({ operation: CREATE, times: Number.POSITIVE_INFINITY, fault: 502 })
  const { statuses, summary } = await run(rowsOf(30), { concurrency: 1, maxFailures: 1 })
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 'already_invited'), 'unknown'])
  expect(summary).toMatchObject({ counts: { already_invited: 20 }, remaining: 9, stopped: 'failures' })
  const planned = await plan(rowsOf(30))
  for await (const event of runCampaign(planned, { concurrency: 1 })) if (event.type === 'row') break
})

test('the time-out of a row is its client’s, and the lease outlasts it', async () => {
  const { mock, ledger } = await campaignSetting()
  const leases: number[] = []
  const fetch: Fetch = (url, init) => {
    if (!init.body.includes('mutation')) return mock.fetch(url, init)
    const file = loadDriver().open(ledger.path)
    const sql = 'SELECT lease_until - sent_at AS ms FROM certify_sends ORDER BY id DESC'
    const [row] = file.prepare(sql).all() as { ms: number }[]
    leases.push(row?.ms ?? 0)
    file.close()
    return mock.fetch(url, init)
  }
  for (const timeoutMs of [70_000, 5000]) {
    const client = clientOf(mock, { ledger, fetch, timeoutMs })
    const plan = await planCampaign([rowOf(`c${leases.length}@example.com`)], { client })
    await all<CampaignEvent>(runCampaign(plan))
  }
  expect(leases).toEqual([100_000, 35_000])
})

test('breaking out of the loop leaves no request in flight', async () => {
  const { mock, plan, ledger } = await campaignSetting()
  const planned = await plan(rowsOf(30))
  for await (const event of runCampaign(planned, { concurrency: 4 })) if (event.type === 'row') break
  expect((await ledger.check()).records).toMatchObject({ created: mock.invites.length, sending: 0 })
  expect(mock.invites.length).toBeLessThan(30)
})

test('if the ledger fails nothing more is sent, and what was created is still reported', async () => {
  const { mock, planOptions, ledger } = await campaignSetting()
  const full = new CertifyError({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed', message: 'the disk is full' })
  const client = clientOf(mock, { ledger: changedLedger(ledger, { settle: () => Promise.reject(full) }) })
  const plan = await planCampaign(rowsOf(20), { ...planOptions, client })
  const { rows, statuses, summary } = readEvents(await all<CampaignEvent>(runCampaign(plan, { concurrency: 2 })))
  expect(new Set(statuses)).toEqual(new Set(['created']))
  expect(new Set(rows.map(({ error }) => error?.code))).toEqual(new Set(['LEDGER_UNUSABLE']))
  expect(mock.invites).toHaveLength(statuses.length)
  expect(statuses.length).toBeLessThan(6)
  expect(summary).toMatchObject({ stopped: 'error', error: { code: 'LEDGER_UNUSABLE' } })
})

test('if the ledger can record no create, none is sent, and the run ends at once', async () => {
  const { mock, planOptions, ledger } = await campaignSetting()
  const locked = new CertifyError({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed', message: 'locked' })
  const client = clientOf(mock, { ledger: changedLedger(ledger, { claim: () => Promise.reject(locked) }) })
  const plan = await planCampaign(rowsOf(20), { ...planOptions, client })
  const { rows, summary } = readEvents(await all<CampaignEvent>(runCampaign(plan, { concurrency: 1 })))
  expect(rows).toEqual([])
  expect(summary).toMatchObject({ stopped: 'error', remaining: 20, error: { code: 'LEDGER_UNUSABLE' } })
  expect(mock.invites).toEqual([])
})

test('rows may be any iterable, and planning can be aborted while they are read', async () => {
  const { planOptions } = await campaignSetting()
  const stop = new AbortController()
  async function* endless() {
    for (let index = 0; ; index += 1) {
      if (index === 2000) stop.abort(new Error('enough'))
      yield rowOf(`c${index}@example.com`)
    }
  }
  await expect(planCampaign(endless(), { ...planOptions, signal: stop.signal })).rejects.toThrow('enough')
})

test('a bug in the program ends the run with that exception, and the row stays unknown', async () => {
  const { ledger, mock } = await campaignSetting()
  const settle: WholeLedger['settle'] = () => Promise.reject(new RangeError('a bug'))
  const plan = await planCampaign(rowsOf(3), { client: clientOf(mock, { ledger: changedLedger(ledger, { settle }) }) })
  await expect(all(runCampaign(plan, { concurrency: 1 }))).rejects.toThrow('a bug')
})

test('a client without a ledger is refused: nothing would be recorded', async () => {
  const { client } = await campaignSetting()
  for (const other of [client, Object.assign({}, client)]) {
    const error = await failureOf(planCampaign([], { client: other }))
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', outcome: 'not-executed', issues: [{ path: 'client' }] })
  }
})

test.each([
  [{ maxFailure: 1 }, 'maxFailure is unknown; known fields: concurrency, ratePerSecond, maxFailures'],
  [{ timeoutMs: 5 }, 'timeoutMs is unknown'],
  [{ concurrency: 0 }, 'concurrency must be a whole number, 1 or more'],
  [{ concurrency: 1.5 }, 'concurrency must be a whole number, 1 or more'],
  [{ maxOutageMs: Number.NaN }, 'maxOutageMs must be a number of 0 or more'],
  [{ ratePerSecond: 0 }, 'ratePerSecond must be a number above 0'],
  [{ ifUnknown: 'send' }, 'ifUnknown must be one of: refuse, create'],
  [{ signal: true }, 'signal must be an AbortSignal'],
])('a run with the options %j is refused, and sends nothing', async (options, rule) => {
  const { mock, plan } = await campaignSetting()
  const planned = await plan(rowsOf(2))
  const error = await failureOf(all(runCampaign(planned, options as object)))
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', outcome: 'not-executed' })
  expect(error.message).toContain(rule)
  expect(mock.invites).toEqual([])
})

test.each([
  [{ ifexpired: 'invite' }, 'ifexpired is unknown'],
  [{ ifExpired: 'Invite' }, 'ifExpired must be one of: skip, invite'],
  [{ campaign: 1 }, 'campaign must be a name'],
])('a plan with the options %j is refused', async (options, rule) => {
  const { guarded } = await campaignSetting()
  const error = await failureOf(planCampaign(rowsOf(1), { client: guarded, ...options } as PlanOptions))
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', outcome: 'not-executed' })
  expect(error.message).toContain(rule)
})

test('a row that another process is sending is waited for, and reported with its outcome there', async () => {
  const { ledger, mock, clock } = await campaignSetting()
  const input = { quizId: QUIZ, candidate: { email: 'c1@example.com' } }
  await ledger.claim(claimOf(input, 'held', { baseUrl: mock.baseUrl, account: 'acme', leaseMs: 120_000 }))
  const planned = await planCampaign(rowsOf(2), { client: clientOf(mock, { ledger, timeoutMs: 1000 }) })
  expect(planned.counts.planned).toBe(2)
  const began = clock.now()
  const { statuses, rows } = readEvents(await all<CampaignEvent>(runCampaign(planned)))
  expect(statuses).toEqual(['unknown', 'created'])
  expect(rows[0]?.reference).toBe('held')
  expect(clock.now() - began).toBeGreaterThanOrEqual(120_000)
  expect(mock.invites).toHaveLength(1)
})

test('a row whose claim completes after the abort is not sent, and stays for another run', async () => {
  const { mock, ledger } = await campaignSetting()
  const stop = new AbortController()
  const claim: WholeLedger['claim'] = async (request) => {
    const claimed = await ledger.claim(request)
    stop.abort()
    return claimed
  }
  const plan = await planCampaign(rowsOf(1), { client: clientOf(mock, { ledger: changedLedger(ledger, { claim }) }) })
  const { rows, summary } = readEvents(await all<CampaignEvent>(runCampaign(plan, { signal: stop.signal })))
  expect([mock.invites.length, rows, summary.remaining, summary.stopped]).toEqual([0, [], 1, 'aborted'])
  expect(await all(ledger.list())).toEqual([])
})

test('a row whose claim completes during a pause is sent after the pause', async () => {
  const { mock, ledger, clock } = await campaignSetting()
  mock.faults.add({ operation: CREATE, fault: { status: 429, headers: { 'retry-after': '5' } } })
  let claims = 0
  let onPause: (() => void) | undefined
  const paused = new Promise<void>((resolve) => {
    onPause = resolve
  })
  const claim: WholeLedger['claim'] = async (request) => {
    claims += 1
    if (claims === 2) await paused
    return ledger.claim(request)
  }
  const sentAt: number[] = []
  const client = clientOf(mock, {
    ledger: changedLedger(ledger, { claim }),
    fetch(url, init) {
      if (init.body.includes('mutation')) sentAt.push(clock.now())
      return mock.fetch(url, init)
    },
  })
  const began = clock.now()
  const plan = await planCampaign(rowsOf(2), { client })
  const statuses: string[] = []
  for await (const event of runCampaign(plan, { concurrency: 2 })) {
    if (event.type === 'pause') onPause?.()
    if (event.type === 'row') statuses.push(event.status)
  }
  expect(statuses).toEqual(['created', 'created'])
  expect(sentAt.map((at) => at - began >= 5000)).toEqual([false, true, true])
})
