import { type Clock, pause } from '../ledger/rules/clock.ts'

/** When the next request may leave: not faster than a rate, and not while all have to wait. */
export class Pace {
  readonly #clock: Clock
  readonly #intervalMs: number
  #nextAt: number
  #pausedUntil = 0
  #pauseMs = 0

  /** @param ratePerSecond at most so many requests leave in a second; `undefined`: as many as can */
  constructor(clock: Clock, ratePerSecond: number | undefined) {
    this.#clock = clock
    this.#nextAt = clock.now()
    this.#intervalMs = ratePerSecond === undefined ? 0 : 1000 / ratePerSecond
  }

  /** Waits for one's turn. Gives `false` where the signal was aborted before. */
  async turn(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal.aborted) return false
      const now = this.#clock.now()
      /* Where the clock was set back meanwhile, what is ahead is further off than it can be. */
      this.#nextAt = Math.min(this.#nextAt, now + this.#intervalMs)
      this.#pausedUntil = Math.min(this.#pausedUntil, now + this.#pauseMs)
      const at = Math.max(this.#nextAt, this.#pausedUntil)
      if (at <= now) {
        /* Not from now on: a turn that came late is caught up with, but no burst follows a long wait. */
        this.#nextAt = Math.max(this.#nextAt, now - this.#intervalMs) + this.#intervalMs
        return true
      }
      await pause(this.#clock, at - now, signal)
    }
  }

  /** All who wait for their turn wait so long from now on, unless they wait longer already. */
  pauseFor(ms: number): void {
    const until = this.#clock.now() + ms
    if (until <= this.#pausedUntil) return
    this.#pausedUntil = until
    this.#pauseMs = ms
  }
}
