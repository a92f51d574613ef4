import type { Clock } from '../../../../src/clock.ts'
import type { Ledger } from '../../../../src/ledger/rules/ledger.ts'

/** The implementation that is tested, and what it can do. */
export interface LedgerContract {
  /**
   * Opens a ledger. Calls with the same `place` open the same ledger, each as another process would. A new place is an empty
   * ledger. The tests close what they open; remove the place itself with Vitest's `onTestFinished`.
   *
   * The ledger uses `clock` for everything: claims, leases, expiries and waits.
   *
   * `place` has 1 to 40 lower-case letters, digits and `_`, and begins with a letter.
   */
  readonly open: (options: { readonly clock: Clock; readonly place: string }) => Promise<Ledger> | Ledger
  /** Whether a ledger can be opened twice, and again after it was closed. Default: true. */
  readonly isShared?: boolean | undefined
  /** The time limit of each test, in milliseconds. Default: 60,000. */
  readonly timeoutMs?: number | undefined
}
