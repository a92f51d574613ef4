import { afterAll, beforeAll, inject } from 'vitest'
import { openPostgresLedger } from '../../src/ledger/postgres.ts'
import { describeLedger } from '../src/ledger/contract/describe-ledger.ts'
import { startPgBouncer } from './pgbouncer.mjs'

const { url } = inject('postgres')

let bouncer: Awaited<ReturnType<typeof startPgBouncer>>
beforeAll(async () => {
  bouncer = await startPgBouncer(inject('postgres'))
})
afterAll(() => bouncer.stop())

describeLedger('a ledger in Postgres', {
  open: ({ clock, place }) => openPostgresLedger({ url, schema: place, clock }),
  subjects: [
    'the clock',
    'look-ups',
    'lists',
    'searches and titles',
    'resolutions',
    'imports',
    'purges',
    'check and close',
  ],
  isShared: true,
})

describeLedger('a ledger in Postgres through PgBouncer in transaction mode', {
  open: ({ clock, place }) => openPostgresLedger({ url: bouncer.urlOf(url), schema: place, clock }),
  subjects: [],
  isShared: true,
})
