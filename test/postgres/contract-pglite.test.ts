import { afterAll } from 'vitest'
import { describeLedger } from '../../src/ledger/contract/index.ts'
import { openPostgresLedger, type PostgresClient } from '../../src/ledger/postgres/index.ts'
import { installed } from './installed.ts'

/* In this process: each place is a schema of one database. */
let lite: Promise<Lite> | undefined
afterAll(async () => (await lite)?.close())

interface Lite extends PostgresClient {
  readonly close: () => Promise<void>
}

describeLedger('a ledger on Postgres over PGlite', {
  open: async ({ clock, place }) => {
    lite ??= installed<{ PGlite: { create(): Promise<Lite> } }>('@electric-sql/pglite').then(({ PGlite }) =>
      PGlite.create(),
    )
    return openPostgresLedger({ client: await lite, schema: place, clock })
  },
})
