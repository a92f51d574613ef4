import { expect, onTestFinished, test, vi } from 'vitest'
import { inspectPostgresLedger, openPostgresLedger } from '../../src/ledger/postgres/index.ts'
import { startPgBouncer } from './pgbouncer.mjs'
import { sql, startPostgres } from './server.mjs'
import { type Cut, type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts'
import { all, created, freshDatabase, freshLedger, poolOf, request, scope } from './setting.ts'

/* A text of each statement, and which cuts are possible. A silent connection ends by the time-out of a statement. */
const READ_FOR_CLAIM = "'candidates'"
const ADD = 'certify_send_ids'
const READ_FOR_CHANGE = "'others'"
const REPLACE = "'whole'"
const CUTS: readonly Cut[] = ['before', 'answer', 'silent']

async function setting(): Promise<{ proxy: CuttingProxy; url: string; direct: string }> {
  const direct = await freshDatabase()
  const proxy = await startCuttingProxy(direct)
  return { proxy, url: proxy.urlOf(direct), direct }
}

for (const cut of CUTS) {
  test(`a claim whose connection is lost (${cut}) at its read or its write is claimed once`, async () => {
    const { proxy, url, direct } = await setting()
    const ledger = await freshLedger({ url, statementTimeoutMs: 300 })
    for (const [index, statement] of [READ_FOR_CLAIM, ADD].entries()) {
      proxy.cutNext(cut, statement)
      expect(await ledger.claim(request(`r${index}`, `${index}@example.com`))).toEqual({ kind: 'claimed' })
      expect(proxy.cuts()).toBe(index + 1)
    }
    const other = await freshLedger({ url: direct })
    expect(await other.check()).toMatchObject({ problems: [], entries: { sending: 2 } })
    expect((await other.claim(request('again', '1@example.com'))).kind).toBe('in-flight')
  })

  test(`a settlement whose connection is lost (${cut}) at its read or its write is recorded`, async () => {
    const { proxy, url } = await setting()
    const ledger = await freshLedger({ url, statementTimeoutMs: 300 })
    for (const [index, statement] of [READ_FOR_CHANGE, REPLACE].entries()) {
      await ledger.claim(request(`r${index}`, `${index}@example.com`))
      proxy.cutNext(cut, statement)
      expect(await ledger.settle(`r${index}`, created(`inv_${index}`))).toBe('recorded')
      expect(proxy.cuts()).toBe(index + 1)
      expect(await ledger.find(`r${index}`)).toMatchObject({
        state: 'created',
        invites: [{ inviteId: `inv_${index}` }],
      })
    }
  })
}

test('a claim rejects with LEDGER_UNUSABLE while the database is away, and leaves at worst an unknown outcome', async () => {
  const { proxy, url, direct } = await setting()
  const ledger = await freshLedger({ url, statementTimeoutMs: 300, unreachableTimeoutMs: 300 })
  proxy.cutNext('answer', ADD, { isLast: true })
  const claim = ledger.claim(request('a', 'ada@example.com', { leaseMs: 1 }))
  await expect(claim).rejects.toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed' })
  /* The caller sends nothing. But nobody can know that, so a person decides. */
  const other = await freshLedger({ url: direct })
  expect((await other.claim(request('b'))).kind).toBe('unknown')
})

test('a settlement rejects with LEDGER_UNUSABLE while the database is away, and can be repeated later', async () => {
  const { proxy, url } = await setting()
  const ledger = await freshLedger({ url, unreachableTimeoutMs: 300 })
  await ledger.claim(request('a'))
  proxy.setDown(true)
  const lost = ledger.settle('a', created('inv_1'))
  await expect(lost).rejects.toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed' })
  await expect(lost).rejects.toThrow(/cannot be reached/)
  proxy.setDown(false)
  expect(await ledger.settle('a', created('inv_1'))).toBe('recorded')
})

test('a call waits for a database that comes back in time', async () => {
  const { proxy, url } = await setting()
  const ledger = await freshLedger({ url })
  proxy.setDown(true)
  const claim = ledger.claim(request('a'))
  setTimeout(() => proxy.setDown(false), 500)
  expect(await claim).toEqual({ kind: 'claimed' })
})

test('a ledger whose writes never succeed says so, although its reads do', async () => {
  const { proxy, url } = await setting()
  const ledger = await freshLedger({ url, statementTimeoutMs: 100, unreachableTimeoutMs: 300 })
  proxy.cutNext('before', ADD, { times: 1000 })
  await expect(ledger.claim(request('a'))).rejects.toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed' })
})

test('a server that cannot be reached is an error of opening, with a hint', async () => {
  const { proxy, url } = await setting()
  proxy.setDown(true)
  await expect(openPostgresLedger({ url, unreachableTimeoutMs: 200 })).rejects.toMatchObject({
    code: 'LEDGER_UNUSABLE',
    message: expect.stringContaining('cannot be reached'),
    hint: expect.stringContaining('host and port'),
  })
})

test.each([
  [0, 'ECONNREFUSED'],
  [1, 'ECONNREFUSED'],
  [400, 'ECONNREFUSED'],
  [400, '40001'],
] as const)(
  'writes that fail at once for ever end after %d ms, and are not repeated without a pause: %s',
  async (ms, code) => {
    const real = poolOf(await freshDatabase())
    let tries = 0
    const client = {
      query: (text: string, values?: unknown[]) => {
        if (!text.includes('paused AS')) return real.query<object>(text, values)
        tries += 1
        return Promise.reject(Object.assign(new Error('away'), { code: tries < 50 ? code : '42501' }))
      },
    }
    const ledger = await freshLedger({ client, unreachableTimeoutMs: ms })
    await expect(ledger.shared?.(scope).pauseFor(1000)).rejects.toThrow(code)
    expect(tries).toBeLessThan(10)
  },
)

test('a database that is read-only is told as that, when it is opened, inspected, or written to', async () => {
  const readOnly = async (url: string) =>
    sql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`)
  const told = {
    code: 'LEDGER_UNUSABLE',
    outcome: 'not-executed',
    message: expect.stringContaining('the database is read-only (25006)'),
    hint: expect.stringContaining('primary server'),
  }
  const empty = await freshDatabase()
  await readOnly(empty)
  await expect(openPostgresLedger({ url: empty, unreachableTimeoutMs: 50 })).rejects.toMatchObject(told)
  const url = await freshDatabase()
  await freshLedger({ url })
  await readOnly(url)
  const ledger = await freshLedger({ url, unreachableTimeoutMs: 300 })
  expect(await all(ledger.list())).toEqual([])
  await expect(ledger.claim(request('a', 'ada@example.com', { deadlineMs: 1 }))).rejects.toMatchObject(told)
  const tx = poolOf(url)
  await expect(ledger.enqueue(tx, request('a').input, { account: 'acme' })).rejects.toMatchObject(told)
  expect((await inspectPostgresLedger({ url })).error).toMatchObject(told)
})

test('a claim that meets a standby is made when the failover is done', async () => {
  const real = poolOf(await freshDatabase())
  let tries = 0
  const client = {
    query: (text: string, values?: unknown[]) => {
      tries += Number(text.includes(ADD))
      const isStandby = text.includes(ADD) && tries <= 3
      return isStandby
        ? Promise.reject(Object.assign(new Error(), { code: '25006' }))
        : real.query<object>(text, values)
    },
  }
  const ledger = await freshLedger({ client })
  tries = 0
  expect(await ledger.claim(request('a'))).toEqual({ kind: 'claimed' })
  expect(tries).toBe(4)
})

test('a settlement behind PgBouncer is recorded though the server crashes during it', async () => {
  const postgres = await startPostgres()
  onTestFinished(postgres.stop)
  const pgBouncer = await startPgBouncer(postgres)
  onTestFinished(pgBouncer.stop)
  const ledger = await freshLedger({ url: pgBouncer.url, unreachableTimeoutMs: 30_000 })
  await ledger.claim(request('a'))
  const pool = poolOf(postgres.url)
  const locking = await pool.connect()
  locking.on('error', () => {})
  await locking.query('BEGIN; LOCK TABLE certify.certify_send_records IN EXCLUSIVE MODE')
  const settling = ledger.settle('a', created('inv_a'))
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
  await vi.waitFor(async () => expect((await pool.query(waiting)).rowCount).toBe(1), 20_000)
  await postgres.kill()
  locking.release(true)
  await postgres.start()
  expect(await settling).toBe('recorded')
})
