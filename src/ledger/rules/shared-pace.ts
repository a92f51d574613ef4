import type { CertifyErrorCode } from '../../index.ts'

/**
 * What all runs of a scope share that use the same ledger, as one of them sees it: one rate, one pause, and one decision
 * whether the service is down. All times are those of the store. Each method is atomic.
 *
 * Every method rejects with a `CertifyError` LEDGER_UNUSABLE, outcome `not-executed`, if the store cannot be used.
 */
export interface SharedPace {
  /** What is so now. */
  readonly read: () => Promise<PaceState>
  /**
   * Takes the next turn to send. Turns of all runs are apart by the lowest rate that one of them has taken a turn with in the
   * last minute. Resolves with the milliseconds until the turn, and with `undefined` if there is a pause or an outage: then no
   * turn was taken.
   *
   * @param ratePerSecond the most requests in a second; `undefined`: this run has no limit of its own
   */
  readonly takeTurn: (ratePerSecond: number | undefined) => Promise<number | undefined>
  /** Pauses all runs for so long from now, unless they pause longer already. */
  readonly pauseFor: (ms: number) => Promise<void>
  /**
   * Holds all creates because the service does not respond, and makes this run the one that probes it, or lets it go on
   * probing. Resolves with `false` if another run probes.
   *
   * @param leaseMs after so long without another call, another run may take over
   */
  readonly hold: (leaseMs: number, trials: OutageTrials) => Promise<boolean>
  /** This run does not probe any more. Either the outage is over for all, or another run takes over. */
  readonly release: (isOver: boolean, trials: OutageTrials) => Promise<void>
}

/** What is shared now. */
export interface PaceState {
  /** How long all runs pause from now, in milliseconds; 0: not. */
  readonly pausedMs: number
  /** Whether some run has a limit of requests. */
  readonly isLimited: boolean
  /** The outage, if there is one. */
  readonly outage: SharedOutage | undefined
}

/** An outage of the service, as all runs know it. */
export interface SharedOutage {
  /** Who probes. `nobody`: the run that did has ended, and any other one takes over. */
  readonly probedBy: 'this' | 'another' | 'nobody'
  readonly trials: OutageTrials
}

/** The creates that were sent one at a time while the service responded to the query only, and the last failure. */
export interface OutageTrials {
  readonly failed: number
  /** Those of them whose outcome is unknown. */
  readonly lost: number
  readonly code: CertifyErrorCode
}

/** For how long a rate counts after a turn was taken with it, in milliseconds, and two turns longer. */
export const RATE_COUNTS_MS = 60_000

/** A pause that ends later than it asked by more than this, in milliseconds, is of a clock that was set back: it is over. */
export const CLOCK_SLACK_MS = 1_000

/** The milliseconds between two turns; 0: no limit. */
export function intervalOf(ratePerSecond: number | undefined): number {
  return ratePerSecond === undefined ? 0 : 1000 / ratePerSecond
}
