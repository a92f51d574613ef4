import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Finding, type Ledger, openLedger, resolveAll } from '../../../src/ledger/index.ts'
import type { DriverName } from '../../../src/ledger/sqlite-driver.ts'
import { all, DRIVERS, freshLedger, standingClock } from './setting.ts'

const scope = { baseUrl: 'https://certify.test', account: 'acme', world: '' }
const notCreated: Finding = { notCreated: true }

async function claim(ledger: Ledger, reference: string) {
  const candidate = { email: `${reference}@example.com` }
  const target = { ...candidate, quizIds: ['quiz'] }
  const { kind } = await ledger.claim({ scope, target, reference, input: { quizId: 'quiz', candidate }, leaseMs: 1000 })
  expect(kind).toBe('claimed')
}

/* A ledger with so many unknown sends, and their references. */
async function withUnknown(count: number, driver: DriverName) {
  const ledger = await freshLedger(standingClock(), { driver })
  const references = Array.from({ length: count }, (_each, index) => `r${index}`)
  await Promise.all(references.map((reference) => claim(ledger, reference)))
  await Promise.all(
    references.map((reference) => ledger.settle(reference, { state: 'unknown', code: 'CONNECTION_LOST' })),
  )
  return { ledger, references }
}

/* SQLite counts the transactions that changed a file in its header. */
const commitsOf = ({ path }: Ledger) => readFileSync(path).readUInt32BE(24)

describe.each(DRIVERS)('many findings over %s', (driver: DriverName) => {
  test('are recorded together: 200 in one transaction', async () => {
    const { ledger, references } = await withUnknown(200, driver)
    const before = commitsOf(ledger)
    const results = await resolveAll(
      ledger,
      references.map((reference, index) => ({
        reference,
        finding: index % 2 === 0 ? notCreated : { created: `inv_${index}` },
      })),
    )
    expect(commitsOf(ledger) - before).toBe(1)
    expect(results.map(({ reference }) => reference)).toEqual(references)
    expect(new Set(results.map(({ error }) => error))).toEqual(new Set([undefined]))
    expect(results.slice(0, 2).map(({ entry }) => [entry?.state, entry?.invites.map((each) => each.inviteId)])).toEqual(
      [
        ['not-executed', []],
        ['created', ['inv_1']],
      ],
    )
    expect(await all(ledger.list({ state: 'created' }))).toHaveLength(100)
  })
})

test('a ledger that cannot record has an error for each finding', async () => {
  const { ledger, references } = await withUnknown(2, DRIVERS[0] ?? 'node:sqlite')
  await ledger.close()
  const results = await resolveAll(
    ledger,
    references.map((reference) => ({ reference, finding: notCreated })),
  )
  expect(results.map(({ error }) => error?.code)).toEqual(['LEDGER_UNUSABLE', 'LEDGER_UNUSABLE'])
  const again = await openLedger(ledger.path, { clock: ledger.clock })
  try {
    expect(await all(again.list({ state: 'unknown' }))).toHaveLength(2)
  } finally {
    await again.close()
  }
})
