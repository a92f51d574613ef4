import { CliError } from '../cli-error.ts'

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/* The limit of Node's timers. */
const LONGEST_TIMER_MS = 2_147_483_647
const LONGEST_SPAN_MS = 3_650 * 86_400_000

/** Reads a duration such as 500ms, 30s, 2m or 1.5h, in milliseconds. @throws CliError that names `where` */
export function readDuration(where: string, text: string): number {
  const durationMs = parseTime(text, /^(\d+(?:\.\d+)?)(ms|s|m|h)$/, LONGEST_TIMER_MS)
  if (durationMs !== undefined) return durationMs
  throw new CliError(
    `${where} is no duration${missingUnit(text)}.`,
    'Write it with its unit, as in 500ms, 30s, 2m or 1h; up to 24 days.',
  )
}

/** Reads a time span such as 12h, 90d or 2w, in milliseconds. @throws CliError that names `where` */
export function readSpan(where: string, text: string): number {
  const spanMs = parseSpan(text)
  if (spanMs !== undefined) return spanMs
  throw new CliError(
    `${where} is no time span${missingUnit(text)}.`,
    'Write it with its unit, as in 30m, 12h, 90d or 2w; up to ten years.',
  )
}

/** Reads a date, a date with a time, or a time span before `now`, in milliseconds since 1970. @throws CliError */
export function readMoment(where: string, text: string, now: number): number {
  const spanMs = parseSpan(text)
  if (spanMs !== undefined) return now - spanMs
  if (isMoment(text)) return Date.parse(text)
  throw new CliError(
    `${where} is no date or time span.`,
    'Write a date (2030-01-31), a date with a time and its zone (2030-01-31T09:00:00Z), or a time span before now (7d).',
  )
}

/** Whether a text is a date, or a date with a time and its zone: without the zone it would depend on the machine. */
export function isMoment(text: string): boolean {
  const [, date = ''] = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  const day = Date.parse(date)
  /* Date.parse takes 30 February for a day in March. */
  return !Number.isNaN(Date.parse(text)) && !Number.isNaN(day) && new Date(day).toISOString().startsWith(date)
}

function parseSpan(text: string): number | undefined {
  return parseTime(text, /^(\d+(?:\.\d+)?)([mhdw])$/, LONGEST_SPAN_MS)
}

function parseTime(text: string, pattern: RegExp, longestMs: number): number | undefined {
  const [, count = '', unit = ''] = pattern.exec(text) ?? []
  const timeMs = Math.round(Number(count) * (UNITS_MS[unit] ?? 0))
  return timeMs >= 1 && timeMs <= longestMs ? timeMs : undefined
}

function missingUnit(text: string): string {
  return /^\d+$/.test(text) ? ': its unit is missing' : ''
}
