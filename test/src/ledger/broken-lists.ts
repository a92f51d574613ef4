import { type Database, emptyDatabase, memoryStore } from '../../../examples/ledger-store/memory-store.ts'
import type { SendRecord } from '../../../src/ledger/index.ts'
import type { BrokenStore } from './broken-claims.ts'

/** Stores whose times, lists or purges are wrong. */
export const BROKEN_LISTS: readonly BrokenStore[] = [
  [
    'the latest time is that of the last send',
    'that is behind moves the latest time only forward',
    (store, database) => ({
      add: async (send, last) => {
        const isAdded = await store.add(send, last)
        if (isAdded) database.latest = send.sentAt
        return isAdded
      },
    }),
  ],
  [
    'the oldest send comes first in a list',
    'has the newest entry first',
    (store, database) => ({
      readPage: async (query, last) =>
        query.expiring === undefined && last === undefined
          ? [...database.sends.values()].map(({ send }) => send)
          : last === undefined
            ? store.readPage(query, last)
            : [],
    }),
  ],
  [
    'a page begins with the last send of the page before',
    'has each of many entries once',
    (store) => ({
      readPage: async (query, last) => {
        const page = await store.readPage(query, last)
        return last === undefined || page.length === 0 ? page : [last, ...page]
      },
    }),
  ],
  [
    'a list ends after its first page',
    'has each of many entries once',
    (store) => ({ readPage: async (query, last) => (last === undefined ? store.readPage(query, last) : []) }),
  ],
  [
    'what expires soon is in the order of sending',
    'of what expires soon has the earliest expiry first',
    (store) => ({
      readPage: async (query, last) => {
        const page = await store.readPage(query, last)
        return query.expiring === undefined ? page : page.toSorted((one, other) => one.id - other.id)
      },
    }),
  ],
  [
    'a list does not look at results',
    'is found by its result',
    (store) => ({
      readPage: ({ filter, expiring }, last) =>
        store.readPage({ filter: { ...filter, result: undefined }, expiring }, last),
    }),
  ],
  [
    'a purge of a candidate removes what is being sent',
    'never removes what is being sent',
    (store, database) => ({
      remove: (what) => {
        const sending = [...database.sends.values()].filter(({ send }) => send.emailKey === what.email)
        for (const { send } of sending)
          if (send.state === 'sending') change(database, send.reference, { state: 'refused' })
        return store.remove(what)
      },
    }),
  ],
  [
    'a purge by age removes unknown sends',
    'by age removes only what blocks no send any more',
    (store, database) => ({
      remove: (what) => {
        for (const { send } of database.sends.values())
          if (send.state === 'unknown' && what.email === undefined)
            change(database, send.reference, { state: 'refused' })
        return store.remove(what)
      },
    }),
  ],
  [
    'a purge forgets the last send of a candidate, while others claim by it',
    'never remove a send that is claimed while the other one purges',
    (store, database) => ({
      remove: async (what) => {
        const purged = await store.remove(what)
        for (const { send } of database.sends.values())
          if (send.emailKey === what.email) database.sends.delete(send.reference)
        return purged
      },
    }),
  ],
  [
    'the time is that of the machine',
    'is that of the options',
    (store) => ({
      readCandidates: async (scope, questions) => ({
        ...(await store.readCandidates(scope, questions)),
        now: Date.now(),
      }),
    }),
  ],
  [
    'each opening is another database',
    'see what the other one recorded',
    (_store, _database, clock) => memoryStore(emptyDatabase(), clock),
  ],
]

function change(database: Database, reference: string, more: Partial<SendRecord>): void {
  const stored = database.sends.get(reference)
  if (stored !== undefined) database.sends.set(reference, { ...stored, send: { ...stored.send, ...more } })
}
