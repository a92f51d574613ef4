import { type ApiKeyOptions, CertifyClient } from '../../src/index.ts'
import type { Runtime } from '../../src/clock.ts'

/** A clock that stands until a timer is waited for; then it jumps to when that timer rings. No test waits for real. */
export interface ManualClock extends Runtime {
  /** The waits that were started, in milliseconds, in order; those for a time-out are not among them. */
  readonly waits: readonly number[]
  /** The time-outs that were started, in milliseconds, in order. */
  readonly limits: readonly number[]
}

/**
 * @param randoms what `random` gives, one after another; 0.5 when they are used up
 * @param limitMs timers from this long on are limits, not waits: they never ring
 */
export function manualClock(
  randoms: readonly number[] = [],
  limitMs = 30_000,
  start = '2030-01-01T00:00:00Z',
): ManualClock {
  const waits: number[] = []
  const limits: number[] = []
  const remaining = [...randoms]
  let elapsed = 0
  return {
    waits,
    limits,
    elapsed: () => elapsed,
    now: () => Date.parse(start) + elapsed,
    random: () => remaining.shift() ?? 0.5,
    startTimer(ms, ring) {
      if (ms >= limitMs) {
        limits.push(ms)
        return () => {}
      }
      waits.push(ms)
      let stopped = false
      queueMicrotask(() => {
        if (stopped) return
        elapsed += ms
        ring()
      })
      return () => {
        stopped = true
      }
    },
  }
}

/** A client that lives by a manual clock. */
export function clientBy(clock: Runtime, options: ApiKeyOptions): CertifyClient {
  const Client = CertifyClient as new (options: ApiKeyOptions, runtime: Runtime) => CertifyClient
  return new Client(options, clock)
}
