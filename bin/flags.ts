import { InvalidArgumentError, Option } from 'commander'

/**
 * Reads a flag that may occur only once, so that a repeated flag cannot silently drop an address. A value that looks like
 * a flag is refused: the real value was forgotten.
 */
export function once(value: string, previous: string | undefined): string {
  if (previous !== undefined) throw new InvalidArgumentError('It may be given only once.')
  if (/^--([a-z]|$)/.test(value)) throw new InvalidArgumentError('Its value is missing: what follows is a flag.')
  return value
}

/** Like {@link once}, for a text that must not be blank: a blank address would mean every address of this machine. */
export function filled(value: string, previous: string | undefined): string {
  if (once(value, previous).trim() === '') throw new InvalidArgumentError('It must not be blank.')
  return value.trim()
}

export function wholeNumber(least: number, most = Number.POSITIVE_INFINITY): (text: string) => number {
  return (text) => {
    const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (count >= least && count <= most) return count
    const range = most === Number.POSITIVE_INFINITY ? `, ${least} or more` : ` from ${least} to ${most}`
    throw new InvalidArgumentError(`It must be a whole number${range}.`)
  }
}

/** A flag that may occur several times. Its value is the list of what `read` returned. */
export class RepeatedOption<T = string> extends Option {
  constructor(
    flags: string,
    description: string,
    read: (text: string, previous: readonly T[]) => T = (text) => text as T,
  ) {
    super(flags, `${description}; may be repeated`)
    this.argParser((text, previous: readonly T[] | undefined) => [...(previous ?? []), read(text, previous ?? [])])
  }
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/* The limit of Node's timers. */
const MAX_TIMER_MS = 2_147_483_647
const MAX_SPAN_MS = 3_650 * 86_400_000

/** Reads a flag such as 500ms, 30s, 2m or 1.5h, in milliseconds. */
export function durationMs(text: string): number {
  const read = parseTime(text, /^(\d+(?:\.\d+)?)(ms|s|m|h)$/, MAX_TIMER_MS)
  if (read !== undefined) return read
  throw new InvalidArgumentError(`It must be a duration with its unit, as in 500ms, 30s, 2m or 1h; up to 24 days.`)
}

/** Like {@link durationMs}, but 0s is allowed. */
export function durationOrZeroMs(text: string): number {
  return /^0(ms|s|m|h)$/.test(text) ? 0 : durationMs(text)
}

/** Reads a flag such as 12h, 90d or 2w, in milliseconds. */
export function spanMs(text: string): number {
  const read = parseSpan(text)
  if (read !== undefined) return read
  throw new InvalidArgumentError('It must be a time span with its unit, as in 30m, 12h, 90d or 2w; up to ten years.')
}

/** Reads a date, a date with a time and its zone, or a time span before now. */
export function momentOf(text: string): (now: number) => number {
  const span = parseSpan(text)
  if (span !== undefined) return (now) => now - span
  if (isMoment(text)) return () => Date.parse(text)
  throw new InvalidArgumentError(
    'It must be a date (2030-01-31), a time with its zone (2030-01-31T09:00:00Z), or a time span before now (7d).',
  )
}

/** Whether a text is a date, or a date with a time and its zone: without the zone it would depend on the machine. */
export function isMoment(text: string): boolean {
  const [, date = ''] = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  const day = Date.parse(date)
  /* Date.parse reads 30 February as a day in March. */
  return !Number.isNaN(Date.parse(text)) && !Number.isNaN(day) && new Date(day).toISOString().startsWith(date)
}

function parseSpan(text: string): number | undefined {
  return parseTime(text, /^(\d+(?:\.\d+)?)([mhdw])$/, MAX_SPAN_MS)
}

function parseTime(text: string, pattern: RegExp, longestMs: number): number | undefined {
  const [, count = '', unit = ''] = pattern.exec(text) ?? []
  const timeMs = Math.round(Number(count) * (UNITS_MS[unit] ?? 0))
  return timeMs >= 1 && timeMs <= longestMs ? timeMs : undefined
}
