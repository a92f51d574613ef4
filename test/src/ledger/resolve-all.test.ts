import { describe, expect, test } from 'vitest'
import { type DriverName, type Finding, type Ledger, openLedger, resolveAll } from '../../../src/ledger/index.ts'
import { loadDriver } from '../../../src/ledger/sqlite/driver.ts'
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

/* The number of transactions that have changed the file. */
function commitsOf({ path }: Ledger): number {
  const database = loadDriver().open(path)
  try {
    return (database.prepare('SELECT commits FROM ledger').get() as { commits: number }).commits
  } finally {
    database.close()
  }
}

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

  test('that cannot be recorded do not prevent the others, and change nothing', async () => {
    const { ledger } = await withUnknown(4, driver)
    await claim(ledger, 'sending')
    await ledger.resolve('r1', { created: 'inv_known' })
    const results = await resolveAll(ledger, [
      { reference: 'sending', finding: notCreated },
      { reference: 'r0', finding: notCreated },
      { reference: 'r1', finding: notCreated },
      { reference: 'nobody', finding: notCreated },
      { reference: 'r2', finding: { created: 'inv_known' } },
      { reference: 'r3', finding: { created: 'inv_3' } },
    ])
    expect(results.map(({ entry, error }) => entry?.state ?? [error?.code, error?.outcome, error?.issues])).toEqual([
      ['INPUT_INVALID', 'not-executed', [expect.objectContaining({ path: 'reference' })]],
      'not-executed',
      ['INPUT_INVALID', 'not-executed', [expect.objectContaining({ path: 'reference' })]],
      ['INPUT_INVALID', 'not-executed', [expect.objectContaining({ path: 'reference' })]],
      ['INPUT_INVALID', 'not-executed', [expect.objectContaining({ path: 'created' })]],
      'created',
    ])
    const states = (await all(ledger.list())).map(({ reference, state }) => [reference, state])
    expect(Object.fromEntries(states)).toEqual({
      sending: 'sending',
      r0: 'not-executed',
      r1: 'created',
      r2: 'unknown',
      r3: 'created',
    })
  })

  test('of two processes about the same sends are recorded once each, and the other process gets to know', async () => {
    const { ledger, references } = await withUnknown(50, driver)
    const other = await freshLedger(standingClock(), { driver, path: ledger.path })
    const sides = await Promise.all([
      resolveAll(
        ledger,
        references.map((reference) => ({ reference, finding: notCreated })),
      ),
      resolveAll(
        other,
        references.toReversed().map((reference) => ({ reference, finding: { created: `inv_${reference}` } })),
      ),
    ])
    const recorded = sides.flat().flatMap(({ entry }) => entry ?? [])
    const refused = sides.flat().flatMap(({ error }) => error ?? [])
    expect([recorded.length, refused.length]).toEqual([50, 50])
    for (const { reference, state } of recorded) expect(await ledger.find(reference)).toMatchObject({ state })
  })

  test('twice about one send are refused before anything is recorded', async () => {
    const { ledger } = await withUnknown(2, driver)
    const twice = resolveAll(ledger, [
      { reference: 'r0', finding: notCreated },
      { reference: 'r1', finding: notCreated },
      { reference: 'r0', finding: { created: 'inv_0' } },
    ])
    await expect(twice).rejects.toMatchObject({ code: 'INPUT_INVALID', issues: [{ path: '2.reference' }] })
    expect(await all(ledger.list({ state: 'unknown' }))).toHaveLength(2)
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
  const again = await openLedger({ path: ledger.path, clock: ledger.clock })
  try {
    expect(await all(again.list({ state: 'unknown' }))).toHaveLength(2)
  } finally {
    await again.close()
  }
})
