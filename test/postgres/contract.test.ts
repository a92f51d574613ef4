import { afterAll, inject, onTestFinished } from 'vitest'
import { describeLedger } from '../../src/ledger/contract/index.ts'
import type { Clock } from '../../src/ledger/index.ts'
import { openPostgresLedger, type PostgresClient } from '../../src/ledger/postgres/index.ts'
import { installed } from './installed.ts'
import { startPgBouncer } from './pgbouncer.mjs'
import type { poolOf } from './setting.ts'

interface Place {
  readonly clock: Clock
  readonly place: string
}

const { url } = inject('postgres')

describeLedger('a ledger on Postgres over pg', {
  open: ({ clock, place }: Place) => openPostgresLedger({ url, schema: place, clock }),
})

const bouncer = startPgBouncer(inject('postgres'))
afterAll(async () => (await bouncer).stop())

describeLedger('a ledger on Postgres behind PgBouncer in transaction mode', {
  open: async ({ clock, place }: Place) =>
    openPostgresLedger({ url: (await bouncer).urlOf(url), schema: place, clock }),
})

describeLedger('a ledger on Postgres over the oldest pg', {
  open: async ({ clock, place }: Place) => {
    const { default: oldest } = await installed<{
      default: { Pool: new (options: object) => ReturnType<typeof poolOf> }
    }>('pg-oldest')
    const client = new oldest.Pool({ connectionString: url, max: 3 })
    onTestFinished(() => client.end())
    return openPostgresLedger({ client, schema: place, clock })
  },
})

describeLedger('a ledger on Postgres over postgres.js', {
  open: async ({ clock, place }: Place) => {
    const { default: connect } = await installed<{ default: (url: string, options: object) => PostgresJs }>('postgres')
    const sql = connect(url, { max: 3, onnotice: () => {} })
    onTestFinished(() => sql.end())
    const client: PostgresClient = { query: (text, values) => sql.unsafe(text, values) }
    return openPostgresLedger({ client, schema: place, clock })
  },
})

interface PostgresJs {
  readonly unsafe: (text: string, values?: unknown[]) => PromiseLike<readonly object[]>
  readonly end: () => Promise<void>
}

/* In one process: each place is a schema of one database. */
let lite: Promise<PostgresClient> | undefined

describeLedger('a ledger on Postgres over PGlite', {
  open: async ({ clock, place }: Place) => {
    lite ??= installed<{ PGlite: { create(): Promise<PostgresClient> } }>('@electric-sql/pglite').then(({ PGlite }) =>
      PGlite.create(),
    )
    return openPostgresLedger({ client: await lite, schema: place, clock })
  },
})
