export const NO_DATE = 'must be a date, as in 2026-11-02, 02.11.2026 or Nov 2, 2026, or a time in ISO 8601'

/** What comes first in a date with slashes. */
export type DateOrder = 'day' | 'month'

/** The order that all dates of a column have; `undefined` if both are possible, or none. */
export function dateOrderIn(texts: readonly string[]): DateOrder | undefined {
  const pairs = texts.flatMap((text) => {
    const [, first, , second] = NUMBERS.exec(text.slice(0, MAX_DATE_LENGTH)) ?? []
    return first === undefined || /^\d+\./.test(text) ? [] : [[Number(first), Number(second)] as const]
  })
  const [isDay, isMonth] = [pairs.some(([first]) => first > 12), pairs.some(([, second]) => second > 12)]
  if (pairs.every(([first, second]) => first === second)) return 'day'
  return isDay === isMonth ? undefined : isDay ? 'day' : 'month'
}

const NUMBERS = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|(?<=\.)\d\d)(?= |$)/
const NAMED = /^(?:(\d{1,2})\.? )?([a-z]{3})[a-z]*\.?(?: (\d{1,2}),?)? (\d{4})$/i
const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec'
const MAX_DATE_LENGTH = 40

const pad = (number: string) => number.padStart(2, '0')

/* In ISO 8601. With AM and PM, only the day counts. */
function isoOf(text: string, order: DateOrder): string {
  const [date = '', one = '', separator = '', other = '', year = ''] = NUMBERS.exec(text) ?? []
  if (date !== '') {
    const [day, month] = order === 'month' && separator !== '.' ? [other, one] : [one, other]
    const clock = text.slice(date.length).replace(/^ (?=\d:)/, ' 0')
    return `${year.padStart(4, '20')}-${pad(month)}-${pad(day)}${/m$/i.test(clock) ? '' : clock}`
  }
  const [, before, name = '', after, named] = NAMED.exec(text) ?? []
  const month = MONTHS.indexOf(name.toLowerCase()) / 3 + 1
  const isKnown = named !== undefined && Number.isInteger(month)
  return isKnown ? `${named}-${pad(String(month))}-${pad(before ?? after ?? '')}` : text
}

/** The time that a text says. A day counts until its end, so that a link is not taken for expired too early; today, until now. */
export function timeOf(text: string, now = Number.POSITIVE_INFINITY, order: DateOrder = 'day'): string | undefined {
  const [, day = '', clock, zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i.exec(
      isoOf(text.slice(0, MAX_DATE_LENGTH + 1), order),
    ) ?? []
  const [start, time] = [Date.parse(day), Date.parse(`${day}T${clock ?? '23:59:59'}${zone}`)]
  if (Number.isNaN(start) || Number.isNaN(time)) return undefined
  return new Date(clock === undefined && start <= now ? Math.min(time, now) : time).toISOString()
}
