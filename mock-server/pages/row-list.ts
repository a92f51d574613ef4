import { html } from 'hono/html'
import type { RowPage } from '../control/row-search.ts'
import type { Markup } from './markup.ts'

/** How many rows a page shows. */
export const ROWS = 25

/** What a view has to show, by its address. */
export interface ViewRequest {
  readonly prefix: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
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

/** Where among all pages this one is, and the ways to the others. */
export function pager({ prefix, path, query }: ViewRequest, { page, pages, total }: RowPage<unknown>): Markup {
  if (pages === 1) return html``
  const to = (number: number, label: string): Markup =>
    number < 1 || number > pages
      ? html`<span class="off">${label}</span>`
      : html`<a href="${prefix}${path}?${new URLSearchParams({ ...query, page: String(number) }).toString()}">${label}</a>`
  return html`<nav class="pager" aria-label="Pages">${to(page - 1, 'Newer')}<span>Page ${page} of ${pages}, ${total.toLocaleString('en')} in all</span>${to(page + 1, 'Older')}</nav>`
}

/** How many there are, in words. */
export function count(number: number, one: string, many: string = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`
}
