import { html } from 'hono/html'
import { empty, type Markup, type Section, section, statusName } from './markup.ts'

/** The rows of a page. */
export const ROWS = 25

/** The address of a view. */
export interface ListRequest {
  readonly prefix: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
}

/** One page of rows. */
export interface RowPage<Row> {
  readonly rows: readonly Row[]
  /** How many rows all pages have together. */
  readonly total: number
  /** 1 for the first page. */
  readonly page: number
  readonly pages: number
}

export interface RowList<Row> extends Omit<Section, 'body' | 'summary'> {
  readonly found: RowPage<Row>
  readonly summary: string
  /** The parameter that is searched for, and what it finds. */
  readonly search: readonly [field: string, label: string]
  /** How many rows have each status, in the order of their links, and how many there are in all; if they were counted. */
  readonly counts?: readonly [counts: ReadonlyMap<string, number | undefined>, all: number | undefined]
  readonly none: string | Markup
  readonly rows: (rows: readonly Row[]) => Markup
}

/** The heading of a column that a list can be sorted by. The newest rows come first unless somebody chooses. */
export function sortHeading({ prefix, path, query }: ListRequest, name: string, label: string): Markup {
  const { sort = '-created', page: _page, ...others } = query
  const state = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : 'none'
  const next = new URLSearchParams({ ...others, sort: state === 'ascending' ? `-${name}` : name })
  return html`<th scope="col" aria-sort="${state}"><a href="${prefix}${path}?${next.toString()}">${label}</a></th>`
}

/** The section of a list, with search and pages. */
export function listSection<Row>(
  requested: ListRequest,
  { found, search, counts, none, rows, ...rest }: RowList<Row>,
): Markup {
  const body = found.rows.length === 0 ? empty(none) : rows(found.rows)
  const tools = html`<div class="tools">${searchForm(requested, ...search)}
${counts && statusCounts(requested, ...counts)}</div>`
  return section({ ...rest, body: html`${tools}${body}${pager(requested, found)}` })
}

/** A field to search by, which keeps its text in the address. */
function searchForm({ prefix, path, query }: ListRequest, field: string, label: string): Markup {
  const { status } = query
  return html`<form class="search" method="get" action="${prefix}${path}" role="search">
<input type="search" name="${field}" value="${query[field]}" aria-label="${label}" placeholder="Search: ${label}"
  autocomplete="off">
${status && html`<input type="hidden" name="status" value="${status}">`}
</form>`
}

/** How many rows have each status, each a link to them. */
function statusCounts(
  { prefix, path, query }: ListRequest,
  ...[counts, all]: NonNullable<RowList<unknown>['counts']>
): Markup {
  const { status: chosen = '', page: _page, before: _before, ...others } = query
  const link = (status: string, label: string, number: number | undefined): Markup => {
    const to = new URLSearchParams(status === '' ? others : { ...others, status }).toString()
    const current = status === chosen ? html`aria-current="true"` : ''
    return html`<li><a href="${prefix}${path}${to && `?${to}`}" ${current}>${label}${number === undefined ? '' : html` <b>${number.toLocaleString('en')}</b>`}</a></li>`
  }
  const links = Array.from(counts, ([status, number]) => link(status, statusName(status), number))
  return html`<nav class="counts" aria-label="By status"><ul>${link('', 'all', all)}${links}</ul></nav>`
}

function pager({ prefix, path, query }: ListRequest, { page, pages, total }: RowPage<unknown>): Markup {
  if (pages === 1) return html``
  const { page: _page, ...others } = query
  const to = (number: number, label: string): Markup => {
    if (number < 1 || number > pages) return html`<span class="off">${label}</span>`
    const address = new URLSearchParams({ ...others, page: String(number) }).toString()
    return html`<a href="${prefix}${path}?${address}">${label}</a>`
  }
  const kept = Object.entries(others).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<nav class="pager" aria-label="Pages">${to(page - 1, 'Previous')}
<form method="get" action="${prefix}${path}">${kept}
<label>Page <input type="number" name="page" min="1" max="${pages}" value="${page}" required></label> of ${pages}
</form>
${to(page + 1, 'Next')}<span class="off">${total.toLocaleString('en')} in all</span></nav>`
}
