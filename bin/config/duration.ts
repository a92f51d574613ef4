import { UsageError } from '../usage-error.ts'

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/* As far as the timers of Node reach. */
const LONGEST_MS = 2_147_483_647

/** Reads a duration such as 500ms, 30s, 2m or 1.5h. @throws UsageError that names where it stands */
export function readDuration(where: string, text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? []
  const durationMs = Math.round(Number(number) * (UNIT_MS[unit] ?? 0))
  if (durationMs >= 1 && durationMs <= LONGEST_MS) return durationMs
  throw new UsageError({
    message: `${where} is no duration${/^\d+$/.test(text) ? ': its unit is missing' : ''}.`,
    hint: 'Write it with its unit, as in 500ms, 30s, 2m or 1h; up to 24 days.',
  })
}
