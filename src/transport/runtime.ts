/** The clock and the randomness of a client. A test has its own. */
export interface Runtime {
  /** Milliseconds since some moment. It never goes back. */
  readonly elapsed: () => number
  /** The time of day in milliseconds, for a Retry-After with a date. */
  readonly now: () => number
  /** A number from 0 to less than 1. */
  readonly random: () => number
  /** Calls back once after so many milliseconds, unless the function that it returns is called first. */
  readonly startTimer: (ms: number, callback: () => void) => () => void
}

/* Looked up at each call, so that a test's fake timers apply. */
export const systemRuntime: Runtime = {
  elapsed: () => performance.now(),
  now: () => Date.now(),
  random: () => Math.random(),
  startTimer(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}
