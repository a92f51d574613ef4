import { type Clock, pause } from '../clock.ts'

/** When the next request may be sent: below a maximum rate, and not during a pause. */
export class Pace {
  readonly #clock: Clock
  readonly #intervalMs: number
  #nextAt: number
  #pausedUntil = 0
  #pauseMs = 0

  /** @param ratePerSecond the maximum number of requests per second; `undefined`: no limit */
  constructor(clock: Clock, ratePerSecond: number | undefined) {
    this.#clock = clock
    this.#intervalMs = ratePerSecond === undefined ? 0 : 1000 / ratePerSecond
    this.#nextAt = clock.now()
  }

  /** Waits until the caller may send. Resolves with `false` if the signal was aborted first. */
  async waitForTurn(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal.aborted) return false
      const now = this.#clock.now()
      /* If the clock was set back, these times are too far in the future. */
      this.#nextAt = Math.min(this.#nextAt, now + this.#intervalMs)
      this.#pausedUntil = Math.min(this.#pausedUntil, now + this.#pauseMs)
      const at = Math.max(this.#nextAt, this.#pausedUntil)
      if (at <= now) {
        /* A late request does not delay the next one, but a long wait is not followed by a burst. */
        this.#nextAt = Math.max(this.#nextAt, now - this.#intervalMs) + this.#intervalMs
        return true
      }
      await pause(this.#clock, at - now, signal)
    }
  }

  isPaused(): boolean {
    return this.#clock.now() < this.#pausedUntil
  }

  /** Pauses all callers for this long, unless they are already paused for longer. */
  pauseFor(ms: number): void {
    const until = this.#clock.now() + ms
    if (until <= this.#pausedUntil) return
    this.#pausedUntil = until
    this.#pauseMs = ms
  }
}
