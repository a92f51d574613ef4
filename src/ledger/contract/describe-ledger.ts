import { describe, onTestFinished, test } from 'vitest'
import type { LedgerContract } from './ledger-contract.ts'
import { PARTS } from './parts.ts'
import { openSetting } from './setting.ts'

/**
 * Registers the tests of every rule of a `Ledger`, in a `describe` of Vitest. Each test has a place of its own. No test
 * sleeps. `learn` is tested if the ledger has it.
 *
 * @param name of the implementation
 * @example
 * ```ts
 * import { createLedger } from 'certify-sdk/ledger'
 * import { describeLedger } from 'certify-sdk/ledger/contract'
 *
 * describeLedger('a ledger over my store', {
 *   open: ({ clock, place }) => createLedger(openMyStore(place, clock), clock),
 * })
 * ```
 */
export function describeLedger(name: string, contract: LedgerContract): void {
  const { isShared = true, timeoutMs = 60_000 } = contract
  describe(name, () => {
    for (const { subject, rules, needs } of PARTS) {
      describe.skipIf(needs === 'sharing' && !isShared)(subject, () => {
        for (const rule of rules) {
          test(rule.title, { timeout: timeoutMs }, async ({ skip }) => {
            const setting = await openSetting(contract.open, onTestFinished)
            if (needs === 'learn' && setting.ledger.learn === undefined) skip('this ledger has no `learn`')
            await rule.test(setting)
          })
        }
      })
    }
  })
}
