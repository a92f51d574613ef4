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
import { fileLedger } from './setting.ts'

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
