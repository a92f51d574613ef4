/** What time and chance are to a client. A test brings its own. */
export interface Runtime {
  /** Milliseconds since some moment; they only ever grow. */
  readonly elapsed: () => number
  /** The time of day in milliseconds, for a Retry-After that names one. */
  readonly now: () => number
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number
  /** Rings once after so many milliseconds, unless the function that it returns is called before. */
  readonly startTimer: (ms: number, callback: () => void) => () => void
}

/* Looked up at each call, so that the fake timers of a test are heard. */
export const systemRuntime: Runtime = {
  elapsed: () => performance.now(),
  now: () => Date.now(),
  random: () => Math.random(),
  startTimer(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}
