import { CliError } from '../cli-error.ts'

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/* As far as the timers of Node reach. */
const LONGEST_MS = 2_147_483_647

/** Reads a duration such as 500ms, 30s, 2m or 1.5h. @throws CliError that names where it stands */
export function readDuration(where: string, text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? []
  const durationMs = Math.round(Number(number) * (UNIT_MS[unit] ?? 0))
  if (durationMs >= 1 && durationMs <= LONGEST_MS) return durationMs
  throw new CliError(
    `${where} is no duration${/^\d+$/.test(text) ? ': its unit is missing' : ''}.`,
    'Write it with its unit, as in 500ms, 30s, 2m or 1h; up to 24 days.',
  )
}

const SPAN_UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const LONGEST_SPAN_MS = 3_650 * 86_400_000

/** Reads a span of the calendar such as 90d, 12h or 2w, in milliseconds. @throws CliError that names where it stands */
export function readSpan(where: string, text: string): number {
  const spanMs = spanOf(text)
  if (spanMs !== undefined) return spanMs
  throw new CliError(
    `${where} is no span of time${/^\d+$/.test(text) ? ': its unit is missing' : ''}.`,
    'Write it with its unit, as in 30m, 12h, 90d or 2w; up to ten years.',
  )
}

/** Reads a moment: a date, a date with a time, or how long ago. Gives milliseconds since 1970. @throws CliError */
export function readMoment(where: string, text: string, now: number): number {
  const spanMs = spanOf(text)
  if (spanMs !== undefined) return now - spanMs
  const [, date = ''] = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  const at = Date.parse(text)
  /* A day that a month does not have would pass for one of the next. */
  if (!Number.isNaN(at) && isDay(date)) return at
  throw new CliError(
    `${where} is no moment.`,
    'Write a date (2030-01-31), a date with a time and its zone (2030-01-31T09:00:00Z), or how long ago (7d).',
  )
}

function spanOf(text: string): number | undefined {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([mhdw])$/.exec(text) ?? []
  const spanMs = Math.round(Number(number) * (SPAN_UNIT_MS[unit] ?? 0))
  return spanMs >= 1 && spanMs <= LONGEST_SPAN_MS ? spanMs : undefined
}

function isDay(date: string): boolean {
  const at = Date.parse(date)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date)
}
