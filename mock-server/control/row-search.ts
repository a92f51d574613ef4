import type { Rows } from '../sandbox/rows.ts'
import { containing } from '../world/text-patterns.ts'

/** Which rows to return. */
export interface RowQuery {
  /** Text that a row must contain, in any case; blank means no filter. */
  readonly search?: string | undefined
  /** A label that a row must have. */
  readonly status?: string | undefined
  readonly page?: number | undefined
  readonly limit?: number | undefined
}

/** One page of the rows that fit, newest first. Only the rows of that page are made. */
export function newestFirst<Kept, Row>(rows: Rows<Kept, Row>, query: RowQuery) {
  const { search = '', status = '', page = 1, limit = 100 } = query
  const sought = search.trim()
  // In a query string a plus sign is a space: an address with one is found too.
  const tests = [...new Set([sought, sought.replaceAll(' ', '+')])].map(containing)
  const hasText = (text: string | null): boolean => text !== null && tests.some((isIn) => isIn(text))
  const found = rows
    .kept()
    .filter(
      (kept) =>
        (status === '' || rows.labels?.(kept).includes(status)) && (sought === '' || rows.words(kept).some(hasText)),
    )
  const pages = Math.max(1, Math.ceil(found.length / limit))
  const shown = Math.min(Math.max(1, page), pages)
  const end = found.length - (shown - 1) * limit
  const ofPage = found.slice(Math.max(0, end - limit), end).toReversed()
  return { rows: ofPage.map((kept) => rows.row(kept)), total: found.length, page: shown, pages }
}
