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
import { searching } from './searching.ts'
import { reusing } from './reusing.ts'
import { settling } from './settling.ts'
import { sharing } from './sharing.ts'

const SUBJECTS = {
  claims: claiming,
  'candidates, quizzes and scopes': comparing,
  leases,
  'the clock': clocks,
  settlements: settling,
  'look-ups': lookingUp,
  lists: listing,
  'searches and titles': searching,
  reuse: reusing,
  resolutions: resolving,
  events: learning,
  imports: importing,
  purges: purging,
  'check and close': checking,
} satisfies Readonly<Record<string, readonly Rule[]>>

/* For a ledger that can be opened twice, and again after it was closed. */
const OF_SHARED: readonly Rule[] = [...sharing, ...guardingTogether]

/**
 * Registers the tests of the rules of a ledger. Each test has a place of its own.
 *
 * @param name of the database
 */
export function describeLedger(
  name: string,
  {
    open,
    subjects,
    isShared,
  }: {
    readonly open: OpenLedger
    /** What this database may do in its own way. The rules are the same code everywhere. */
    readonly subjects: 'all' | readonly (keyof typeof SUBJECTS)[]
    readonly isShared: boolean
  },
): void {
  const rules: [subject: string, rules: readonly Rule[]][] = Object.entries(SUBJECTS).filter(
    ([subject]) => subjects === 'all' || subjects.some((each) => each === subject),
  )
  if (isShared) rules.push(['two ledgers on one database', OF_SHARED])
  describe.each(rules)(`${name}: %s`, (_subject, ofSubject) => {
    for (const rule of ofSubject) test(rule.title, async () => rule.test(await openSetting(open, onTestFinished)))
  })
}
