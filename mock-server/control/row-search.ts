/** Some rows of many. */
export interface Selection<Row> {
  readonly rows: readonly Row[]
  /** How many there are on all pages together. */
  readonly total: number
  /** 1 for the first page. */
  readonly page: number
  readonly pages: number
}

/** Which rows are asked for. */
export interface Wanted<Row> {
  /** A text that has to stand in what `words` says of a row, in any case; blank is no filter. */
  readonly search: string
  readonly words: (row: Row) => readonly (string | null)[]
  readonly page: number
  readonly size: number
}

/** One page of those rows that are asked for, newest first. Rows come oldest first. */
export function newestFirst<Row>(all: readonly Row[], { search, words, page, size }: Wanted<Row>): Selection<Row> {
  const sought = search.trim().toLowerCase()
  const isSought = (row: Row): boolean => words(row).some((text) => text?.toLowerCase().includes(sought))
  const found = sought === '' ? all : all.filter(isSought)
  const pages = Math.max(1, Math.ceil(found.length / size))
  const shown = Math.min(Math.max(1, page), pages)
  const end = found.length - (shown - 1) * size
  return { rows: found.slice(Math.max(0, end - size), end).toReversed(), total: found.length, page: shown, pages }
}

/** The page that a query string asks for: 100 rows where it says nothing of it, 1,000 at most. */
export function pageOfRows<Row>(all: readonly Row[], words: Wanted<Row>['words'], query: Paging): Selection<Row> {
  const size = Math.min(Math.max(1, wholeNumber(query.limit, 100)), 1000)
  return newestFirst(all, { search: query.search ?? '', words, page: wholeNumber(query.page, 1), size })
}

interface Paging {
  readonly search?: string | undefined
  readonly limit?: string | undefined
  readonly page?: string | undefined
}

/** The whole number in a text, or what stands for it where there is none. */
export function wholeNumber(text: string | undefined, otherwise: number): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : otherwise
}
