import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { Fetch } from '../../src/index.ts'
import { openPostgresLedger } from '../../src/ledger/postgres.ts'
import { clientBy } from '../src/clock.ts'
import { failureOf } from '../src/failing.ts'
import { claimed } from '../src/ledger/contract/samples.ts'
import { type Cut, type Place, startCuttingProxy } from './cutting-proxy.ts'
import { startPgBouncer } from './pgbouncer.mjs'
import { startPostgres } from './server.mjs'
import { created, freshDatabase, freshLedger, poolOf, request } from './setting.ts'

const CUTS: readonly Cut[] = ['before', 'answer', 'silent']
const READ: Place = ['WHERE reference = ', 'record\0']
const LOCK: Place = ['pg_advisory_xact_lock', 'epoch\0']
const INSERT: Place = ['INSERT INTO certify_sends', 'INSERT 0 1']
const UPDATE: Place = ['UPDATE certify_sends', 'UPDATE 1']
const COMMIT: Place = ['COMMIT\0', 'COMMIT\0']

/* Only a statement without an answer ends by its time-out, which is 10 s by default. */
async function setting(cut?: Cut) {
  const direct = await freshDatabase()
  const proxy = await startCuttingProxy(direct)
  return { proxy, direct, url: cut === 'silent' ? `${proxy.url}?query_timeout=1000` : proxy.url }
}

for (const cut of CUTS) {
  test.each([
    ['its lock', LOCK],
    ['its write', INSERT],
    ['its COMMIT', COMMIT],
  ])(`a claim is recorded once if its connection is lost (${cut}) at %s`, async (_what, place) => {
    const { proxy, url, direct } = await setting(cut)
    const ledger = await freshLedger({ url })
    proxy.cutNext(cut, place)
    expect(await ledger.claim(request('a'))).toMatchObject({ kind: 'claimed' })
    expect(proxy.cuts()).toBe(1)
    const other = await freshLedger({ url: direct })
    expect(await other.check()).toMatchObject({ records: { sending: 1 } })
    expect((await other.claim(request('again'))).kind).toBe('in-flight')
  })

  test.each([
    ['its read', READ],
    ['its lock', LOCK],
    ['its write', UPDATE],
    ['its COMMIT', COMMIT],
  ])(`a settlement is recorded if its connection is lost (${cut}) at %s`, async (_what, place) => {
    const { proxy, url } = await setting(cut)
    const ledger = await freshLedger({ url })
    const claim = await claimed(ledger, request('a'))
    proxy.cutNext(cut, place)
    expect(await ledger.settle(claim, created('inv_1'))).toBe('recorded')
    expect(proxy.cuts()).toBe(1)
    expect(await ledger.find('a')).toMatchObject({ state: 'created', invites: [{ inviteId: 'inv_1' }] })
  })
}

test('a resolution whose COMMIT is not acknowledged is not refused as a second one', async () => {
  const { proxy, url } = await setting()
  const ledger = await freshLedger({ url })
  await ledger.settle(await claimed(ledger, request('a')), { state: 'unknown' })
  proxy.cutNext('answer', COMMIT)
  expect(await ledger.resolve('a', { notCreated: true })).toMatchObject({ state: 'not-executed' })
  expect(proxy.cuts()).toBe(1)
})

test('a statement that ended by its time-out is retried, however long it took', async () => {
  const { proxy, url } = await setting('silent')
  const ledger = await freshLedger({ url, unreachableTimeoutMs: 900 })
  proxy.cutNext('silent', COMMIT)
  expect(await ledger.claim(request('a'))).toMatchObject({ kind: 'claimed' })
})

test('while the database is down a claim rejects with LEDGER_UNUSABLE, and leaves at worst an unknown outcome', async () => {
  const { proxy, url, direct } = await setting()
  const ledger = await freshLedger({ url, unreachableTimeoutMs: 300 })
  proxy.cutNext('answer', COMMIT, { isLast: true })
  const claim = ledger.claim(request('a', 'ada@example.com', { leaseMs: 1 }))
  await expect(claim).rejects.toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed' })
  /* The caller sends nothing. But the ledger cannot know that, so a person decides. */
  const other = await freshLedger({ url: direct })
  expect((await other.claim(request('b'))).kind).toBe('unknown')
})

