import type { ListSource } from '../sandbox/rows.ts'
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
export function newestFirst<Entity, Row>(rows: ListSource<Entity, Row>, query: RowQuery) {
  const { search = '', status = '', page = 1, limit = 100 } = query
  const found = rowsWith(search, rows)
  const ofStatus = status === '' ? found : found.filter((entity) => rows.labels?.(entity).includes(status))
  return pageOf(ofStatus, rows.row, { page, limit })
}

/** One page of rows, of which the last comes first. */
export function pageOf<Entity, Row>(
  found: readonly Entity[],
  row: (entity: Entity) => Row,
  { page, limit }: { readonly page: number; readonly limit: number },
) {
  const pages = Math.max(1, Math.ceil(found.length / limit))
  const shown = Math.min(Math.max(1, page), pages)
  const end = found.length - (shown - 1) * limit
  const ofPage = found.slice(Math.max(0, end - limit), end).toReversed()
  return { rows: ofPage.map(row), total: found.length, page: shown, pages }
}

/** All rows with this text, oldest first. */
export function rowsWith<Entity>(search: string, { all, words }: Pick<ListSource<Entity, unknown>, 'all' | 'words'>) {
  const sought = search.trim()
  // In a query string a plus sign is a space: an address with one is found too.
  const tests = [...new Set([sought, sought.replaceAll(' ', '+')])].map(containing)
  const hasText = (text: string | null): boolean => text !== null && tests.some((isIn) => isIn(text))
  return sought === '' ? all() : all().filter((each) => words(each).some(hasText))
}
