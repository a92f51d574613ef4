import { expect, test } from 'vitest'
import {
  type CampaignEvent,
  type CampaignRow,
  planCampaign,
  type RowEvent,
  type RunOptions,
  runCampaign,
} from '../../../src/campaign/index.ts'
import type { Fetch } from '../../../src/index.ts'
import { all, clientOf, guardedSetting, QUIZ } from './setting.ts'

/** Responds in place of the mock, unless it returns `undefined`. */
type Fault = (request: {
  readonly isCreate: boolean
  /** The number of earlier creates. */
  readonly creates: number
  readonly body: string
  /** Milliseconds since the run began. */
  readonly at: number
}) => Response | Error | undefined

const html = (status = 200) =>
  new Response('<!doctype html><title>Welcome</title>', { status, headers: { 'content-type': 'text/html' } })
const refused = () => Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' })
const reset = () => Object.assign(new Error('reset'), { code: 'ECONNRESET', syscall: 'read' })
const emails = (count: number) => Array.from({ length: count }, (_each, index) => `c${index + 1}@example.com`)
const rowsOf = (count: number): CampaignRow[] =>
  emails(count).map((email) => ({ input: { quizId: QUIZ, candidate: { email } } }))

/** Runs a campaign against a service with a fault. */
async function runOver(rows: number | readonly CampaignRow[], fault: Fault, options: RunOptions = {}) {
  const { mock, ledger, clock } = await guardedSetting()
  const seen = { probes: 0, creates: 0, most: 0 }
  const began = clock.now()
  let onTheirWay = 0
  const fetch: Fetch = async (url, init) => {
    const isCreate = init.body.includes('mutation')
    const answer = fault({ isCreate, creates: seen.creates, body: init.body, at: clock.now() - began })
    if (isCreate) seen.creates += 1
    else seen.probes += 1
    onTheirWay += 1
    seen.most = Math.max(seen.most, onTheirWay)
    await new Promise((resolve) => setImmediate(resolve))
    onTheirWay -= 1
    if (answer instanceof Error) throw answer
    return answer ?? mock.fetch(url, init)
  }
  const client = clientOf(mock, { ledger, fetch })
  const plan = await planCampaign(typeof rows === 'number' ? rowsOf(rows) : rows, { client })
  seen.probes = 0
  const events = await all<CampaignEvent>(runCampaign(plan, options))
  const last = events.at(-1)
  if (last?.type !== 'finished') throw new Error('the summary has to come last')
  const { counts, remaining, stopped, error } = last.summary
  const invited = mock.invites.map(({ candidate, quizId }) => `${candidate.email} ${quizId}`)
  expect(new Set(invited).size).toBe(invited.length)
  return {
    ...seen,
    mock,
    counts,
    remaining,
    stopped,
    error,
    invited,
    tookMs: clock.now() - began,
    rows: events.filter((event): event is RowEvent => event.type === 'row'),
    outages: events.filter((event) => event.type === 'outage'),
    pauses: events.filter((event) => event.type === 'pause'),
  }
}

test.each([
  ['answers every path with a page of HTML', () => html(), 'RESPONSE_UNREADABLE', /an HTML page, HTTP 200/],
  ['answers every path with a bare 404', () => new Response(null, { status: 404 }), 'UNREACHABLE', /HTTP 404/],
  ['answers every path with HTTP 405', () => html(405), 'UNREACHABLE', /an HTML page, HTTP 405/],
  ['cannot be reached', refused, 'UNREACHABLE', /ECONNREFUSED/],
  [
    'is behind a fetch that throws',
    () => new TypeError('a fault of the caller'),
    'CONNECTION_LOST',
    /the given `fetch` failed/,
  ],
  ['answers with HTTP 503', () => new Response(null, { status: 503 }), 'SERVER_FAULT', /HTTP 503/],
] as const)('if the service %s before the first create, nothing is sent', async (_what, fault, code, words) => {
  const ended = await runOver(500, fault)
  expect(ended).toMatchObject({
    stopped: 'error',
    remaining: 500,
    creates: 0,
    error: { code, operation: 'tracks.list' },
  })
  expect(ended.error?.message).toMatch(words)
  expect(ended.error?.message).not.toContain('Welcome')
})

