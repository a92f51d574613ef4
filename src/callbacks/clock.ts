/** The time, and timers. A test has its own. */
export interface CallbackClock {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Calls `ring` once after `ms`. Returns a function that stops it. */
  readonly startTimer: (ms: number, ring: () => void) => () => void
}

export const systemClock: CallbackClock = {
  now: Date.now,
  startTimer(ms, ring) {
    const timer: unknown = setTimeout(ring, ms)
    /* An event that is due later must not keep a program running. */
    if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref(): void }).unref()
    return () => clearTimeout(timer as number)
  },
}
