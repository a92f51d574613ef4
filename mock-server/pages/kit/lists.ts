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

/** An address with these parameters, of which empty ones are left out. */
export function addressOf(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : []))
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
}

/** The address of a list from its first page on, with these parameters changed. */
export function listAddress({ prefix, path, query }: ListRequest, changed: ListRequest['query'] = {}): string {
  const { page: _page, before: _before, ...others } = query
  return addressOf(prefix + path, { ...others, ...changed })
}

export interface RowList extends Omit<Section, 'body' | 'summary'> {
  readonly summary: string
  /** The parameter that is searched for, and what it finds. */
  readonly search: readonly [field: string, label: string]
  /** Links to some of the rows. */
  readonly filters?: Markup | ''
  /** The rows of this page; `undefined` if there is none. */
  readonly rows: Markup | undefined
  readonly none: string | Markup
  readonly pager: Markup | ''
}

/** The section of a list, with search and pages. */
export function listSection(
  requested: ListRequest,
  { search, filters = '', rows, none, pager, ...rest }: RowList,
): Markup {
  const tools = html`<div class="tools">${searchForm(requested, ...search)}${filters}</div>`
  return section({ ...rest, body: html`${tools}${rows ?? empty(none)}${pager}` })
}

/** A field to search by, which keeps its text in the address. Other filters stay. */
export function searchForm({ prefix, path, query }: ListRequest, field: string, label: string): Markup {
  const { [field]: text, page: _page, before: _before, ...others } = query
  const kept = Object.entries(others).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form class="search" method="get" action="${prefix}${path}" role="search">
<input type="search" name="${field}" value="${text}" aria-label="${label}" placeholder="Search: ${label}"
  autocomplete="off" maxlength="200">${kept}</form>`
}

/** How many rows have each status, each a link to them. */
export function statusLinks(
  requested: ListRequest,
  counts: ReadonlyMap<string, number | undefined>,
  all: number | undefined,
): Markup {
  const { status: chosen = '' } = requested.query
  const links = [['', all] as const, ...counts].map(([status, number]) => {
    const to = listAddress(requested, { status })
    return countedLink(to, status === '' ? 'all' : statusName(status), number, status === chosen)
  })
  return linkList('status', links)
}

/** Links that choose rows by one of their properties. */
export function linkList(property: string, links: readonly Markup[], name: Markup | '' = ''): Markup {
  return html`<nav class="counts" aria-label="By ${property}"><ul>${name}${links}</ul></nav>`
}

/** A link that chooses rows, with their number. */
export function countedLink(to: string, label: string | Markup, number: number | undefined, isChosen: boolean): Markup {
  const current = isChosen ? html` aria-current="true"` : ''
  const rows = number === undefined ? '' : html` <b>${number.toLocaleString('en')}</b>`
  return html`<li><a href="${to}"${current}>${label}${rows}</a></li>`
}

/** The links to the previous and the next page, where they exist, and what stands between them. */
export function pagerOf(turns: readonly [back: Turn, on: Turn], between: Markup | '' = ''): Markup | '' {
  if (turns.every(([, to]) => to === undefined)) return ''
  const [back, on] = turns.map(([label, to]) =>
    to === undefined ? html`<span class="off">${label}</span>` : html`<a href="${to}">${label}</a>`,
  )
  return html`<nav class="pager" aria-label="Pages">${back} ${between} ${on}</nav>`
}

type Turn = readonly [label: string, to: string | undefined]

/** The links from page to page, by number. */
export function numberedPager(requested: ListRequest, page: number, pages: number): Markup | '' {
  const to = (number: number): string | undefined =>
    number < 1 || number > pages ? undefined : listAddress(requested, { page: String(number) })
  const turns = [
    ['Previous', to(page - 1)],
    ['Next', to(page + 1)],
  ] as const
  return pagerOf(turns, html`Page ${page} of ${pages}`)
}
