/* In your project, import from 'certify-sdk/ledger' and 'certify-sdk/ledger/contract'. */
import { describeLedger } from '../../src/ledger/contract/index.ts'
import { createLedger } from '../../src/ledger/index.ts'
import { type Database, emptyDatabase, memoryStore } from './memory-store.ts'

const databases = new Map<string, Database>()

describeLedger('a ledger over the smallest store', {
  open: ({ clock, place }) => {
    const database = databases.get(place) ?? emptyDatabase()
    databases.set(place, database)
    return createLedger(memoryStore(database, clock), clock)
  },
})
