import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'

/* For people. Programs get everything. */
const LIMIT_ON_TERMINAL = 50
/* Counting a long list takes time. */
const COUNTED_AT_MOST = 10_000

/** Which rows of a list are shown, and how many are not. A program that gives no limit gets all. */
export class ListLimit {
  #shown = 0
  #others = 0
  readonly #limit: number
  readonly #isForPeople: boolean

  /** @throws CliError if --limit is invalid */
  constructor({ io, preferences }: Pick<Context, 'io' | 'preferences'>, flag: string | undefined) {
    this.#isForPeople = io.stdout.isTTY && !preferences.json.value && !preferences.quiet.value
    this.#limit = limitOf(flag) ?? (this.#isForPeople ? LIMIT_ON_TERMINAL : Number.POSITIVE_INFINITY)
  }

  get shown(): number {
    return this.#shown
  }

  /** What becomes of the next row: it is shown or only counted, or nothing is left to do. */
  next(): 'show' | 'count' | 'end' {
    if (this.#shown < this.#limit) {
      this.#shown += 1
      return 'show'
    }
    if (!this.#isForPeople || this.#others === COUNTED_AT_MOST) return 'end'
    this.#others += 1
    return 'count'
  }

  /** How many rows are not shown; empty if all are. */
  get remark(): string {
    return this.#others === 0 ? '' : `\n${othersText(this.#others)} not shown: --limit <number> shows more.`
  }
}

function othersText(count: number): string {
  if (count === 1) return '1 other is'
  return count === COUNTED_AT_MOST ? `${count} others or more are` : `${count} others are`
}

function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (limit > 0) return limit
  throw new CliError('--limit is no whole number of 1 or more.', 'Leave it out to list everything in a pipe.')
}
