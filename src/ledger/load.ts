import { performance } from 'node:perf_hooks'

/** How busy the event loop of this process is. */
export class Load {
  #asked = 0
  #isFull = false
  #since = performance.eventLoopUtilization()

  /** Whether it had next to no idle time lately. */
  isFull(): boolean {
    this.#asked += 1
    if (this.#asked % ASKED_AT_LEAST === 0) {
      const now = performance.eventLoopUtilization()
      this.#isFull = performance.eventLoopUtilization(now, this.#since).utilization > FULL
      this.#since = now
    }
    return this.#isFull
  }
}

/* Looking takes longer than answering, and a moment says little. */
const ASKED_AT_LEAST = 32
const FULL = 0.9
