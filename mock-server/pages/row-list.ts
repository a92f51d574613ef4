import { html } from 'hono/html'
import { newestFirst, type RowFilter, type RowPage, wholeNumber } from '../control/row-search.ts'
import type { SentRequests } from '../sandbox/request-log.ts'
import type { MockRows, Rows } from '../sandbox/rows.ts'
import { empty, type Markup, type Section, section } from './markup.ts'

export const ROWS = 25

/** The address of a view, and how many rows it shows: fewer than {@link ROWS} on the overview. */
export interface ViewRequest {
  readonly prefix: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly size: number
  /** What the mock has to list. */
  readonly rows: MockRows
  readonly requestLog: SentRequests
}

export interface RowList<Row> extends Omit<Section, 'body' | 'summary'> {
  readonly found: RowPage<Row>
  readonly summary: string
  /** The label of the link from the overview to the view of this list. */
  readonly all: string
  readonly search: Markup
  readonly none: string | Markup
  readonly rows: (rows: readonly Row[]) => Markup
}

/** The rows of a view that its address asks for. `field` is the parameter that is searched for. */
export function rowsOf<Kept, Row>(
  rows: Rows<Kept, Row>,
  filter: RowFilter<Kept>,
  { query, size }: ViewRequest,
  field: string,
): RowPage<Row> {
  return newestFirst(rows, { ...filter, search: query[field] ?? '', page: wholeNumber(query['page'], 1), size })
}

/** The section of a list: with search and pages on its own view, with a link to that view on the overview. */
export function listSection<Row>(
  requested: ViewRequest,
  { found, all, search, none, rows, ...rest }: RowList<Row>,
): Markup {
  const body = found.rows.length === 0 ? empty(none) : rows(found.rows)
  if (requested.size < ROWS) {
    return section({ ...rest, actions: html`<a href="${requested.prefix}/${rest.id}">${all}</a>`, body })
  }
  return section({ ...rest, body: html`${search}\n${body}${pager(requested, found)}` })
}

/** A field to search by, which keeps its text in the address. */
export function searchForm(
  { prefix, path, query }: ViewRequest,
  field: string,
  label: string,
  more: Markup | '' = '',
): Markup {
  return html`<form class="search" role="search" method="get" action="${prefix}${path}">
<label>${label} <input type="search" name="${field}" value="${query[field] ?? ''}" autocomplete="off"></label>${more}
<button class="quiet">Search</button>
</form>`
}

function pager({ prefix, path, query }: ViewRequest, { page, pages, total }: RowPage<unknown>): Markup {
  if (pages === 1) return html``
  const to = (number: number, label: string): Markup =>
    number < 1 || number > pages
      ? html`<span class="off">${label}</span>`
      : html`<a href="${prefix}${path}?${new URLSearchParams({ ...query, page: String(number) }).toString()}">${label}</a>`
  return html`<nav class="pager" aria-label="Pages">${to(page - 1, 'Newer')}<span>Page ${page} of ${pages}, ${total.toLocaleString('en')} in all</span>${to(page + 1, 'Older')}</nav>`
}

export function count(number: number, one: string, many: string = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`
}