test('while the database is down a settlement rejects with LEDGER_UNUSABLE, and can be repeated later', async () => {
  const { proxy, url } = await setting()
  const ledger = await freshLedger({ url, unreachableTimeoutMs: 300 })
  const claim = await claimed(ledger, request('a'))
  proxy.setDown(true)
  const lost = ledger.settle(claim, created('inv_1'))
  await expect(lost).rejects.toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed' })
  await expect(lost).rejects.toThrow(/cannot be reached/)
  proxy.setDown(false)
  expect(await ledger.settle(claim, created('inv_1'))).toBe('recorded')
})

test('a call waits for a database that comes back in time', async () => {
  const { proxy, url } = await setting()
  const ledger = await freshLedger({ url, unreachableTimeoutMs: 60_000 })
  proxy.setDown(true)
  const connections = proxy.connections()
  const claim = ledger.claim(request('a'))
  await vi.waitFor(() => expect(proxy.connections()).toBeGreaterThan(connections + 2), 30_000)
  proxy.setDown(false)
  expect(await claim).toMatchObject({ kind: 'claimed' })
})

test.each(['TIMED_OUT', 'ABORTED'] as const)(
  'while a database does not answer, a create ends with %s at its limit; what is recorded later was not sent',
  async (code) => {
    const { proxy, direct } = await setting()
    const ledger = await freshLedger({ url: `${proxy.url}?query_timeout=2000` })
    const stop = new AbortController()
    let timeIsUp = () => {}
    const startTimer = (_ms: number, ring: () => void) => {
      timeIsUp = ring
      return () => {}
    }
    const fetch = vi.fn<Fetch>()
    const client = clientBy(
      { ...systemClock, startTimer },
      { baseUrl: 'https://certify.test', apiKey: 'key', ledger, fetch },
    )
    /* Once the time of the statement is over, it is repeated on another connection. */
    proxy.cutNext('silent', INSERT)
    const input = { quizId: 'quiz', candidate: { email: 'ada@example.com' } }
    const ended = failureOf(client.invites.create(input, { signal: stop.signal, reference: 'a' }))
    await vi.waitFor(() => expect(proxy.cuts()).toBe(1), 20_000)
    if (code === 'TIMED_OUT') timeIsUp()
    else stop.abort()
    expect(await ended).toMatchObject({ code, outcome: 'not-executed', phase: 'not-sent' })
    await ledger.close()
    const other = await freshLedger({ url: direct })
    expect(await other.find('a')).toMatchObject({ state: 'not-executed', code })
    expect(fetch).not.toHaveBeenCalled()
  },
)

test('a database that is down, or never commits, is retried with growing backoff, but not forever', async () => {
  const { proxy, url } = await setting()
  const ledger = await freshLedger({ url, unreachableTimeoutMs: 1000 })
  proxy.cutNext('before', COMMIT, { times: 1000 })
  await expect(ledger.claim(request('a'))).rejects.toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed' })
  /* On a machine that is busy, the time is over after the first retry. */
  expect(proxy.cuts()).toBeGreaterThan(1)
  expect(proxy.cuts()).toBeLessThan(40)
  proxy.setDown(true)
  const connections = proxy.connections()
  await expect(openPostgresLedger({ url, unreachableTimeoutMs: 1000 })).rejects.toMatchObject({
    code: 'LEDGER_UNUSABLE',
    message: expect.stringContaining('cannot be reached'),
    hint: expect.stringContaining('host and port'),
  })
  expect(proxy.connections() - connections).toBeGreaterThan(1)
  expect(proxy.connections() - connections).toBeLessThan(40)
})

test('a settlement through PgBouncer is recorded even if the server crashes during it', async () => {
  const postgres = await startPostgres()
  onTestFinished(postgres.stop)
  const pgBouncer = await startPgBouncer(postgres)
  onTestFinished(pgBouncer.stop)
  const ledger = await freshLedger({ url: pgBouncer.url, unreachableTimeoutMs: 30_000 })
  const claim = await claimed(ledger, request('a'))
  const pool = poolOf(postgres.url)
  const locking = await pool.connect()
  locking.on('error', () => {})
  await locking.query('BEGIN; LOCK TABLE certify.certify_sends IN EXCLUSIVE MODE')
  const settling = ledger.settle(claim, created('inv_a'))
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
  await vi.waitFor(async () => expect((await pool.query(waiting)).rowCount).toBe(1), 120_000)
  await postgres.kill()
  locking.release(true)
  await postgres.start()
  expect(await settling).toBe('recorded')
})
