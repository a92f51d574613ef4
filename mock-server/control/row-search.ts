import type { MockCallback } from '../contract/callbacks.ts'
import type { MockExchange } from '../contract/request-log.ts'
import type { MockInvite } from '../world/model.ts'

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
export interface RowQuery<Row> {
  /** A text that one of the words of a row has to contain, in any case; blank is no filter. */
  readonly search: string
  readonly words: (row: Row) => Words
  readonly page: number
  readonly size: number
}

/** The texts that a search looks at. */
type Words = readonly (string | null)[]

export function inviteWords({ candidate, inviteId, quizId, skillName, externalReference }: MockInvite): Words {
  return [candidate.email, candidate.name, inviteId, quizId, skillName, externalReference]
}

export function callbackWords({ id, type, url, inviteId, status, body }: MockCallback): Words {
  return [id, type, url, inviteId, status, body]
}

export function requestWords({ method, target, operations, key, body, answer, status }: MockExchange): Words {
  return [method, target, ...operations, key, body, answer, String(status)]
}

/** One page of the rows that fit, newest first. The rows come oldest first. */
export function newestFirst<Row>(all: readonly Row[], { search, words, page, size }: RowQuery<Row>): RowPage<Row> {
  const sought = search.trim().toLowerCase()
  const fits = (row: Row): boolean => words(row).some((text) => text?.toLowerCase().includes(sought))
  const found = sought === '' ? all : all.filter(fits)
  const pages = Math.max(1, Math.ceil(found.length / size))
  const shown = Math.min(Math.max(1, page), pages)
  const end = found.length - (shown - 1) * size
  return { rows: found.slice(Math.max(0, end - size), end).toReversed(), total: found.length, page: shown, pages }
}

/** The page that a query string asks for: 100 rows by default, 1,000 at most. */
export function pageOfRows<Row>(all: readonly Row[], words: RowQuery<Row>['words'], query: Paging): RowPage<Row> {
  const size = Math.min(Math.max(1, wholeNumber(query.limit, 100)), 1000)
  return newestFirst(all, { search: query.search ?? '', words, page: wholeNumber(query.page, 1), size })
}

interface Paging {
  readonly search?: string | undefined
  readonly limit?: string | undefined
  readonly page?: string | undefined
}

/** The whole number in a text, or the default where there is none. */
export function wholeNumber(text: string | undefined, byDefault: number): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : byDefault
}
