/** The clock of a ledger and of its callers. A test has its own. */
export interface Clock {
  /** The time of day in milliseconds. Ages, leases and expiries use it. */
  readonly now: () => number
  /** Calls back once after so many milliseconds, unless the function that it returns is called first. */
  readonly startTimer: (ms: number, callback: () => void) => () => void
}

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
