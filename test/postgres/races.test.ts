import { expect, test } from 'vitest'
import { openPostgresLedger } from '../../src/ledger/postgres/index.ts'
import { created, freshDatabase, freshLedger, poolOf, request } from './setting.ts'

test('of 2,000 claims for 50 candidates over 16 connections, one for each candidate succeeds', async () => {
  const url = await freshDatabase()
  const ledgers = await Promise.all(Array.from({ length: 16 }, () => freshLedger({ client: poolOf(url, { max: 1 }) })))
  const claims = await Promise.all(
    Array.from({ length: 2000 }, async (_each, number) =>
      ledgers[number % 16]?.claim(request(`r${number}`, `candidate${number % 50}@example.com`)),
    ),
  )
  expect(claims.filter((claim) => claim?.kind === 'claimed')).toHaveLength(50)
  expect(claims.filter((claim) => claim?.kind === 'in-flight')).toHaveLength(1950)
  const check = await ledgers[0]?.check()
  expect(check).toMatchObject({ problems: [], entries: { sending: 50 } })
})

test('an invite that two sends name at once belongs to one of them, with a transaction that holds both back', async () => {
  const url = await freshDatabase()
  const [one, other] = [await freshLedger({ url }), await freshLedger({ url })]
  for (let round = 0; round < 20; round += 1) {
    const [a, b] = [`a${round}`, `b${round}`]
    await one.claim(request(a, `${a}@example.com`))
    await other.claim(request(b, `${b}@example.com`))
    const ids = [`x${round}`, `y${round}`]
    const ends = await Promise.all([one.settle(a, created(...ids)), other.settle(b, created(...ids.toReversed()))])
    expect(ends.toSorted()).toEqual(['mismatched', 'recorded'])
  }
  expect(await one.check()).toMatchObject({ problems: [], entries: { created: 20, unknown: 20 } })
})

test('two processes that open an empty database at once both find their tables', async () => {
  const url = await freshDatabase()
  const ledgers = await Promise.all(Array.from({ length: 6 }, () => openPostgresLedger({ url })))
  await Promise.all(ledgers.map((ledger, number) => ledger.claim(request(`r${number}`, `${number}@example.com`))))
  expect(await ledgers[0]?.check()).toMatchObject({ problems: [], entries: { sending: 6 }, schemaVersion: 1 })
  await Promise.all(ledgers.map((ledger) => ledger.close()))
})
