import { describe, onTestFinished, test } from 'vitest'
import type { LedgerContract } from './ledger-contract.ts'
import { PARTS } from './parts.ts'
import { openSetting } from './setting.ts'

/**
 * Registers the tests of every rule of a ledger. Each test has a place of its own.
 *
 * @param name of the database
 */
export function describeLedger(name: string, contract: LedgerContract): void {
  const { isShared = true, timeoutMs = 60_000 } = contract
  describe(name, () => {
    for (const { subject, rules, needs } of PARTS) {
      describe.skipIf(needs === 'sharing' && !isShared)(subject, () => {
        for (const rule of rules) {
          test(rule.title, { timeout: timeoutMs }, async () => {
            const setting = await openSetting(contract.open, onTestFinished)
            await rule.test(setting)
          })
        }
      })
    }
  })
}
