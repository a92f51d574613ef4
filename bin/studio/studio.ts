import { html } from 'hono/html'
import { type ListRequest, ROWS } from '../../mock-server/pages/kit/lists.ts'
import { count, empty, type Markup } from '../../mock-server/pages/kit/markup.ts'
import type { Ledger } from '../../src/ledger/index.ts'
import { textFault } from '../text-fault.ts'

/** What the studio shows, and for whom. */
export interface Studio {
  readonly ledger: Ledger
  /** Only the records of this account. */
  readonly account: string | undefined
  /** Who decides: the user of this machine. */
  readonly by: string | undefined
  readonly now: () => number
}

/** Why a request is refused, in words for the page. */
export class HttpError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export const referenceOf = ({ reference }: { readonly reference: string }) => reference

/** What expires soon. */
export const SOON_MS = 3 * 24 * 60 * 60 * 1000

/** The filter that each view begins with: the account, and what is searched for. */
export function scopeOf({ account }: Studio, { q = '' }: ListRequest['query'] = {}) {
  const fault = textFault(q.slice(0, MAX_SEARCH_LENGTH))
  if (fault !== undefined) throw new HttpError(400, `The search ${fault}.`)
  return {
    ...(account !== undefined && { account }),
    ...(q.trim() !== '' && { search: q.slice(0, MAX_SEARCH_LENGTH) }),
  }
}

const MAX_SEARCH_LENGTH = 200

/** The name of a ledger: of its file, or of its database. */
export function nameOf({ path }: Ledger): string {
  return path.split(/[\\/]/).at(-1)?.split('?')[0] || path
}

/** An address with these parameters, of which empty ones are left out. */
export function addressOf(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : []))
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
}

/** The field that finds any part of what a row shows. What is chosen besides stays chosen. */
export function searchForm({ path, query: { q = '', before: _before, ...others } }: ListRequest): Markup {
  const kept = Object.entries(others).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form class="search" method="get" action="${path}" role="search">
<input type="search" name="q" value="${q}" aria-label="Search" placeholder="Name, e-mail, title, campaign, reference or id"
  title="Finds any part of what a row shows. Key: /" autocomplete="off" maxlength="${MAX_SEARCH_LENGTH}">${kept}</form>`
}

/** What a list without rows says: what was searched, and where. */
export function nothingFound({ ledger }: Studio, { q = '' }: ListRequest['query'], among: string): Markup {
  return empty(`Nobody matches “${q.trim()}” among ${among} of ${nameOf(ledger)}.`)
}

/** How many rows were found, and of how many. */
export function foundText({ q = '' }: ListRequest['query'], found: number, all: number): string {
  return q.trim() === '' ? count(found, 'record') : `${found.toLocaleString('en')} of ${count(all, 'record')}`
}

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
  for await (const row of await rowsAfter({ limit: ROWS + 1, ...(isThere && { before }) })) {
    found.push(row)
    if (found.length > ROWS) break
  }
  const rows = found.slice(0, ROWS)
  const isMore = found.length > ROWS
  const link = (label: string, isThereOne: boolean, query: ListRequest['query']) =>
    isThereOne ? html`<a href="${addressOf(path, query)}">${label}</a>` : html`<span class="off">${label}</span>`
  const links = html`<nav class="pager" aria-label="Pages">${link('First page', before !== undefined, others)}
${link('Next page', isMore, { ...others, before: rows.map(keyOf).at(-1) ?? '' })}</nav>`
  return { rows, links: before === undefined && !isMore ? '' : links }
}
