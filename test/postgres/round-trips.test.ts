import { expect, test } from 'vitest'
import { created, freshDatabase, freshLedger, poolOf, request } from './setting.ts'

test('with pipelining, a claim takes 2 round trips and a settlement 3', async () => {
  const pool = poolOf(await freshDatabase(), { max: 1, pipeline: true })
  let [roundTrips, unanswered] = [0, 0]
  const ledger = await freshLedger({ pool })
  const client = await pool.connect()
  const query = client.query.bind(client)
  /* A statement sent while no other is unanswered begins a round trip. */
  const counted = (text: string, values: unknown[]) => {
    if (unanswered === 0) roundTrips += 1
    unanswered += 1
    return query(text, values).finally(() => {
      unanswered -= 1
    })
  }
  Object.assign(client, { query: counted }).release()
  await ledger.claim(request('a'))
  expect(roundTrips).toBe(2)
  await ledger.settle('a', created('inv_1'))
  expect(roundTrips).toBe(5)
})
