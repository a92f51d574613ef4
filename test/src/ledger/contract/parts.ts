import { checking } from './checking.ts'
import { claiming } from './claiming.ts'
import { clocks } from './clocks.ts'
import { comparing } from './comparing.ts'
import { guarding, guardingTogether } from './guarding.ts'
import { leases } from './leases.ts'
import { learning } from './learning.ts'
import { listing } from './listing.ts'
import { lookingUp } from './looking-up.ts'
import { purging } from './purging.ts'
import { resolving } from './resolving.ts'
import type { Rule } from './setting.ts'
import { settling } from './settling.ts'
import { sharing } from './sharing.ts'

/** The rules of a ledger, by subject. */
export const PARTS: readonly {
  readonly subject: string
  readonly rules: readonly Rule[]
  /** What a ledger must be able to do for these rules. */
  readonly needs?: 'sharing'
}[] = [
  { subject: 'a claim', rules: claiming },
  { subject: 'candidates, quizzes and scopes', rules: comparing },
  { subject: 'a lease', rules: leases },
  { subject: 'a clock', rules: clocks },
  { subject: 'a settlement', rules: settling },
  { subject: 'a look-up', rules: lookingUp },
  { subject: 'a list', rules: listing },
  { subject: 'a finding of a person', rules: resolving },
  { subject: 'an event', rules: learning },
  { subject: 'a purge', rules: purging },
  { subject: 'a check, and the end', rules: checking },
  { subject: 'a guarded client', rules: guarding },
  { subject: 'two ledgers at one place', rules: [...sharing, ...guardingTogether], needs: 'sharing' },
]
