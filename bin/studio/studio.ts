import { html } from 'hono/html'
import type { ListRequest } from '../../mock-server/pages/kit/lists.ts'
import type { Markup } from '../../mock-server/pages/kit/markup.ts'
import type { Ledger, LedgerEntry, LedgerFilter } from '../../src/ledger/index.ts'

/** What the studio shows, and for whom. */
export interface Studio {
  readonly ledger: Ledger
  /** Only the records of this account. */
  readonly account: string | undefined
  /** Who decides: the user of this machine. */
  readonly by: string | undefined
  readonly now: () => number
  /** The unknown creates that somebody has seen: what becomes of them is told. */
  readonly seen: Set<string>
}

/** The records of a page. */
export const PAGE = 25
/** What expires soon. */
export const SOON_MS = 3 * 24 * 60 * 60 * 1000

/** One page of records, which begins after the one that the address names. */
export async function pageOfRecords({ ledger }: Studio, filter: LedgerFilter, { query }: ListRequest) {
  const { before, status } = query
  /* It may have been removed meanwhile. */
  const isThere = before !== undefined && (await ledger.find(before)) !== undefined
  const page = { ...filter, limit: PAGE + 1, ...(isThere && { before }) }
  const records: LedgerEntry[] = []
  for await (const record of status === 'expiring' ? ledger.expiring(SOON_MS, page) : ledger.list(page))
    records.push(record)
  return { records: records.slice(0, PAGE), isMore: records.length > PAGE }
}

/** Links to the next page, and back to the first one. */
export function olderLink({ path, query }: ListRequest, records: readonly LedgerEntry[], isMore: boolean): Markup | '' {
  const { before, ...others } = query
  if (before === undefined && !isMore) return ''
  const first = new URLSearchParams(others).toString()
  const next = new URLSearchParams({ ...others, before: records.at(-1)?.reference ?? '' }).toString()
  return html`<nav class="pager" aria-label="Pages">
${before === undefined ? html`<span class="off">First page</span>` : html`<a href="${path}?${first}">First page</a>`}
${isMore ? html`<a href="${path}?${next}">Next page</a>` : html`<span class="off">Next page</span>`}</nav>`
}
