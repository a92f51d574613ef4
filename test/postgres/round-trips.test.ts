import { expect, test } from 'vitest'
import { claimed as claim } from '../src/ledger/contract/samples.ts'
import { startCuttingProxy } from './cutting-proxy.ts'
import { created, freshDatabase, freshLedger, request } from './setting.ts'

test('a claim takes two round trips, and so does a settlement', async () => {
  const proxy = await startCuttingProxy(await freshDatabase())
  const ledger = await freshLedger({ url: proxy.url })
  /* The first create of an account also binds it to its service. */
  await claim(ledger, request('first', 'bob@example.com'))
  const opened = proxy.packets()
  const key = await claim(ledger, request('a'))
  const claimed = proxy.packets()
  await ledger.settle(key, created('inv_1', 'inv_2'))
  expect([claimed - opened, proxy.packets() - claimed]).toEqual([2, 2])
})
