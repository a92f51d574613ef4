import { onAbort } from './abort.ts'
import type { AbortSignalLike } from './transport/fetch.ts'

/** The time and timers. Tests use their own. */
export interface Clock {
  /** The time of day, in Unix milliseconds. */
  readonly now: () => number
  /**
   * Calls `ring` once after `ms` milliseconds, at most 2,147,483,647. Returns a function that stops it.
   *
   * @param isBackground the timer does not keep a program running
   */
  readonly startTimer: (ms: number, ring: () => void, isBackground?: boolean) => () => void
}

/** The clock and the randomness of a client. */
export interface Runtime extends Clock {
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number
  /** A number from 0 to less than 1. */
  readonly random: () => number
}

/* Looked up at each call, so that a test's fake timers apply. */
export const systemClock: Runtime = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  random: () => Math.random(),
  startTimer(ms, ring, isBackground = false) {
    const timer: unknown = setTimeout(ring, ms)
    if (isBackground && typeof timer === 'object') (timer as { unref?(): void }).unref?.()
    return () => clearTimeout(timer as number)
  },
}

/**
 * Exponential backoff: how long to wait after this many consecutive failures, in milliseconds.
 *
 * @param jitter the fraction to wait: a random number from 0 to 1 for full jitter. Default: 1
 */
export function backOffMs(failures: number, firstMs: number, longestMs: number, jitter = 1): number {
  return jitter * Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1))
}

/** The longest delay of a timer, in milliseconds. It is a 32-bit number: beyond it, a timer rings at once. */
export const LONGEST_TIMER_MS = 2_147_483_647

/** Waits for a time, however long, or until a signal is aborted. Resolves with whether the time has passed. */
export function pause(clock: Pick<Clock, 'startTimer'>, ms: number, signal?: AbortSignalLike): Promise<boolean> {
  if (ms > LONGEST_TIMER_MS) {
    return pause(clock, LONGEST_TIMER_MS, signal).then(
      (passed) => passed && pause(clock, ms - LONGEST_TIMER_MS, signal),
    )
  }
  return new Promise((resolve) => {
    const end = () => {
      stop()
      forget()
      resolve(signal?.aborted !== true)
    }
    const stop = clock.startTimer(ms, end)
    const forget = onAbort(signal, end)
    if (signal?.aborted === true) end()
  })
}

/**
 * A signal that is aborted after a time, or with a caller's signal. Call `stop` once it is not needed any more.
 *
 * @param reasonOf its reason, by whether the caller has aborted it
 */
export function timeLimit(
  clock: Pick<Clock, 'startTimer'>,
  ms: number,
  caller?: AbortSignalLike,
  reasonOf: (isAborted: boolean) => unknown = () => undefined,
): { readonly signal: AbortSignal; readonly stop: () => void } {
  const limit = new AbortController()
  const abort = () => limit.abort(reasonOf(true))
  const stopTimer = clock.startTimer(Math.min(ms, LONGEST_TIMER_MS), () => limit.abort(reasonOf(false)))
  const forgetCaller = onAbort(caller, abort)
  if (caller?.aborted === true) abort()
  const stop = () => {
    stopTimer()
    forgetCaller()
  }
  return { signal: limit.signal, stop }
}

/**
 * Waits for work that may ignore the signal. Once that is aborted, this rejects with its reason, and `tooLate` receives
 * the result that still comes.
 */
export function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignalLike | undefined,
  tooLate: (result: T) => void = () => {},
): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason) // oxlint-disable-line typescript/prefer-promise-reject-errors
    const forget = onAbort(signal, end)
    if (signal.aborted) end()
    work.then((result) => (signal.aborted ? tooLate(result) : resolve(result)), reject).finally(forget)
  })
}
