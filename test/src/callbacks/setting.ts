import type { Clock } from '../../../src/clock.ts'

/** A clock that stands still until it is advanced. */
export interface TestClock extends Clock {
  /** Fires every timer that is due until then, in order. */
  readonly advance: (ms: number) => void
  /** The number of active timers. */
  readonly timers: () => number
}

export function testClock(start = Date.parse('2030-01-01T00:00:00Z')): TestClock {
  let now = start
  const timers = new Set<{ readonly at: number; readonly ring: () => void }>()
  return {
    now: () => now,
    timers: () => timers.size,
    startTimer(ms, ring) {
      const timer = { at: now + ms, ring }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    advance(ms) {
      now += ms
      for (const timer of [...timers].toSorted((one, other) => one.at - other.at)) {
        if (timer.at > now || !timers.delete(timer)) continue
        timer.ring()
      }
    },
  }
}

/** A promise that stays pending until the test opens it. */
export function newGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
