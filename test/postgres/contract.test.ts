import { inject } from 'vitest'
import { describeLedger } from '../../src/ledger/contract/index.ts'
import { openPostgresLedger } from '../../src/ledger/postgres/index.ts'

const { url } = inject('postgres')

describeLedger('a ledger on Postgres over pg', {
  open: ({ clock, place }) => openPostgresLedger({ url, schema: place, clock }),
})
