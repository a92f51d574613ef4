import { expect, onTestFinished, test, vi } from 'vitest'
import { sql } from './server.mjs'
import { created, freshDatabase, freshLedger, request } from './setting.ts'
import { claimed, settle } from '../src/ledger/contract/samples.ts'

test.each(['read committed', 'repeatable read'])(
  'of eight processes claiming the same 50 candidates, one gets each, even if the default isolation is %s',
  async (isolation) => {
    const url = await freshDatabase()
    await sql(
      url,
      `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_isolation = '${isolation}'`,
    )
    const ledgers = await Promise.all(Array.from({ length: 8 }, () => freshLedger({ url, connection: { max: 1 } })))
    const claims = await Promise.all(
      Array.from({ length: 400 }, async (_each, number) =>
        ledgers[number % 8]?.claim(request(`r${number}`, `candidate${Math.floor(number / 8)}@example.com`)),
      ),
    )
    expect(claims.filter((claim) => claim?.kind === 'claimed')).toHaveLength(50)
    expect(claims.filter((claim) => claim?.kind === 'in-flight')).toHaveLength(350)
  },
)

test('invites named by two concurrent sends belong to one of them, whatever order they are named in', async () => {
  const url = await freshDatabase()
  const [one, other] = [await freshLedger({ url }), await freshLedger({ url })]
  for (let round = 0; round < 20; round += 1) {
    const a = await claimed(one, request(`a${round}`, `a${round}@example.com`))
    const b = await claimed(other, request(`b${round}`, `b${round}@example.com`))
    const ids = [`x${round}`, `y${round}`]
    const ends = await Promise.all([one.settle(a, created(...ids)), other.settle(b, created(...ids.toReversed()))])
    expect(ends.toSorted()).toEqual(['mismatched', 'recorded'])
  }
  expect(await one.check()).toMatchObject({ records: { created: 20, unknown: 20 } })
})

test('processes that open an empty database concurrently all find their tables', async () => {
  const url = await freshDatabase()
  const ledgers = await Promise.all(Array.from({ length: 6 }, () => freshLedger({ url })))
  await Promise.all(ledgers.map((ledger, number) => ledger.claim(request(`r${number}`, `${number}@example.com`))))
  expect(await ledgers[0]?.check()).toMatchObject({ records: { sending: 6 } })
})

test('a machine whose clock is 15 days ahead judges leases and invites by the database’s clock', async () => {
  const ledger = await freshLedger()
  await ledger.claim(request('sending'))
  await ledger.claim(request('open', 'bob@example.com'))
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  await settle(ledger, 'open', { state: 'created', invites: [{ inviteId: 'inv_1', expiresAt }] })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 15 * 86_400_000 })
  onTestFinished(() => void vi.useRealTimers())
  expect((await ledger.claim(request('a'))).kind).toBe('in-flight')
  expect((await ledger.claim(request('b', 'bob@example.com'))).kind).toBe('invited')
  expect(Math.abs((await ledger.now()) + 15 * 86_400_000 - Date.now())).toBeLessThan(60_000)
})
