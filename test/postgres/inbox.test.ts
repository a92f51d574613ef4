import { expect, test } from 'vitest'
import { all } from '../src/ledger/contract/samples.ts'
import { describeLedgerInbox } from '../src/callbacks/inbox-tests.ts'
import { startCuttingProxy } from './cutting-proxy.ts'
import { freshDatabase, freshLedger } from './setting.ts'

describeLedgerInbox('in Postgres', (clock) => freshLedger({ clock }))

const event = (key: string, reference = 'req-1') => ({
  key,
  reference,
  deliveryId: null,
  body: new Uint8Array(),
  receivedAt: 1000,
})

test('only one of eight processes takes an event, and the next one of its reference only after it', async () => {
  const url = await freshDatabase()
  const ledgers = await Promise.all(Array.from({ length: 8 }, () => freshLedger({ url })))
  const keys = Array.from({ length: 40 }, (_each, number) => `e${number}`)
  for (const [number, key] of keys.entries()) await ledgers[0]?.inbox.append(event(key, `req-${number % 4}`))
  const order: string[] = []
  await Promise.all(
    ledgers.map(async ({ inbox }) => {
      while (order.length < keys.length) {
        const taken = await inbox.take(2000, 60_000)
        if (taken === undefined) continue
        order.push(taken.key)
        await inbox.settle(taken.key, { state: 'handled' })
      }
    }),
  )
  expect(order.toSorted()).toEqual(keys.toSorted())
  for (const reference of [0, 1, 2, 3]) {
    const numbers = order.map((key) => Number(key.slice(1))).filter((number) => number % 4 === reference)
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
  }
})

test('an event is stored once, even if the connection is lost while it is stored', async () => {
  const proxy = await startCuttingProxy(await freshDatabase())
  const { inbox } = await freshLedger({ url: proxy.url })
  proxy.cutNext('answer', ['COMMIT\0', 'COMMIT\0'])
  await inbox.append(event('a'))
  expect(proxy.cuts()).toBe(1)
  expect(await all(inbox.list())).toMatchObject([{ key: 'a' }])
})
