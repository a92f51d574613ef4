import type { Clock } from '../../../../src/clock.ts'

/** A clock that a test moves. If somebody waits, it jumps to the end of that wait. */
export interface StandingClock extends Clock {
  readonly advance: (ms: number) => void
}

export const DAY_MS: number = 24 * 60 * 60 * 1000

/** Begins at 2030-01-01T00:00:00Z. */
export function standingClock(): StandingClock {
  let now = Date.parse('2030-01-01T00:00:00Z')
  return {
    now: () => now,
    advance: (ms) => {
      now += ms
    },
    startTimer(ms, callback) {
      const timer = setImmediate(() => {
        now += ms
        callback()
      })
      return () => clearImmediate(timer)
    },
  }
}
