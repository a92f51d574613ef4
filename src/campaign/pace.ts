import type { Clock } from '../ledger/rules/clock.ts'
import type { PaceState, SharedOutage, SharedPace } from '../ledger/rules/shared-pace.ts'
import { pause } from '../pause.ts'

/** The pace of all runs on a ledger, and what a run does when another one changes it. */
export interface PaceOfAll {
  readonly pace: SharedPace
  /** Another run was asked to wait so long. */
  readonly onPause: (waitMs: number) => void
  /** Another run has found an outage. */
  readonly onOutage: (outage: SharedOutage) => void
}

/** When the next request may be sent: below a maximum rate, and not during a pause. */
export class Pace {
  readonly #clock: Clock
  readonly #ratePerSecond: number | undefined
  readonly #ofAll: PaceOfAll | undefined
  readonly #intervalMs: number
  #nextAt: number
  #pausedUntil = 0
  #pauseMs = 0
  #lastTurn: Promise<unknown> = Promise.resolve()

  /**
   * @param ratePerSecond the most requests in a second; `undefined`: no limit
   * @param ofAll shared with other runs; then the rate counts for all of them together
   */
  constructor(clock: Clock, ratePerSecond: number | undefined, ofAll?: PaceOfAll) {
    this.#clock = clock
    this.#ratePerSecond = ratePerSecond
    this.#ofAll = ofAll
    this.#nextAt = clock.now()
    this.#intervalMs = ratePerSecond === undefined || ofAll !== undefined ? 0 : 1000 / ratePerSecond
  }

  /**
   * Waits until the caller may send. Resolves with `false` if the signal was aborted first, or if another run has found an
   * outage.
   */
  async waitForTurn(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (!(await this.#waitForOwnTurn(signal))) return false
      const turn = this.#ofAll === undefined ? 'send' : await this.#turnOfAll(this.#ofAll, signal)
      if (turn !== 'again') return turn === 'send'
    }
  }

  isPaused(): boolean {
    return this.#clock.now() < this.#pausedUntil
  }

  /** Pauses all callers for so long from now, unless they pause longer already. */
  async pauseFor(ms: number): Promise<void> {
    this.#pauseOwn(ms)
    if (this.#ofAll === undefined) return
    await this.#ofAll.pace.pauseFor(ms)
    /* The pause of all began later: what is left of it then is no news from another run. */
    this.#pauseOwn(ms)
  }

  async #waitForOwnTurn(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal.aborted) return false
      const now = this.#clock.now()
      /* If the clock was set back, these times are too far in the future. */
      this.#nextAt = Math.min(this.#nextAt, now + this.#intervalMs)
      this.#pausedUntil = Math.min(this.#pausedUntil, now + this.#pauseMs)
      const at = Math.max(this.#nextAt, this.#pausedUntil)
      if (at <= now) {
        /* A late request does not delay the next one. But no burst follows a long wait. */
        this.#nextAt = Math.max(this.#nextAt, now - this.#intervalMs) + this.#intervalMs
        return true
      }
      await pause(this.#clock, at - now, signal)
    }
  }

  async #turnOfAll(ofAll: PaceOfAll, signal: AbortSignal): Promise<Turn> {
    if (this.#ratePerSecond === undefined) {
      const state = await ofAll.pace.read()
      const turn = this.#heed(ofAll, state)
      if (turn !== 'send' || !state.isLimited) return turn
    }
    /* One at a time: a turn is soon then, so that what another run reports meanwhile is heeded. */
    const turn = this.#lastTurn.then(() => this.#takeTurn(ofAll, signal))
    this.#lastTurn = turn.catch(() => {})
    return turn
  }

  async #takeTurn(ofAll: PaceOfAll, signal: AbortSignal): Promise<Turn> {
    if (signal.aborted) return 'stop'
    if (this.isPaused()) return 'again'
    const waitMs = await ofAll.pace.takeTurn(this.#ratePerSecond)
    if (waitMs === undefined) {
      const turn = this.#heed(ofAll, await ofAll.pace.read())
      return turn === 'send' ? 'again' : turn
    }
    if (waitMs > 0 && !(await pause(this.#clock, waitMs, signal))) return 'stop'
    return waitMs > LONG_WAIT_MS ? this.#heed(ofAll, await ofAll.pace.read()) : 'send'
  }

  #heed({ onPause, onOutage }: PaceOfAll, { pausedMs, outage }: PaceState): Turn {
    if (outage !== undefined && outage.probedBy !== 'this') {
      onOutage(outage)
      return 'stop'
    }
    if (pausedMs <= 0) return 'send'
    if (this.#pauseOwn(pausedMs) && pausedMs > LONG_WAIT_MS) onPause(pausedMs)
    return 'again'
  }

  /* Returns whether it paused less before. */
  #pauseOwn(ms: number): boolean {
    const wasPaused = this.isPaused()
    const until = this.#clock.now() + ms
    if (until <= this.#pausedUntil) return false
    this.#pausedUntil = until
    this.#pauseMs = ms
    return !wasPaused
  }
}

type Turn = 'send' | 'again' | 'stop'

/*
 * After a longer wait, what other runs have found out is read again. A shorter pause is the rest of one that is known: the
 * clock of the database is another one.
 */
const LONG_WAIT_MS = 50
