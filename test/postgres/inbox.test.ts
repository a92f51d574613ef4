import { expect, onTestFinished, test } from 'vitest'
import { openPostgresInbox, openPostgresLedger, type PostgresInboxOptions } from '../../src/ledger/postgres/index.ts'
import type { OpenInbox } from '../../src/ledger/index.ts'
import { describeInbox, testFinding } from '../src/callbacks/inbox-tests.ts'
import { startCuttingProxy } from './cutting-proxy.ts'
import { all, created, freshDatabase, freshLedger, request } from './setting.ts'

async function freshInbox(options: PostgresInboxOptions = {}): Promise<OpenInbox> {
  const inbox = await openPostgresInbox({ url: await freshDatabase(), ...options })
  onTestFinished(() => inbox.close())
  return inbox
}

describeInbox('on Postgres', freshInbox)
testFinding('on Postgres', freshInbox)

const event = (key: string, reference = 'req-1') => ({
  key,
  reference,
  deliveryId: null,
  body: new Uint8Array([0, 255, 10, 13]),
  receivedAt: 1000,
})

test('an event is taken by one of eight processes, and the next one of its reference only after it', async () => {
  const url = await freshDatabase()
  const inboxes = await Promise.all(Array.from({ length: 8 }, () => freshInbox({ url })))
  for (let number = 0; number < 40; number += 1) await inboxes[0]?.append(event(`e${number}`, `req-${number % 4}`))
  const order: string[] = []
  await Promise.all(
    inboxes.map(async (inbox) => {
      for (let misses = 0; misses < 50; ) {
        const taken = await inbox.take(2000, 60_000)
        if (taken === undefined) misses += 1
        else {
          order.push(taken.key)
          await inbox.settle(taken.key, { state: 'handled' })
        }
      }
    }),
  )
  expect(order.toSorted()).toEqual(Array.from({ length: 40 }, (_each, number) => `e${number}`).toSorted())
  for (const reference of [0, 1, 2, 3]) {
    const numbers = order.map((key) => Number(key.slice(1))).filter((number) => number % 4 === reference)
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
  }
})

test('an event whose connection is lost while it is stored is stored once, and is new', async () => {
  const direct = await freshDatabase()
  const proxy = await startCuttingProxy(direct)
  const inbox = await freshInbox({ url: proxy.urlOf(direct) })
  proxy.cutNext('answer', "'isNew'")
  expect(await inbox.append(event('a'))).toBe(true)
  expect(proxy.cuts()).toBe(1)
  expect(await inbox.append(event('a'))).toBe(false)
  const [stored] = await all(inbox.list())
  expect(stored).toMatchObject({ key: 'a', body: new Uint8Array([0, 255, 10, 13]) })
  const away = openPostgresInbox({ url: proxy.urlOf(direct), unreachableTimeoutMs: 100 })
  const short = await away
  onTestFinished(() => short.close())
  proxy.setDown(true)
  await expect(short.append(event('b'))).rejects.toMatchObject({ code: 'LEDGER_UNUSABLE' })
})

test('a failure counts once, also if the connection is lost while it is recorded', async () => {
  const direct = await freshDatabase()
  const proxy = await startCuttingProxy(direct)
  const inbox = await freshInbox({ url: proxy.urlOf(direct) })
  await inbox.append(event('a'))
  await inbox.take(2000, 1000)
  proxy.cutNext('answer', "'settled'")
  await inbox.settle('a', { state: 'waiting', dueAt: 3000 })
  expect(await inbox.find('a')).toMatchObject({ state: 'waiting', failures: 1 })
  expect(await inbox.nextDueAt()).toBe(3000)
})

test('a purge of a candidate removes the events of their invites too', async () => {
  const url = await freshDatabase()
  const inbox = await freshInbox({ url })
  const ledger = await freshLedger({ url })
  for (const [reference, email] of [
    ['req-1', 'ada@example.com'],
    ['req-2', 'grace@example.com'],
  ] as const) {
    await ledger.claim(request(reference, email))
    await ledger.settle(reference, created(`inv-${reference}`))
    await inbox.append(event(`of-${reference}`, reference))
  }
  expect(await ledger.purge({ email: 'Ada@Example.com' })).toEqual({ removed: 1, kept: 0 })
  expect((await all(inbox.list())).map(({ key }) => key)).toEqual(['of-req-2'])
})

test('handled events are removed 40 days later, others never', async () => {
  const url = await freshDatabase()
  const clock = (now: number) => ({ now: () => now, startTimer: () => () => {} })
  const inbox = await freshInbox({ url, clock: clock(1000) })
  await inbox.append(event('handled'))
  await inbox.append(event('waiting', 'req-2'))
  await inbox.settle('handled', { state: 'handled' })
  const days = (number: number) => number * 24 * 60 * 60 * 1000
  expect(await all((await freshInbox({ url, clock: clock(1000 + days(40)) })).list())).toHaveLength(2)
  expect(await all((await freshInbox({ url, clock: clock(1001 + days(40)) })).list())).toMatchObject([
    { key: 'waiting' },
  ])
})

test('a role without DDL rights opens an inbox whose tables are there', async () => {
  const url = await freshDatabase()
  await expect(openPostgresInbox({ url, migrate: false })).rejects.toMatchObject({ code: 'LEDGER_UNUSABLE' })
  await (await openPostgresLedger({ url })).close()
  expect(await all((await freshInbox({ url, migrate: false })).list())).toEqual([])
})
