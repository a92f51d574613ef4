/** What time is to a ledger and to those who use it. A test brings its own. */
export interface Clock {
  /** The time of day in milliseconds. Ages, leases and expiries go by it. */
  readonly now: () => number
  /** Rings once after so many milliseconds, unless the function that it returns is called before. */
  readonly startTimer: (ms: number, callback: () => void) => () => void
}

/* Looked up at each call, so that the fake timers of a test are heard. */
export const systemClock: Clock = {
  now: () => Date.now(),
  startTimer(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

/** Waits, until a signal is aborted at the latest. Gives whether the time went by in full. */
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
