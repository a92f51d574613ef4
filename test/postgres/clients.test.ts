import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { completed, learn } from '../../src/ledger/contract/events.ts'
import { describeLedger } from '../../src/ledger/contract/index.ts'
import {
  migratePostgresLedger,
  openPostgresInbox,
  openPostgresLedger,
  type PostgresClient,
} from '../../src/ledger/postgres/index.ts'
import { standingClock } from '../../src/ledger/contract/standing-clock.ts'
import * as removal from '../../src/ledger/postgres/removal.ts'
import * as reads from '../../src/ledger/postgres/store-reads.ts'
import * as writes from '../../src/ledger/postgres/store-writes.ts'
import { installed } from './installed.ts'
import { startPgBouncer } from './pgbouncer.mjs'
import { all, created, poolOf, request, scope } from './setting.ts'

const { url } = inject('postgres')
const ada = { email: 'ada@example.com', quizIds: ['quiz'] }
const wholeContract = process.env['LEDGER_CONTRACT'] === 'long'

let bouncer: Awaited<ReturnType<typeof startPgBouncer>>
beforeAll(async () => {
  bouncer = await startPgBouncer(inject('postgres'))
})
afterAll(() => bouncer.stop())

interface PostgresJs {
  readonly unsafe: (text: string, values?: unknown[]) => PromiseLike<readonly object[]>
  readonly end: () => Promise<void>
}

const CLIENTS: Readonly<Record<string, () => Promise<PostgresClient>>> = {
  'PgBouncer in transaction mode': async () => poolOf(bouncer.urlOf(url), { max: 3 }),
  'the oldest pg': async () => {
    const { default: oldest } = await installed<{
      default: { Pool: new (options: object) => PostgresClient & { end(): Promise<void> } }
    }>('pg-oldest')
    const pool = new oldest.Pool({ connectionString: url, max: 3 })
    onTestFinished(() => pool.end())
    return pool
  },
  'postgres.js': async () => {
    const { default: connect } = await installed<{ default: (url: string, options: object) => PostgresJs }>('postgres')
    const sql = connect(url, { max: 3, onnotice: () => {} })
    onTestFinished(() => sql.end())
    return { query: (text, values) => sql.unsafe(text, values) }
  },
}

for (const [name, connect] of Object.entries(CLIENTS)) {
  if (wholeContract) {
    describeLedger(`a ledger on Postgres over ${name}`, {
      open: async ({ clock, place }) => openPostgresLedger({ client: await connect(), schema: place, clock }),
    })
  }
  describe(`over ${name}`, () => {
    test('runs every statement of a ledger: each has its effect', async () => {
      const client = await connect()
      const sent = new Set<string>()
      const schema = `over_${crypto.randomUUID().slice(0, 8)}`
      const clock = standingClock()
      const noted: PostgresClient = {
        query: (text, values) => {
          sent.add(text)
          return client.query(text, values)
        },
      }
      const options = { client: noted, schema, clock }
      const ledger = await openPostgresLedger(options)

      expect(await ledger.claim(request('a'))).toEqual({ kind: 'claimed' })
      expect(await ledger.claim(request('b'))).toMatchObject({ kind: 'in-flight', entries: [{ reference: 'a' }] })
      expect(await ledger.settle('a', created('inv_1'))).toBe('recorded')
      expect(await ledger.find('a')).toMatchObject({ state: 'created', invites: [{ inviteId: 'inv_1' }] })
      expect(await ledger.lookUp(scope, [ada])).toMatchObject([{ kind: 'invited' }])
      expect(await learn(ledger, completed('inv_1', 'PASSED'))).toBe('token+ledger')

      expect(await all(ledger.expiring(100 * 365 * 86_400_000))).toMatchObject([{ reference: 'a' }])

      const grace = { target: { email: 'grace@example.com', quizIds: ['quiz'] } }
      await ledger.claim(request('c', grace.target.email, grace))
      clock.advance(60_000)
      expect(await all(ledger.list({ state: 'unknown' }))).toMatchObject([{ reference: 'c' }])
      expect(await ledger.resolve('c', { notCreated: true })).toMatchObject({ state: 'not-executed' })
      expect(await all(ledger.list())).toMatchObject([{ reference: 'c' }, { reference: 'a' }])

      clock.advance(-600_000)
      await expect(ledger.claim(request('d', grace.target.email, grace))).rejects.toMatchObject({ code: 'CLOCK_SKEW' })
      const accepting = await openPostgresLedger({ ...options, acceptClock: true })
      expect(await accepting.claim(request('d', grace.target.email, grace))).toEqual({ kind: 'claimed' })
      clock.advance(10 * 86_400_000)
      expect(await ledger.check()).toMatchObject({ entries: { created: 1 }, problems: [] })
      expect(await ledger.purge({ olderThanMs: 0 })).toMatchObject({ removed: 1 })
      expect(await ledger.purge({ email: ada.email })).toMatchObject({ removed: 1 })
      expect(await ledger.lookUp(scope, [ada])).toEqual([undefined])

      const notSent = Object.entries({ ...reads, ...writes, ...removal }).flatMap(([each, statement]) =>
        typeof statement === 'function' && !sent.has(statement(`"${schema}"`)) ? [each] : [],
      )
      expect(notSent).toEqual([])
    })
  })
}

test('a single client of pg is refused, as a rollback of its transaction would remove claims: the ledger needs a pool', async () => {
  const pool = poolOf(url)
  const ofPool = await pool.connect()
  onTestFinished(() => ofPool.release())
  for (const client of [ofPool, new Client({ connectionString: url })]) {
    for (const open of [openPostgresLedger, openPostgresInbox, migratePostgresLedger]) {
      await expect(open({ client, schema: 'single' })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        outcome: 'not-executed',
        message: expect.stringContaining('client must be a pool'),
        hint: expect.stringContaining('`url`'),
      })
    }
  }
})
