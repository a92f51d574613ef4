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

/** Waits for a time, or until a signal is aborted. Resolves with whether the time passed. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = () => {
      stop()
      signal?.removeEventListener('abort', end)
      resolve(signal?.aborted !== true)
    }
    const stop = clock.startTimer(ms, end)
    signal?.addEventListener('abort', end)
    if (signal?.aborted === true) end()
  })
}
