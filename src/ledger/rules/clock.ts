import type { CallbackClock } from '../../callbacks/clock.ts'

/** The clock of a ledger and of its callers, for ages, leases and expiries. A test has its own. */
export type Clock = CallbackClock

/** How far two clocks may be apart, in milliseconds. */
export const MOST_SKEW_MS: number = 5 * 60_000

/* Looked up at each call, so that a test's fake timers apply. */
export const systemClock: Clock = {
  now: () => Date.now(),
  startTimer(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}
