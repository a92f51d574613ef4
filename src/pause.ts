import type { AbortSignalLike } from './transport/fetch.ts'

/** The longest time of a timer, in milliseconds. It takes a 32-bit number: with a larger one it would ring at once. */
export const LONGEST_TIMER_MS = 2_147_483_647

/** Waits for a time, however long, or until a signal is aborted. Resolves with whether the time passed. */
export function pause(
  clock: { readonly startTimer: (ms: number, ring: () => void) => () => void },
  ms: number,
  signal?: AbortSignalLike,
): Promise<boolean> {
  if (ms > LONGEST_TIMER_MS) {
    return pause(clock, LONGEST_TIMER_MS, signal).then(
      (passed) => passed && pause(clock, ms - LONGEST_TIMER_MS, signal),
    )
  }
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
