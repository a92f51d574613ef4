import { expect, onTestFinished, test, vi } from 'vitest'
import { CertifyClient } from '../../src/index.ts'
import { type Clock, openMemoryLedger } from '../../src/ledger/index.ts'
import type { PostgresLedger } from '../../src/ledger/postgres/index.ts'
import { wishQueueOf } from '../../src/ledger/postgres/wish-queue.ts'
import { runWorker } from '../../src/worker/index.ts'
import { sql } from './server.mjs'
import { ACCOUNT, CREATE, NONE, setting } from './worker-setting.ts'

const ALWAYS = Number.POSITIVE_INFINITY
const WITHIN = { timeout: 20_000 }

test('a new wish is sent at its notification, without a look at the outbox in between', async () => {
  const { clock, polls } = standing()
  const { enqueue, run, mock } = await setting({ clock })
  const stop = new AbortController()
  const running = run({ signal: stop.signal })
  await vi.waitFor(() => expect(polls()).toBeGreaterThan(1), WITHIN)
  const before = polls()
  const began = performance.now()
  await enqueue('hire-1')
  await vi.waitFor(() => expect(mock.invites).toHaveLength(1), { ...WITHIN, interval: 5 })
  process.stdout.write(`sent ${Math.round(performance.now() - began)} ms after it was enqueued\n`)
  expect(before).toBeGreaterThan(0)
  stop.abort()
  expect(await running).toMatchObject({ counts: { ...NONE, created: 1 }, stopped: 'aborted' })
})

test('without notifications, a new wish is found after one to five seconds by the clock', async () => {
  const { clock, polls, ring, waits } = standing()
  const { enqueue, run, mock } = await setting({ clock, listens: false })
  const stop = new AbortController()
  const running = run({ signal: stop.signal })
  for (let poll = 1; poll <= 5; poll += 1) {
    await vi.waitFor(() => expect(polls()).toBe(poll), WITHIN)
    if (poll < 5) ring()
  }
  await enqueue('hire-1')
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(mock.invites, 'before the poll').toEqual([])
  ring()
  await vi.waitFor(() => expect(mock.invites).toHaveLength(1), WITHIN)
  const first = waits[0] ?? 0
  expect(first).toBeGreaterThanOrEqual(800)
  expect(Math.max(...waits.filter((ms) => ms < 30_000))).toBeLessThanOrEqual(5_000)
  expect(waits[4]).toBeGreaterThan(first)
  stop.abort()
  await running
})

test('a lost connection for notifications is opened again', async () => {
  const { enqueue, run, mock, url } = await setting()
  const stop = new AbortController()
  const running = run({ signal: stop.signal })
  const listening = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`
  await vi.waitFor(async () => expect(await sql(url, listening)).toBe('1'), WITHIN)
  await sql(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`,
  )
  await vi.waitFor(async () => expect(await sql(url, listening)).toBe('1'), WITHIN)
  await enqueue('hire-1')
  await vi.waitFor(() => expect(mock.invites).toHaveLength(1), WITHIN)
  stop.abort()
  await running
})

test('when the signal is aborted, what is on its way is finished and recorded, and the rest waits', async () => {
  const { enqueue, run, mock, list, creates } = await setting()
  mock.faults.add({ operation: CREATE, times: ALWAYS, fault: { delayMs: 300 } })
  for (let wish = 1; wish <= 6; wish += 1) await enqueue(`w${wish}`)
  const stop = new AbortController()
  const running = run({ signal: stop.signal, concurrency: 2 })
  await vi.waitFor(() => expect(creates()).toBeGreaterThan(0), WITHIN)
  stop.abort()
  const { counts, stopped } = await running
  expect(stopped).toBe('aborted')
  expect(counts.created).toBe(mock.invites.length)
  expect(counts.created).toBeLessThan(6)
  const states = (await list()).map(({ state }) => state)
  expect(states.filter((state) => state === 'created')).toHaveLength(counts.created)
  expect(states.filter((state) => state === 'waiting')).toHaveLength(6 - counts.created)
})