test.each([
  ['answers HTTP 503', () => new Response(null, { status: 503 }), 8],
  ['resets connections', reset, 8],
  ['answers with a page of HTML', () => html(), 8],
  ['cannot be reached', refused, 0],
  ['answers with a bare 404', () => html(404), 0],
  ['answers with a redirect after a POST', () => new Response(null, { status: 303 }), 8],
] as const)('a service that %s from row 100 on costs at most the requests in flight', async (_what, fault, most) => {
  let isDown = false
  const down: Fault = ({ creates }) => {
    isDown ||= creates >= 100
    return isDown ? fault() : undefined
  }
  const ended = await runOver(300, down, { maxOutageMs: 60_000 })
  expect(ended).toMatchObject({ stopped: 'error', counts: { created: 100, failed: 0, refused: 0 } })
  expect(ended.counts.unknown).toBe(most)
  expect(ended.remaining).toBe(200 - most)
  expect(ended.tookMs).toBeGreaterThanOrEqual(60_000)
  expect(ended.tookMs).toBeLessThan(62_000)
  expect(ended.outages.at(-1)).toMatchObject({ state: 'waiting', unknown: most })
})

test.each([
  ['answers HTTP 503', () => new Response(null, { status: 503 }), 4],
  ['cannot be reached', refused, 0],
  ['answers with a bare 404', () => new Response(null, { status: 404 }), 0],
] as const)('once a service that %s has recovered, every other row is sent', async (_what, fault, most) => {
  let downAt = Number.POSITIVE_INFINITY
  const down: Fault = ({ creates, at }) => {
    if (creates >= 30) downAt = Math.min(downAt, at)
    return at >= downAt && at < downAt + 300_000 ? fault() : undefined
  }
  const ended = await runOver(100, down, { concurrency: 4 })
  expect(ended).toMatchObject({ stopped: undefined, remaining: 0, error: undefined })
  expect(ended.counts).toMatchObject({ unknown: most, created: 100 - most })
  expect(ended.outages.at(-1)).toMatchObject({ state: 'over', unknown: most, nextProbeAt: undefined })
  const waits = ended.outages.flatMap((event, index) => {
    const before = ended.outages[index - 1]?.nextProbeAt ?? event.since
    return event.nextProbeAt === undefined ? [] : [Date.parse(event.nextProbeAt) - Date.parse(before)]
  })
  expect(waits.slice(0, 8)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
})

test('if the probe succeeds but every create fails, three more rows are lost and no others', async () => {
  const ended = await runOver(100, ({ isCreate }) => (isCreate ? new Response(null, { status: 502 }) : undefined), {
    concurrency: 4,
  })
  expect(ended).toMatchObject({ stopped: 'error', error: { code: 'SERVER_FAULT', outcome: 'unknown' } })
  expect(ended.counts.unknown).toBe(4 + 3)
})

test('a second outage that begins before a create succeeds has its own time limit', async () => {
  let endsAt = [0, 0]
  const down: Fault = ({ isCreate, creates, at }) => {
    if (isCreate && creates === 10) endsAt = [at + 590_000, 0]
    if (isCreate && at >= (endsAt[0] ?? 0) && endsAt[1] === 0 && creates > 11) endsAt[1] = at + 590_000
    return at < Math.max(...endsAt) ? html() : undefined
  }
  const ended = await runOver(40, down, { concurrency: 2 })
  expect(ended).toMatchObject({ stopped: undefined, counts: { created: 37, unknown: 3 } })
})

test('creates that stay unsent although the probe succeeds end the run after ten of them', async () => {
  const ended = await runOver(40, ({ isCreate }) => (isCreate ? refused() : undefined), { concurrency: 4 })
  expect(ended).toMatchObject({ stopped: 'error', creates: 14, remaining: 40, counts: { created: 0, unknown: 0 } })
})

test('a run whose time limit is shorter than the service needs waits before a create, and sends every row', async () => {
  const { mock, ledger, clock } = await guardedSetting()
  let creates = 0
  const fetch: Fetch = async (url, init) => {
    creates += Number(init.body.includes('mutation'))
    if (creates === 1 && init.body.includes('mutation')) return html(502)
    clock.advance(400)
    return mock.fetch(url, init)
  }
  const client = clientOf(mock, { ledger, fetch, allowClockSkew: true, timeoutMs: 300 })
  const plan = await planCampaign(rowsOf(4), { client })
  const began = clock.now()
  const events = await all<CampaignEvent>(runCampaign(plan, { concurrency: 1 }))
  expect(events.at(-1)).toMatchObject({ summary: { counts: { created: 3, unknown: 1 }, remaining: 0 } })
  expect([creates, clock.now() - began]).toEqual([4, 17_000])
})

test('a row that something in front of the service keeps turning away fails, and the others are sent', async () => {
  const fault: Fault = ({ body }) => (body.includes('c5@') ? new Response(null, { status: 404 }) : undefined)
  for (const concurrency of [1, 8]) {
    const ended = await runOver(20, fault, { concurrency })
    expect(ended.counts).toMatchObject({ created: 19, failed: 1 })
    expect(ended.stopped).toBeUndefined()
  }
})

test('a rate limit at the first probe is waited out', async () => {
  const limit = () => new Response(null, { status: 429, headers: { 'retry-after': '120' } })
  const fault: Fault = ({ at }) => (at < 240_000 ? limit() : undefined)
  const ended = await runOver(5, fault)
  expect([ended.counts.created, ended.tookMs, ended.creates]).toEqual([5, 240_000, 5])
  expect(ended.pauses).toMatchObject([{ waitMs: 120_000, error: { code: 'RATE_LIMITED' } }, { waitMs: 120_000 }])
})

test('maxOutageMs: 0 ends the run at the first failed probe', async () => {
  const ended = await runOver(50, ({ creates }) => (creates >= 10 ? html() : undefined), {
    concurrency: 2,
    maxOutageMs: 0,
  })
  expect(ended).toMatchObject({ stopped: 'error', counts: { created: 10, unknown: 2 }, tookMs: 0, probes: 2 })
})

test('if there is nothing to send, nothing is probed', async () => {
  const { mock, guarded: client } = await guardedSetting()
  const plan = await planCampaign([{ input: {} }], { client })
  await all(runCampaign(plan))
  expect(mock.requestLog.list()).toEqual([])
})

test('a run aborted in an outage ends at once, and the waiting rows stay for the next run', async () => {
  const stop = new AbortController()
  const { mock, ledger, clock } = await guardedSetting()
  let creates = 0
  const fetch: Fetch = async (url, init) => {
    if (init.body.includes('mutation')) creates += 1
    if (creates > 10) throw refused()
    return mock.fetch(url, init)
  }
  const client = clientOf(mock, { ledger, fetch })
  const plan = await planCampaign(rowsOf(40), { client })
  const began = clock.now()
  const events: CampaignEvent[] = []
  for await (const event of runCampaign(plan, { signal: stop.signal })) {
    events.push(event)
    if (event.type === 'outage') stop.abort()
  }
  expect(events.at(-1)).toMatchObject({ summary: { stopped: 'aborted', remaining: 30, counts: { created: 10 } } })
  expect(clock.now() - began).toBeLessThan(2000)
  expect((await ledger.check()).records).toMatchObject({ sending: 0, unknown: 0 })
})
