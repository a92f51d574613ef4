import type { Ledger } from '../../../../src/ledger/rules/ledger.ts'
import type { LedgerContract } from './ledger-contract.ts'
import { type StandingClock, standingClock } from './standing-clock.ts'

/** A rule that every ledger follows, and its test. */
export interface Rule {
  readonly title: string
  readonly test: (setting: Setting) => Promise<void>
}

/** What a test has: an empty ledger at a place of its own. */
export interface Setting {
  readonly ledger: Ledger
  readonly clock: StandingClock
  /** Opens the same ledger once more, as another process would. */
  readonly openAgain: () => Promise<Ledger>
}

/** @param atEnd registers what is done after the test */
export async function openSetting(
  open: LedgerContract['open'],
  atEnd: (close: () => Promise<void>) => void,
): Promise<Setting> {
  const clock = standingClock()
  const place = `contract_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`
  const openAgain = async () => {
    const ledger = await open({ clock, place })
    /* A test may have closed it. */
    atEnd(() => ledger.close().catch(() => {}))
    return ledger
  }
  return { ledger: await openAgain(), clock, openAgain }
}
