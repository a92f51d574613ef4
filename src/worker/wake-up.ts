import type { Clock } from '../ledger/rules/clock.ts'
import { pause } from '../pause.ts'

/** Waits until it is time to look for wishes: at a notification, and from time to time without one. */
export class WakeUp {
  readonly #clock: Clock
  readonly #stopping: AbortSignal
  #idle = 0
  #isDue = false
  #waiting: AbortController | undefined

  constructor(clock: Clock, stopping: AbortSignal) {
    this.#clock = clock
    this.#stopping = stopping
    stopping.addEventListener('abort', this.now)
  }

  /** Ends the wait, or the next one. */
  readonly now = (): void => {
    this.#isDue = true
    this.#waiting?.abort()
  }

  /** @param wasIdle whether nothing was found the last time: the longer, the less often */
  async wait(wasIdle: boolean): Promise<void> {
    this.#idle = wasIdle ? this.#idle + 1 : 0
    if (!this.#isDue && !this.#stopping.aborted) {
      this.#waiting = new AbortController()
      await pause(this.#clock, pollMs(this.#idle), this.#waiting.signal)
      this.#waiting = undefined
    }
    this.#isDue = false
  }
}

/* Several workers must not all look at the same moment. */
function pollMs(idle: number): number {
  return Math.min(MOST_MS, LEAST_MS * 2 ** idle) * (0.8 + 0.2 * Math.random())
}

const LEAST_MS = 1_000
const MOST_MS = 5_000
