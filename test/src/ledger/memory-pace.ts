import type { OutageTrials, PaceState, SharedPace } from '../../../src/ledger/index.ts'
import { CLOCK_SLACK_MS, intervalOf, RATE_COUNTS_MS } from '../../../src/ledger/rules/shared-pace.ts'

/** What runs share, in memory: the same rules as in Postgres, by a clock of the test. */
export class MemoryPace {
  readonly #now: () => number
  #nextAt = 0
  #intervalMs = 0
  #intervalAt = 0
  #pausedUntil = 0
  #pauseMs = 0
  #held: { owner: object | undefined; until: number; trials: OutageTrials } | undefined
  /** The turns that were taken, in milliseconds since 1970. */
  readonly turns: number[] = []

  constructor(now: () => number) {
    this.#now = now
  }

  /** The pace, as one more run sees it. */
  readonly forRun = (): SharedPace => {
    const owner = {}
    return {
      read: async () => this.#state(owner),
      takeTurn: async (rate) => this.#takeTurn(owner, intervalOf(rate)),
      pauseFor: async (ms) => {
        if (this.#pausedMs() >= ms) return
        this.#pausedUntil = this.#now() + ms
        this.#pauseMs = ms
      },
      hold: async (leaseMs, trials) => {
        const { owner: other, until = 0 } = this.#held ?? {}
        if (other !== undefined && other !== owner && until > this.#now()) return false
        this.#held = { owner, until: this.#now() + leaseMs, trials }
        return true
      },
      release: async (isOver, trials) => {
        if (this.#held?.owner !== owner) return
        this.#held = isOver ? undefined : { owner: undefined, until: this.#now(), trials }
      },
    }
  }

  #takeTurn(owner: object, own: number): number | undefined {
    if (this.#pausedMs() > 0 || (this.#held !== undefined && this.#held.owner !== owner)) return undefined
    const now = this.#now()
    const intervalMs = this.#isLimited() ? Math.max(this.#intervalMs, own) : own
    const turn = Math.max(now, Math.min(this.#nextAt, now + 1000 * intervalMs))
    this.#nextAt = turn + intervalMs
    if (own >= intervalMs) this.#intervalAt = now
    this.#intervalMs = intervalMs
    this.turns.push(turn)
    return turn - now
  }

  #state(owner: object): PaceState {
    const held = this.#held
    const isFree = held?.owner === undefined || held.until <= this.#now()
    const probedBy = held?.owner === owner ? 'this' : isFree ? 'nobody' : 'another'
    return {
      pausedMs: this.#pausedMs(),
      isLimited: this.#isLimited(),
      outage: held && { probedBy, trials: held.trials },
    }
  }

  #isLimited(): boolean {
    return this.#intervalMs > 0 && this.#intervalAt + RATE_COUNTS_MS + 2 * this.#intervalMs > this.#now()
  }

  #pausedMs(): number {
    const leftMs = this.#pausedUntil - this.#now()
    return leftMs > this.#pauseMs + CLOCK_SLACK_MS ? 0 : Math.max(0, leftMs)
  }
}