test('a signal that was aborted before takes nothing', async () => {
  const { enqueue, run, list } = await setting()
  await enqueue('hire-1')
  expect(await run({ signal: AbortSignal.abort() })).toMatchObject({ counts: NONE, stopped: 'aborted', wishes: [] })
  expect(await list()).toMatchObject([{ state: 'waiting', tries: 0 }])
})

test('a key that is not accepted ends the worker with the error, and the wish waits for the next one', async () => {
  const { enqueue, drain, list, service } = await setting()
  await enqueue('hire-1')
  const other = new CertifyClient({ baseUrl: service.url, apiKey: 'wrong', timeoutMs: 2_000 })
  await expect(drain({}, other)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  expect(await list()).toMatchObject([{ state: 'waiting' }])
  expect((await drain()).counts.created).toBe(1)
})

test('a wrong URL ends the worker with the error, and nothing is sent', async () => {
  const { enqueue, drain, list, service, mock } = await setting()
  await enqueue('hire-1')
  const other = new CertifyClient({ baseUrl: `${service.url}/nowhere`, apiKey: mock.apiKey, timeoutMs: 2_000 })
  await expect(drain({}, other)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await list()).toMatchObject([{ state: 'waiting' }])
})

test('an outage makes at most as many wishes unknown as the concurrency; all others are sent when it is over', async () => {
  const { enqueue, drain, mock, list } = await setting()
  for (let wish = 1; wish <= 20; wish += 1) await enqueue(`w${wish}`)
  mock.faults.add({ skip: 6, times: 5, fault: 503 })
  const { counts, events } = await drain({ concurrency: 3 })
  expect(counts.unknown).toBeGreaterThan(0)
  expect(counts.unknown).toBeLessThanOrEqual(3)
  expect(counts.created).toBe(20 - counts.unknown)
  expect(events.map(({ type }) => type)).toContain('outage')
  expect(await list({ state: 'unknown' })).toHaveLength(counts.unknown)
})

test('a worker that is stopped while it probes in an outage lets another one probe at once', async () => {
  const { enqueue, run, mock, ledger, client } = await setting()
  for (let wish = 1; wish <= 5; wish += 1) await enqueue(`w${wish}`)
  mock.faults.add({ skip: 1, times: ALWAYS, fault: 503 })
  const pace = ledger.shared?.({ baseUrl: client.endpoint, account: ACCOUNT, world: mock.worldId })
  const stop = new AbortController()
  const running = run({ concurrency: 2, signal: stop.signal })
  await vi.waitFor(async () => expect((await pace?.read())?.outage).toMatchObject({ probedBy: 'another' }), WITHIN)
  stop.abort()
  await running
  expect((await pace?.read())?.outage).toMatchObject({ probedBy: 'nobody' })
})

test('an outage that takes longer than maxOutageMs ends the worker, and the rest waits', async () => {
  const { enqueue, drain, mock, ledger } = await setting()
  for (let wish = 1; wish <= 10; wish += 1) await enqueue(`w${wish}`)
  mock.faults.add({ skip: 1, times: ALWAYS, fault: 503 })
  await expect(drain({ concurrency: 2, maxOutageMs: 1_500 })).rejects.toMatchObject({ code: 'SERVER_FAULT' })
  expect(await ledger.outbox.counts()).toMatchObject({ unknown: 2, waiting: 8, sending: 0 })
})

test('after HTTP 429 all wait as long as Retry-After says, and the wish is sent then', async () => {
  const { enqueue, drain, mock } = await setting()
  mock.faults.add({ operation: CREATE, fault: { status: 429, headers: { 'retry-after': '1' } } })
  await enqueue('hire-1')
  const { counts, events, wishes, durationMs } = await drain()
  expect(counts).toEqual({ ...NONE, created: 1 })
  expect(events).toMatchObject([{ type: 'pause', waitMs: 1000 }, { type: 'wish' }])
  expect(wishes).toMatchObject([{ entry: 'hire-1+2' }])
  expect(durationMs).toBeGreaterThanOrEqual(1_000)
})

test('a wish that is limited again and again waits for another time, and is then sent', async () => {
  const { enqueue, drain, mock } = await setting()
  mock.faults.add({ operation: CREATE, times: 10, fault: { status: 429, headers: { 'retry-after': '0' } } })
  await enqueue('hire-1')
  const { wishes } = await drain()
  expect(wishes.map(({ state }) => state)).toEqual(['waiting', 'created'])
  expect(wishes).toMatchObject([{ error: { code: 'RATE_LIMITED' }, dueInMs: 0 }, { entry: 'hire-1+11' }])
})

test('no more creates are sent in a second than the rate', async () => {
  const { enqueue, drain } = await setting()
  for (let wish = 1; wish <= 11; wish += 1) await enqueue(`w${wish}`)
  const { counts, durationMs } = await drain({ ratePerSecond: 10 })
  expect(counts.created).toBe(11)
  expect(durationMs).toBeGreaterThanOrEqual(900)
})

test('a wish that was removed while its worker waited is not sent', async () => {
  const { clock, advance } = standing()
  const { enqueue, run, mock, ledger } = await setting({ clock })
  mock.faults.add({ operation: CREATE, fault: { status: 429, headers: { 'retry-after': '8' } } })
  await enqueue('hire-1')
  const running = run({ drain: true, allowClockSkew: true })
  await vi.waitFor(async () => expect(await ledger.find('hire-1')).toMatchObject({ state: 'not-executed' }), WITHIN)
  await ledger.purge({ email: 'hire-1@example.com' })
  advance(9_000)
  expect((await running).wishes).toEqual([])
  expect(mock.invites).toEqual([])
})

test('a worker whose lease is over, and whose wish another one has, changes nothing any more', async () => {
  const { enqueue, ledger, url } = await setting()
  await enqueue('hire-1')
  const queue = wishQueueOf(ledger, ACCOUNT, 60_000)
  const take = async () => {
    const [taken] = await queue.take(1)
    if (taken === undefined) throw new Error('nothing is due')
    return taken
  }
  const first = await take()
  await sql(url, 'UPDATE certify.certify_outbox SET due_at = 1')
  const second = await take()
  const late = [await queue.renew(first), await queue.postpone(first, 0), await queue.end(first, { state: 'refused' })]
  expect(late).toEqual([false, false, false])
  expect(await queue.end(second, { state: 'created', entry: 'hire-1' })).toBe(true)
})

test('a wish that somebody else holds in a transaction holds no other wish up', async () => {
  const { enqueue, run, mock, pool } = await setting()
  await enqueue('held')
  await enqueue('free')
  const holder = await pool.connect()
  const stop = new AbortController()
  let running: Promise<unknown> | undefined
  try {
    await holder.query(`BEGIN; SELECT 1 FROM certify.certify_outbox WHERE reference = 'held' FOR UPDATE`)
    running = run({ signal: stop.signal })
    const invited = () => mock.invites.map(({ candidate }) => candidate.email)
    await vi.waitFor(() => expect(invited()).toEqual(['free@example.com']), { timeout: 8_000 })
    await holder.query('COMMIT')
    await vi.waitFor(() => expect(invited()).toEqual(['free@example.com', 'held@example.com']), WITHIN)
  } finally {
    stop.abort()
    holder.release(true)
    await running
  }
})

test('only a ledger on Postgres has an outbox', async () => {
  const { client } = await setting()
  const ledger = await openMemoryLedger()
  onTestFinished(() => ledger.close())
  await expect(runWorker(ledger as PostgresLedger, client, { account: ACCOUNT })).rejects.toThrow('openPostgresLedger')
})

/* A clock that stands. Its timers fire only by `ring`, and by `advance` past their time. */
function standing() {
  let now = Date.now()
  const waits: number[] = []
  const timers = new Set<{ readonly at: number; readonly fire: () => void }>()
  const fire = (isDue: (at: number) => boolean) => {
    for (const timer of [...timers].filter(({ at }) => isDue(at))) {
      timers.delete(timer)
      timer.fire()
    }
  }
  const clock: Clock = {
    now: () => now,
    startTimer(ms, fires) {
      waits.push(ms)
      const timer = { at: now + ms, fire: fires }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  return {
    clock,
    waits,
    polls: () => waits.length,
    ring: () => fire(() => true),
    advance: (ms: number) => {
      now += ms
      fire((at) => at <= now)
    },
  }
}
