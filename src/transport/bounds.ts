import type { AbortSignalLike } from './fetch.ts'
import type { Runtime } from './runtime.ts'

/** Why some work was given up before its end. */
export interface Ending {
  readonly by: 'aborted' | 'timedOut'
  /** What the caller gave as the reason of the abort. */
  readonly reason?: unknown
}

/** The time and the signal that some work is bound by. */
export interface Bounds {
  /** For those who can be interrupted: aborted when the work is given up. */
  readonly signal: AbortSignal
  /** Why the work was given up, if it was. */
  readonly ending: () => Ending | undefined
  /** Waits for work, one at a time; rejects once it was given up, whether or not the work listens to the signal. */
  readonly race: <T>(work: Promise<T>) => Promise<T>
  /** Lets go of whatever still listens to the signal. */
  readonly cancel: () => void
  /** Takes timer and listener away. To be called at the end, whatever it was. */
  readonly dispose: () => void
}

/** Bounds some work by time and by its caller's signal. */
export function bind(runtime: Runtime, timeoutMs: number, signal: AbortSignalLike | undefined): Bounds {
  const controller = new AbortController()
  let ending: Ending | undefined
  let giveUp: ((reason: Error) => void) | undefined
  const end = (how: Ending) => {
    ending ??= how
    controller.abort()
    /* Whoever was really interrupted speaks first: its error may prove that nothing was sent. */
    setTimeout(() => giveUp?.(new Error('given up')), 0)
  }
  const onAbort = () => end({ by: 'aborted', reason: signal?.reason })
  const stopTimer = runtime.startTimer(timeoutMs, () => end({ by: 'timedOut' }))
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted === true) onAbort()
  return {
    signal: controller.signal,
    ending: () => ending,
    race: (work) =>
      new Promise((resolve, reject) => {
        giveUp = reject
        work.then(resolve, reject)
      }),
    cancel: () => controller.abort(),
    dispose() {
      stopTimer()
      signal?.removeEventListener('abort', onAbort)
    },
  }
}
