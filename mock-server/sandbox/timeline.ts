import { MAX_TIMER_MS } from '../contract/limits.ts'
import type { MockClock } from '../contract/members.ts'
import { type Clock, durationMs, isoTime, millisecondsOf, timeOfWorld } from '../world/clock.ts'
import type { World } from '../world/world.ts'
import type { Changes } from './changes.ts'
import { realClearTimeout, realSetTimeout } from './unpatched-globals.ts'

/** Something that acts at certain times of a world. */
export interface Timed {
  /** When the next action is due; `null` if there is none. */
  dueAt(): number | null
  /** Does, or begins, every action that is due. */
  runDue(): void
  /** Whether an action is still under way. */
  readonly isBusy?: boolean
  /** Resolves when no action is under way. */
  idle?(): Promise<void>
}

/** Moves the clock of a world. Every action that falls due on the way happens at its time and in order. */
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

  /** Does what is due now. If the clock follows real time, sets a timer for what comes next. */
  runDue(): void {
    for (const timed of this.#timed) timed.runDue()
    this.#wakeUp()
  }

  /** Moves forward to a time, and stops wherever an action is due. Synchronous if none is due or under way. */
  travel(target: () => number): Promise<void> {
    const isBusy = this.#travels > 0 || this.#timed.some((timed) => timed.isBusy)
    if (!isBusy && (this.#dueAt() ?? Infinity) > target()) {
      this.#clock.moveTo(target())
      this.runDue()
      return this.settle()
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

  /** Does what is due now; resolves when nothing is under way. */
  async settle(): Promise<void> {
    do {
      this.runDue()
      for (const timed of this.#timed) await timed.idle?.()
    } while ((this.#dueAt() ?? Infinity) <= this.#clock.now())
  }

  /** Ends every move of the clock, and the timer. `runDue` sets the timer again. */
  stop(): void {
    this.#epoch += 1
    realClearTimeout(this.#timer)
  }

  async #stopByStop(to: number): Promise<void> {
    const epoch = this.#epoch
    await this.settle()
    for (let stop = this.#dueAt(); stop !== null && stop <= to; stop = this.#dueAt()) {
      if (epoch !== this.#epoch) return
      this.#clock.moveTo(stop)
      await this.settle()
    }
    if (epoch !== this.#epoch) return
    this.#clock.moveTo(to)
    await this.settle()
  }

  #dueAt(): number | null {
    const times = this.#timed.map((timed) => timed.dueAt()).filter((time) => time !== null)
    return times.length === 0 ? null : Math.min(...times)
  }

  #wakeUp(): void {
    realClearTimeout(this.#timer)
    const next = this.#dueAt()
    if (next === null || this.#clock.isFrozen) return
    const waitMs = Math.min(Math.max(next - this.#clock.now(), 1), MAX_TIMER_MS)
    this.#timer = realSetTimeout(() => this.runDue(), waitMs)
    // A mock's timer must not keep a process alive.
    if (typeof this.#timer === 'object') this.#timer.unref()
  }
}

/** The clock of a world, which a tester stops and moves. */
export function clockControl({ clock }: World, timeline: Timeline, changes: Changes): MockClock {
  return {
    now: () => new Date(clock.now()),
    get frozen() {
      return clock.isFrozen
    },
    async freeze(at) {
      const now = clock.now()
      const target = at === undefined ? now : timeOfWorld(millisecondsOf(at))
      if (target < now)
        throw new Error(
          `The clock of a world moves only forward: it is ${isoTime(now)}, so it cannot be frozen at ${isoTime(target)}. A world that begins in the past is made with createMockServer({ now }).`,
        )
      clock.freeze()
      await timeline.travel(() => target)
      changes.note('clock')
    },
    follow() {
      clock.follow()
      timeline.runDue()
      changes.note('clock')
    },
    async advance(by) {
      const byMs = durationMs(by)
      timeOfWorld(clock.now() + byMs)
      await timeline.travel(() => clock.now() + byMs)
      changes.note('clock')
    },
  }
}
