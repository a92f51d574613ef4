import { onAbort } from '../abort.ts'
import type { AbortSignalLike } from './fetch.ts'
import type { Runtime } from '../clock.ts'

/** Why some work was ended early. */
export interface Ending {
  readonly by: 'aborted' | 'timedOut'
  /** The caller's reason for the abort. */
  readonly reason?: unknown
}

/** The limits of some work: its time and its signal. */
export interface Bounds {
  readonly timeoutMs: number
  /** Aborted when the work must end. For work that can be interrupted. */
  readonly signal: AbortSignal
  /** Why the work was ended early, if it was. */
  readonly ending: () => Ending | undefined
  /** Whether its time is up, or the work, if it began now, could miss its wall-clock deadline. */
  readonly isLate: () => boolean
  /**
   * Runs work, one piece at a time, unless it is too late already. Rejects when the work is ended early, even if the
   * work ignores the signal.
   */
  readonly race: <T>(work: () => Promise<T>) => Promise<T>
  /** Interrupts everything that still listens to the signal. */
  readonly cancel: () => void
  /** Removes the timer and the listener. Always call it at the end. */
  readonly dispose: () => void
}

/** Limits some work by time and by its caller's signal. */
export function createBounds(
  runtime: Runtime,
  {
    timeoutMs,
    mustEndBy = Number.POSITIVE_INFINITY,
  }: { readonly timeoutMs: number; readonly mustEndBy?: number | undefined },
  signal: AbortSignalLike | undefined,
): Bounds {
  const controller = new AbortController()
  const endsAt = runtime.elapsed() + timeoutMs
  let ending: Ending | undefined
  let rejectWork: ((reason: Error) => void) | undefined
  const end = (how: Ending) => {
    ending ??= how
    controller.abort()
    /* The interrupted work rejects first: its error may prove that nothing was sent. */
    setTimeout(() => rejectWork?.(new Error('given up')), 0)
  }
  const abort = () => end({ by: 'aborted', reason: signal?.reason })
  const stopTimer = runtime.startTimer(timeoutMs, () => end({ by: 'timedOut' }))
  const forgetSignal = onAbort(signal, abort)
  if (signal?.aborted === true) abort()
  return {
    timeoutMs,
    signal: controller.signal,
    ending: () => ending,
    /* A timer rings late if something blocks the program. */
    isLate: () => runtime.elapsed() >= endsAt || runtime.now() + timeoutMs > mustEndBy,
    race: (work) =>
      new Promise((resolve, reject) => {
        rejectWork = reject
        if (ending === undefined) work().then(resolve, reject)
        else reject(new Error('given up'))
      }),
    cancel: () => controller.abort(),
    dispose() {
      stopTimer()
      forgetSignal()
    },
  }
}
