import { describe, onTestFinished, test } from 'vitest'
import { checking } from './checking.ts'
import { claiming } from './claiming.ts'
import { clocks } from './clocks.ts'
import { comparing } from './comparing.ts'
import { guardingTogether } from './guarding.ts'
import { importing } from './importing.ts'
import { leases } from './leases.ts'
import { learning } from './learning.ts'
import { listing } from './listing.ts'
import { lookingUp } from './looking-up.ts'
import { purging } from './purging.ts'
import { resolving } from './resolving.ts'
import { type OpenLedger, openSetting, type Rule } from './setting.ts'
import { settling } from './settling.ts'
import { sharing } from './sharing.ts'

const SUBJECTS: Readonly<Record<string, readonly Rule[]>> = {
  claims: claiming,
  'candidates, quizzes and scopes': comparing,
  leases,
  'the clock': clocks,
  settlements: settling,
  'look-ups': lookingUp,
  lists: listing,
  resolutions: resolving,
  events: learning,
  imports: importing,
  purges: purging,
  'check and close': checking,
}

/* For a ledger that can be opened twice, and again after it was closed. */
const OF_SHARED: Readonly<Record<string, readonly Rule[]>> = {
  'two ledgers on one database': [...sharing, ...guardingTogether],
}

/**
 * Registers the tests of every rule of a ledger. Each test has a place of its own.
 *
 * @param name of the database
 */
export function describeLedger(
  name: string,
  {
    open,
    isShared = true,
    timeoutMs = 60_000,
  }: { readonly open: OpenLedger; readonly isShared?: boolean; readonly timeoutMs?: number },
): void {
  describe(name, () => {
    for (const [subject, rules] of Object.entries({ ...SUBJECTS, ...(isShared && OF_SHARED) })) {
      describe(subject, () => {
        for (const rule of rules) {
          test(rule.title, { timeout: timeoutMs }, async () => rule.test(await openSetting(open, onTestFinished)))
        }
      })
    }
  })
}
