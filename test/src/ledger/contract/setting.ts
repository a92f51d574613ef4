import type { Ledger } from '../../../../src/ledger/rules/ledger-types.ts'
import type { Clock } from '../../../../src/clock.ts'
import { type StandingClock, standingClock } from '../setting.ts'
import { type WholeLedger, whole } from '../whole.ts'

/**
 * Opens a ledger that uses `clock` for everything. Calls with the same `place` open the same ledger, each as another
 * process would. A new place is an empty ledger. It has 1 to 40 lower-case letters, digits and `_`, and begins with a
 * letter.
 */
export type OpenLedger = (options: { readonly clock: Clock; readonly place: string }) => Promise<Ledger> | Ledger

/** A rule that every ledger follows, and its test. */
export interface Rule {
  readonly title: string
  readonly test: (setting: Setting) => Promise<void>
}

/** The rules of a subject, in the form of tests. */
export function rules(define: (test: (title: string, run: Rule['test']) => void) => void): readonly Rule[] {
  const found: Rule[] = []
  define((title, test) => found.push({ title, test }))
  return found
}

/** What a test gets: an empty ledger at a place of its own. */
export interface Setting {
  readonly ledger: WholeLedger
  readonly clock: StandingClock
  /** Opens the same ledger once more, as another process would. */
  readonly openAgain: () => Promise<WholeLedger>
}

/** @param atEnd registers a clean-up for the end of the test */
export async function openSetting(open: OpenLedger, atEnd: (close: () => Promise<void>) => void): Promise<Setting> {
  const clock = standingClock()
  const place = `contract_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`
  const openAgain = async () => {
    const ledger = whole(await open({ clock, place }))
    /* A test may have closed it. */
    atEnd(() => ledger.close().catch(() => {}))
    return ledger
  }
  return { ledger: await openAgain(), clock, openAgain }
}
