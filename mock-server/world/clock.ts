/** A length of time: milliseconds, or a whole number with a unit, such as `'30s'`, `'15m'`, `'2h'` or `'14d'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

/** A point in time: an ISO 8601 string, Unix milliseconds, or a `Date`. */
export type Moment = string | number | Date

/** The length of a day, in milliseconds. */
export const DAY_MS: number = 24 * 60 * 60 * 1000

/** The longest duration that a setting may have, a thousand years: resulting times can still be written as dates. */
export const MAX_MS: number = 365_000 * DAY_MS

/**
 * The clock of a world. Until it is frozen, it follows real time, which it reads on every call, so that a test's fake
 * timers apply. It moves forward only.
 */
export class Clock {
  readonly #start: number | null
  #frozenAt: number | null
  #aheadMs = 0

  constructor(start?: Moment) {
    this.#start = start === undefined ? null : timeOfWorld(millisecondsOf(start))
    this.#frozenAt = this.#start
  }

  now(): number {
    return this.#frozenAt ?? Date.now() + this.#aheadMs
  }

  get isFrozen(): boolean {
    return this.#frozenAt !== null
  }

  freeze(): void {
    this.#frozenAt = this.now()
  }

  /** Continues from its present time, at the speed of real time. */
  follow(): void {
    this.#aheadMs = this.now() - Date.now()
    this.#frozenAt = null
  }

  /** Moves forward to this time; a past time changes nothing. */
  moveTo(time: number): void {
    const byMs = Math.max(0, timeOfWorld(time) - this.now())
    if (this.#frozenAt === null) this.#aheadMs += byMs
    else this.#frozenAt += byMs
  }

  /** Sets the clock, even to an earlier time: for a snapshot. */
  set({ now, frozen }: ClockPosition): void {
    this.#frozenAt = timeOfWorld(now)
    if (!frozen) this.follow()
  }

  reset(): void {
    this.#frozenAt = this.#start
    this.#aheadMs = 0
  }
}

/** The time of a clock, and whether it is frozen. */
export interface ClockPosition {
  readonly now: number
  readonly frozen: boolean
}

/** A duration in milliseconds. Throws on anything but zero or more. */
export function durationMs(duration: Duration): number {
  const ms = typeof duration === 'number' ? duration : millisecondsIn(duration)
  if (!(ms >= 0 && Number.isFinite(ms))) {
    throw new Error(
      `${String(duration)} is not a length of time: give milliseconds (zero or more), or a text such as '30s', '15m', '2h' or '14d'.`,
    )
  }
  return Math.round(ms)
}

/** The milliseconds in a text such as `30s`; NaN if it is not a length of time. */
export function millisecondsIn(text: string): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? []
  return Number(amount) * (UNIT_MS.get(unit) ?? NaN)
}

/** A point in time as Unix milliseconds. Throws on what is not a time. */
export function millisecondsOf(moment: Moment): number {
  const ms = new Date(moment).getTime()
  if (Number.isNaN(ms)) throw new Error(`${String(moment)} is not a time: give an ISO 8601 string or a Date.`)
  return ms
}

/** ISO 8601 in UTC, as the service writes its times. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** The end of the year 9999. JavaScript's own is so far off that everything which follows from a time can be written. */
export const LAST_TIME = 253_402_300_800_000

/** A time that a clock may have. Throws on any later one. */
export function timeOfWorld(ms: number): number {
  if (ms < LAST_TIME) return ms
  throw new Error('The clock of a world cannot go beyond the year 9999.')
}

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', DAY_MS],
])
