import type { CallbackEvent } from '../sandbox/callback-event.ts'
import type { LoggedRequest } from '../sandbox/request-log.ts'
import type { Rows } from '../sandbox/rows.ts'
import { containing } from '../world/text-patterns.ts'
import type { Invite, Mail } from '../world/model.ts'

/** Some rows of many. */
export interface RowPage<Row> {
  readonly rows: readonly Row[]
  /** How many rows all pages have together. */
  readonly total: number
  /** 1 for the first page. */
  readonly page: number
  readonly pages: number
}

/** Which rows to return. */
export interface RowQuery<Kept> extends RowFilter<Kept> {
  /** Text that one of the words of a row must contain, in any case; blank means no filter. */
  readonly search: string
  readonly page: number
  readonly size: number
}

/** How rows are chosen before they are made. */
export interface RowFilter<Kept> {
  readonly words: (kept: Kept) => Words
  /** A further condition for a row. */
  readonly fits?: (kept: Kept) => boolean
}

/** The texts that a search looks at. */
type Words = readonly (string | null)[]

export function inviteWords({ candidate, inviteId, quizId, skillName, externalReference }: Invite): Words {
  return [candidate.email, candidate.name, inviteId, quizId, skillName, externalReference]
}

export function mailWords({ to }: Mail): Words {
  return [to]
}

export function callbackWords({ id, type, url, inviteId, status, body }: CallbackEvent): Words {
  return [id, type, url, inviteId, status, body]
}

export function requestWords(logged: LoggedRequest): Words {
  const { method, target, operations, key, body, answer, status, createdInviteIds, reference } = logged.row()
  return [method, target, ...operations, key, body, answer, String(status), ...createdInviteIds, reference]
}

/** One page of the rows that fit, newest first. Only the rows of that page are made. */
export function newestFirst<Kept, Row>(rows: Rows<Kept, Row>, query: RowQuery<Kept>): RowPage<Row> {
  const { search, words, fits = () => true, page, size } = query
  const sought = search.trim()
  // In a query string a plus sign is a space: an address with one is found too.
  const tests = [...new Set([sought, sought.replaceAll(' ', '+')])].map(containing)
  const hasText = (kept: Kept): boolean => words(kept).some((text) => text !== null && tests.some((isIn) => isIn(text)))
  const all = rows.kept()
  const isFiltered = sought !== '' || query.fits !== undefined
  const found = isFiltered ? all.filter((kept) => fits(kept) && (sought === '' || hasText(kept))) : all
  const pages = Math.max(1, Math.ceil(found.length / size))
  const shown = Math.min(Math.max(1, page), pages)
  const end = found.length - (shown - 1) * size
  const shownRows = found.slice(Math.max(0, end - size), end).toReversed()
  return { rows: shownRows.map((kept) => rows.row(kept)), total: found.length, page: shown, pages }
}

/** The page that a query string asks for. */
export function pageOfRows<Kept, Row>(rows: Rows<Kept, Row>, filter: RowFilter<Kept>, query: Paging): RowPage<Row> {
  const { search = '', page = 1, limit: size = 100 } = query
  return newestFirst(rows, { ...filter, search, page, size })
}

interface Paging {
  readonly search?: string | undefined
  readonly limit?: number | undefined
  readonly page?: number | undefined
}

/** The whole number in a text, or the default if there is none. */
export function wholeNumber(text: string | undefined, byDefault: number): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : byDefault
}
