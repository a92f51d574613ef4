import { expect, test } from 'vitest'
import type { Database, Row } from '../../../src/ledger/database.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import type { LedgerFilter } from '../../../src/ledger/rules/model.ts'
import { SQLITE_SCHEMA } from '../../../src/ledger/schema.ts'
import { loadDriver } from '../../../src/ledger/sqlite-driver.ts'
import { all, standingClock } from './setting.ts'

const account = 'acme'
const email = 'ada@example.com'

test.each<readonly [index: string, read: 'list' | 'count', filter: LedgerFilter]>([
  ['pending', 'list', { state: 'unknown' }],
  ['pending', 'list', { state: 'sending', account, world: '' }],
  ['pending', 'count', { state: 'unknown', account }],
  ['account', 'list', { account }],
  ['account', 'list', { account, campaign: 'spring', state: 'created' }],
  ['expiry', 'list', { expiringWithinMs: 1000 }],
  ['expiry', 'list', { expiringWithinMs: 1000, account, world: '' }],
  ['sent', 'list', { orderBy: 'sent' }],
  ['sent', 'list', { orderBy: 'sent', account, state: 'created' }],
  ['expiry', 'list', { orderBy: 'expiry', account }],
  ['decided', 'list', { orderBy: 'decided' }],
  ['decided', 'list', { orderBy: 'decided', decided: true, account }],
  ['candidate', 'list', { account, email }],
  ['candidate', 'list', { state: 'unknown', email }],
])('SQLite finds by the index %s, and need not sort: %s %j', async (index, read, filter) => {
  const { ledger, plans } = explained()
  await {
    list: () => all(ledger.list(filter)),
    count: () => ledger.count(filter),
  }[read]()
  expect(plans).toEqual([
    expect.stringMatching(`^(SEARCH|SCAN) certify_sends USING INDEX certify_sends_${index}( \\([^|]*)?$`),
  ])
})

test.each<readonly [index: string, filter: LedgerFilter]>([
  ['pending', { state: 'unknown', orderBy: 'expiry' }],
  ['pending', { state: 'sending', account, orderBy: 'sent' }],
  ['decided', { decided: true }],
  ['decided', { decided: true, account, orderBy: 'sent' }],
  ['candidate', { email, orderBy: 'sent' }],
])('SQLite rather sorts the few records of the index %s than looks through all: $1', async (index, filter) => {
  const { ledger, plans } = explained()
  await all(ledger.list(filter))
  expect(plans).toEqual([
    expect.stringMatching(`^(SEARCH|SCAN) certify_sends USING INDEX certify_sends_${index}.*TEMP B-TREE`),
  ])
})

test('SQLite finds references by their index, also with an account', async () => {
  const { ledger, plans } = explained()
  await all(ledger.list({ account, references: ['one', 'two'] }))
  expect(plans).toEqual([
    expect.stringContaining('certify_sends USING INDEX sqlite_autoindex_certify_sends_1 (reference=?'),
  ])
})

test.each<LedgerFilter>([{ account }, { account, search: 'ada' }])(
  'SQLite counts the progress in one index, and searches in another one: %j',
  async (filter) => {
    const { ledger, plans } = explained()
    await ledger.progress(0, filter)
    await all(ledger.list({ ...filter, search: 'ada' }))
    expect(plans[0]).toContain('SCAN certify_sends USING COVERING INDEX certify_sends_progress')
    expect(plans[0]).not.toContain('TEMP B-TREE')
    expect(plans[1]).toMatch(/SEARCH certify_sends USING INTEGER PRIMARY KEY/)
    expect(plans[1]).toContain('SCAN certify_sends USING COVERING INDEX certify_sends_search')
    expect(plans[1]).not.toContain('TEMP B-TREE')
  },
)

/* An empty ledger, and how SQLite would execute each query. */
function explained() {
  const sqlite = loadDriver().open(':memory:')
  for (const statement of SQLITE_SCHEMA) sqlite.exec(statement)
  const plans: string[] = []
  const transaction: Database['transaction'] = (work) =>
    work({
      now: async () => 0,
      all: async (sql, ...values) => {
        const steps = sqlite.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as Row[]
        plans.push(steps.map(({ detail }) => detail).join(' | '))
        return []
      },
      run() {},
      lock: async () => {},
      lockFound: async () => undefined,
    })
  const clock = standingClock()
  const ledger = createLedger({
    path: '',
    driver: '',
    revision: '',
    clock,
    transaction,
    problems: async () => [],
    close: async () => {},
  })
  return { ledger, plans }
}
