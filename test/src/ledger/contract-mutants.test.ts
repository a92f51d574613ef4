import { expect, test } from 'vitest'
import { emptyDatabase, memoryStore } from '../../../examples/ledger-store/memory-store.ts'
import { PARTS } from '../../../src/ledger/contract/parts.ts'
import { openSetting } from '../../../src/ledger/contract/setting.ts'
import { type Clock, createLedger } from '../../../src/ledger/index.ts'
import { type Break, BROKEN_CLAIMS } from './broken-claims.ts'
import { BROKEN_LISTS } from './broken-lists.ts'

/* The titles of the rules that a store breaks. */
async function brokenBy(how: Break, named = ''): Promise<string[]> {
  const broken: string[] = []
  for (const rule of PARTS.flatMap(({ rules }) => rules).filter(({ title }) => title.startsWith(named))) {
    const database = emptyDatabase()
    const ends: (() => Promise<void>)[] = []
    const open = ({ clock }: { clock: Clock }) => {
      const store = memoryStore(database, clock)
      return createLedger({ ...store, ...how(store, database, clock) }, clock)
    }
    try {
      await rule.test(await openSetting(open, (end) => void ends.push(end)))
    } catch {
      broken.push(rule.title)
    }
    for (const end of ends) await end()
  }
  return broken
}

test('a store that is not broken breaks no rule', async () => {
  expect(await brokenBy(() => ({}))).toEqual([])
})

test.each([...BROKEN_CLAIMS, ...BROKEN_LISTS])('the contract finds a store in which %s', async (_what, rule, how) => {
  expect(await brokenBy(how, rule)).not.toEqual([])
})
