import type { Clock } from '../world/clock.ts'
import { realClearTimeout, realSetTimeout } from './unpatched-globals.ts'

/** Something that has things to do at certain times of a world. */
export interface Timed {
  /** When the next thing is due; `null` where there is none. */
  dueAt(): number | null
  /** Does, or begins, whatever is due now. */
  runDue(): void
  /** Whether something that was begun is still under way. */
  readonly isBusy?: boolean
  /** Resolves when nothing is under way any more. */
  settled?(): Promise<void>
}

/** Moves the clock of a world, and sees to it that whatever falls due on the way happens, at its time and in its order. */
export class Timeline {
  readonly #clock: Clock
  readonly #timed: readonly Timed[]
  #timer: ReturnType<typeof globalThis.setTimeout> | undefined
  #travels = 0
  #lastTravel: Promise<void> = Promise.resolve()
  #epoch = 0

  constructor(clock: Clock, timed: readonly Timed[]) {
    this.#clock = clock
    this.#timed = timed
  }

  /** Does what is due now, and wakes up for what comes next where the clock follows real time. */
  touch(): void {
    for (const timed of this.#timed) timed.runDue()
    this.#wakeUp()
  }

  /** Moves forward to a time, with stops wherever something is due. At once where nothing is, and nothing under way. */
  travel(target: () => number): Promise<void> {
    const isBusy = this.#travels > 0 || this.#timed.some((timed) => timed.isBusy)
    if (!isBusy && (this.#dueAt() ?? Infinity) > target()) {
      this.#clock.moveTo(target())
      this.touch()
      return this.settled()
    }
    this.#travels += 1
    const epoch = this.#epoch
    this.#lastTravel = this.#lastTravel
      .catch(() => {})
      .then(() => (epoch === this.#epoch ? this.#stopByStop(target()) : undefined))
      .finally(() => {
        this.#travels -= 1
      })
    return this.#lastTravel
  }

  /** Resolves when nothing is due now and nothing under way. */
  async settled(): Promise<void> {
    do {
      this.touch()
      for (const timed of this.#timed) await timed.settled?.()
    } while ((this.#dueAt() ?? Infinity) <= this.#clock.now())
  }

  /** Ends every travel where it stands, and wakes up no more until it is touched. */
  stop(): void {
    this.#epoch += 1
    realClearTimeout(this.#timer)
  }

  async #stopByStop(to: number): Promise<void> {
    const epoch = this.#epoch
    await this.settled()
    for (let stop = this.#dueAt(); stop !== null && stop <= to; stop = this.#dueAt()) {
      if (epoch !== this.#epoch) return
      this.#clock.moveTo(stop)
      await this.settled()
    }
    if (epoch !== this.#epoch) return
    this.#clock.moveTo(to)
    await this.settled()
  }

  #dueAt(): number | null {
    const times = this.#timed.map((timed) => timed.dueAt()).filter((time) => time !== null)
    return times.length === 0 ? null : Math.min(...times)
  }

  #wakeUp(): void {
    realClearTimeout(this.#timer)
    const next = this.#dueAt()
    if (next === null || this.#clock.isFrozen) return
    const waitMs = Math.min(Math.max(next - this.#clock.now(), 1), LONGEST_WAIT_MS)
    this.#timer = realSetTimeout(() => this.touch(), waitMs)
    // A process is not kept alive by what a mock would do later.
    if (typeof this.#timer === 'object') this.#timer.unref()
  }
}

/** The longest time that a timer of the platforms takes. */
const LONGEST_WAIT_MS = 2 ** 31 - 1
