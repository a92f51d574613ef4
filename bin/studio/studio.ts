import { html } from 'hono/html'
import { type ListRequest, ROWS } from '../../mock-server/pages/kit/lists.ts'
import type { Markup } from '../../mock-server/pages/kit/markup.ts'
import type { Ledger } from '../../src/ledger/index.ts'

/** What the studio shows, and for whom. */
export interface Studio {
  readonly ledger: Ledger
  /** Only the records of this account. */
  readonly account: string | undefined
  /** Who decides: the user of this machine. */
  readonly by: string | undefined
  readonly now: () => number
}

export const referenceOf = ({ reference }: { readonly reference: string }) => reference

/** What expires soon. */
export const SOON_MS = 3 * 24 * 60 * 60 * 1000

/** One page of what follows the row that the address names, and the links to the next page and back to the first one. */
export async function pageOf<Row>(
  { path, query: { before, ...others } }: ListRequest,
  keyOf: (row: Row) => string,
  find: (key: string) => Promise<unknown>,
  rowsAfter: (page: {
    readonly limit: number
    readonly before?: string
  }) => AsyncIterable<Row> | Promise<readonly Row[]>,
): Promise<{ readonly rows: readonly Row[]; readonly links: Markup | '' }> {
  /* It may have been removed meanwhile. */
  const isThere = before !== undefined && (await find(before)) !== undefined
  const found: Row[] = []
  for await (const row of await rowsAfter({ limit: ROWS + 1, ...(isThere && { before }) })) found.push(row)
  const rows = found.slice(0, ROWS)
  const isMore = found.length > ROWS
  const link = (label: string, isThereOne: boolean, query: ListRequest['query']) => {
    const to = new URLSearchParams(query).toString()
    return isThereOne ? html`<a href="${path}${to && `?${to}`}">${label}</a>` : html`<span class="off">${label}</span>`
  }
  const next = { ...others, before: rows.map(keyOf).at(-1) ?? '' }
  const links = html`<nav class="pager" aria-label="Pages">${link('First page', before !== undefined, others)}
${link('Next page', isMore, next)}</nav>`
  return { rows, links: before === undefined && !isMore ? '' : links }
}
