import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  type CallbackHandlerOptions,
  callbackUrls,
  createCallbackHandler,
  createMemoryInbox,
} from '../../../src/callbacks/index.ts'
import { thrownBy } from '../failing.ts'
import { DRIVERS } from '../ledger/setting.ts'
import { describeInbox, describeLedgerInbox } from './inbox-tests.ts'
import { fileLedger, testClock } from './setting.ts'

const urls = callbackUrls({ baseUrl: 'https://app.example/certify', secrets: ['a secret of thirty-two characters'] })

describeInbox('in memory', async () => createMemoryInbox())

for (const driver of DRIVERS) {
  describeLedgerInbox(`in a file over ${driver}`, (clock) => fileLedger(driver, clock))
}

test.each([
  [{ urls: undefined }, ['urls']],
  [{ inbox: undefined, onEvent: undefined }, ['inbox', 'onEvent']],
  [{ concurrency: 0, maxBytes: Number.NaN, leaseMs: -1 }, ['maxBytes', 'leaseMs', 'concurrency']],
  [{ waitForFollowUpMs: -1, bodyTimeoutMs: 0 }, ['waitForFollowUpMs', 'bodyTimeoutMs']],
])('options that cannot work are refused when the handler is made: %j', (options, paths) => {
  const whole = { urls, inbox: createMemoryInbox(), onEvent: () => {}, ...options } as CallbackHandlerOptions
  const make = () => createCallbackHandler(whole)
  expect(thrownBy(make).issues.map(({ path }) => path)).toEqual(paths)
})

test('drain handles an event that was looked for before the one before it was settled', async () => {
  const memory = createMemoryInbox()
  const settle: typeof memory.settle = async (key, result) => {
    await turn()
    await memory.settle(key, result)
  }
  const handled: unknown[] = []
  const handler = createCallbackHandler({
    urls,
    inbox: { ...memory, settle },
    clock: testClock(),
    onEvent: (event) => handled.push(event.data),
  })
  for (const key of ['1', '2']) {
    const body = new TextEncoder().encode(key)
    await memory.append({ key, reference: 'req-1', deliveryId: null, body, receivedAt: 0 })
  }
  await handler.drain()
  expect(handled).toEqual([1, 2])
})
