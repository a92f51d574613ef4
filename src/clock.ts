import { nextTurn } from './util/timers.ts'

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

/** How far two clocks may be apart, in milliseconds. */
export const MAX_CLOCK_SKEW_MS: number = 5 * 60_000

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

/** The service's time, by the `Date` of its last response to one client and the time since then. */
export class ServiceClock {
  readonly #clock: Clock
  readonly #elapsed: Runtime['elapsed']
  #seen: { readonly date: number | undefined; readonly now: number; readonly elapsed: number } | undefined

  /**
   * @param clock the ledger's, if there is one; it may be set by hand
   * @param elapsed monotonic: it may stand still while the machine sleeps
   */
  constructor(clock: Clock, elapsed: Runtime['elapsed']) {
    this.#clock = clock
    this.#elapsed = elapsed
  }

  /** A response has arrived. A date counts only in the format that HTTP prescribes; without one, an earlier one is kept. */
  saw(header: string | null): void {
    const date = new Date(header ?? '')
    const isDate = date.toUTCString() === header
    if (!isDate && this.isCurrent()) return
    this.#seen = { date: isDate ? date.getTime() : undefined, now: this.#clock.now(), elapsed: this.#elapsed() }
  }

  /** Whether a response has arrived, and both clocks agree on the time since then. */
  isCurrent(): boolean {
    return this.now() !== Number.NEGATIVE_INFINITY
  }

  /** `undefined` if the service does not tell its time; `-Infinity` if it is not known. */
  now(): number | undefined {
    const { date, now = Number.NaN, elapsed = 0 } = this.#seen ?? {}
    const [byClock, byElapsed] = [this.#clock.now() - now, this.#elapsed() - elapsed]
    if (!(Math.abs(byClock - byElapsed) <= MAX_CLOCK_SKEW_MS)) return Number.NEGATIVE_INFINITY
    return date && date + Math.min(byClock, byElapsed)
  }
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
export const MAX_TIMER_MS = 2_147_483_647

/** Waits for a time, at most 24 days, or until a signal is aborted. Resolves with whether the time has passed. */
export function pause(clock: Pick<Clock, 'startTimer'>, ms: number, signal?: AbortSignalLike): Promise<boolean> {
  return new Promise((resolve) => {
    const limit = timeLimit(clock, ms, signal)
    onAbort(limit.signal, () => {
      limit.stop()
      resolve(signal?.aborted !== true)
    })
  })
}

/**
 * A signal that is aborted after a time, with a caller's signal, or by `cancel`. Call `stop` once it is not needed any more.
 *
 * @param reasonOf its reason, by whether the caller has aborted it
 */
export function timeLimit(
  clock: Pick<Clock, 'startTimer'>,
  ms: number,
  caller?: AbortSignalLike,
  reasonOf: (isAborted: boolean) => unknown = () => undefined,
): { readonly signal: AbortSignal; readonly cancel: () => void; readonly stop: () => void } {
  const limit = new AbortController()
  const stopTimer = clock.startTimer(Math.min(ms, MAX_TIMER_MS), () => limit.abort(reasonOf(false)))
  const forgetCaller = onAbort(caller, () => limit.abort(reasonOf(true)))
  const stop = () => {
    stopTimer()
    forgetCaller()
  }
  return { signal: limit.signal, cancel: () => limit.abort(), stop }
}

/**
 * Waits for work that may ignore the signal. Once that is aborted, this rejects with its reason, and `tooLate` receives
 * the result that still comes.
 */
export function raceWithAbort<T>(
  work: Promise<T>,
  signal: AbortSignalLike | undefined,
  tooLate: (result: T) => void = () => {},
): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    const forget = onAbort(signal, () => reject(signal.reason))
    work.then((result) => (signal.aborted ? tooLate(result) : resolve(result)), reject).finally(forget)
  })
}

/** An AbortSignal of any runtime. */
export interface AbortSignalLike {
  /** Whether it was aborted. */
  readonly aborted: boolean
  /** Why it was aborted. */
  readonly reason?: unknown
  /** Calls the listener when it is aborted. */
  addEventListener(type: 'abort', listener: () => void): void
  /** Does not call the listener any more. */
  removeEventListener(type: 'abort', listener: () => void): void
}

/**
 * Calls a function when a signal is aborted, at once if it already is. Returns a function that cancels this.
 *
 * A signal has one listener, however many calls share it: with eleven, Node.js would warn of a leak.
 */
export function onAbort(signal: AbortSignalLike | undefined, callBack: () => void): () => void {
  if (signal?.aborted === true) callBack()
  if (signal === undefined || signal.aborted) return () => {}
  const callBacks = sharedBySignal.get(signal) ?? new CallBacks()
  sharedBySignal.set(signal, callBacks)
  if (callBacks.size === 0) signal.addEventListener('abort', callBacks.run)
  callBacks.add(callBack)
  return () => {
    callBacks.delete(callBack)
    if (callBacks.size === 0) signal.removeEventListener('abort', callBacks.run)
  }
}

class CallBacks extends Set<() => void> {
  readonly run = () => this.forEach((callBack) => callBack())
}

const sharedBySignal = new WeakMap<AbortSignalLike, CallBacks>()

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
  const endsAt = runtime.elapsed() + timeoutMs
  let ending: Ending | undefined
  let rejectWork: ((reason: Error) => void) | undefined
  const limit = timeLimit(runtime, timeoutMs, signal, (isAborted) => {
    ending ??= isAborted ? { by: 'aborted', reason: signal?.reason } : { by: 'timedOut' }
    /* The interrupted work rejects first: its error may prove that nothing was sent. */
    void nextTurn().then(() => rejectWork?.(new Error('given up')))
  })
  return {
    timeoutMs,
    signal: limit.signal,
    ending: () => ending,
    /* A timer rings late if something blocks the program. */
    isLate: () => runtime.elapsed() >= endsAt || runtime.now() + timeoutMs > mustEndBy,
    race: (work) =>
      new Promise((resolve, reject) => {
        rejectWork = reject
        if (ending === undefined) work().then(resolve, reject)
        else reject(new Error('given up'))
      }),
    cancel: limit.cancel,
    dispose: limit.stop,
  }
}
