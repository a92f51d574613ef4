import { type ApiKeyOptions, CertifyClient } from '../../src/index.ts'
import type { Runtime } from '../../src/clock.ts'

/** A clock that stands still until a timer is awaited, then jumps to when that timer is due. No test really waits. */
export interface ManualClock extends Runtime {
  /** The delays that were started, in milliseconds, in order, without the time-outs. */
  readonly waits: readonly number[]
  /** The time-outs that were started, in milliseconds, in order. */
  readonly limits: readonly number[]
  /** Lets the running time-outs fire. */
  readonly timeOut: () => void
}

/**
 * @param randoms what `random` returns, one after another; 0.5 when they are used up
 * @param limitMs timers of at least this length are time-outs, not delays: they fire when the test says so
 */
export function manualClock(
  randoms: readonly number[] = [],
  limitMs = 30_000,
  start = '2030-01-01T00:00:00Z',
): ManualClock {
  const waits: number[] = []
  const limits: number[] = []
  const remaining = [...randoms]
  const timeOuts = new Set<() => void>()
  let elapsed = 0
  return {
    waits,
    limits,
    timeOut: () => timeOuts.forEach((ring) => ring()),
    elapsed: () => elapsed,
    now: () => Date.parse(start) + elapsed,
    random: () => remaining.shift() ?? 0.5,
    startTimer(ms, ring) {
      if (ms >= limitMs) {
        limits.push(ms)
        timeOuts.add(ring)
        return () => void timeOuts.delete(ring)
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

/** A client that runs on a manual clock. */
export function clientBy(clock: Runtime, options: ApiKeyOptions): CertifyClient {
  const Client = CertifyClient as new (options: ApiKeyOptions, runtime: Runtime) => CertifyClient
  return new Client(options, clock)
}

/** A clock that moves on to the next timer once nothing else has happened for a while. No test really waits. */
export function jumpingClock(start = '2030-01-01T00:00:00Z') {
  let elapsed = 0
  let isRunning = false
  let timers: { readonly at: number; readonly ring: () => void }[] = []
  const run = async () => {
    isRunning = true
    while (timers.length > 0) {
      /* More than a commit of the ledger and a response of the mock take together. */
      for (let turn = 0; turn < 60; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      const at = Math.min(...timers.map((timer) => timer.at))
      const next = timers.find((timer) => timer.at === at)
      timers = timers.filter((timer) => timer !== next)
      elapsed = Math.max(elapsed, next === undefined ? 0 : at)
      next?.ring()
    }
    isRunning = false
  }
  return {
    /** When each timer that was started would ring, in milliseconds since the start. */
    started: [] as number[],
    /** How many timers have neither rung nor been stopped. */
    armed: () => timers.length,
    elapsed: () => elapsed,
    now: () => Date.parse(start) + elapsed,
    random: () => 0.5,
    startTimer(ms: number, ring: () => void) {
      const timer = { at: elapsed + ms, ring }
      timers.push(timer)
      this.started.push(timer.at)
      if (!isRunning) void run()
      return () => {
        timers = timers.filter((each) => each !== timer)
      }
    },
  }
}
