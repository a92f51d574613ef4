import { ReadableStream } from 'node:stream/web'
import { html } from 'hono/html'
import {
  listAddress,
  type ListRequest,
  listSection,
  pagerOf,
  type RowList,
  ROWS,
  searchForm,
} from '../../mock-server/pages/kit/lists.ts'
import { count, type Markup, type Section } from '../../mock-server/pages/kit/markup.ts'
import type { LedgerRecord } from '../../src/ledger/index.ts'
import { nameOf, referenceOf, type Studio } from './studio.ts'

const SEARCH = ['q', 'name, e-mail, title, campaign, reference or id'] as const

/** The field that finds any record, on pages without a list of their own. */
export function recordSearch(): Markup {
  return searchForm({ prefix: '', path: '/records', query: {} }, ...SEARCH)
}

/** A list of what a ledger has. */
export interface LedgerList<Row> extends Pick<Section, 'id' | 'title'>, Pick<RowList, 'filters' | 'none'> {
  /** What one row is called, and several. */
  readonly noun: readonly [one: string, many: string]
  /** How many rows the address finds, and how many without its search. */
  readonly found: number
  readonly all: number
  /** The rows after this one; from the first one on without it. */
  readonly rows: (page: { limit: number; before?: string }) => AsyncIterable<Row> | Promise<readonly Row[]>
  /** What an address calls a row, if not by the reference of a record, and how it is found again. */
  readonly keyOf?: (row: Row) => string
  readonly find?: (key: string) => Promise<unknown>
  readonly show: (rows: readonly Row[]) => Markup | Promise<Markup>
  /** The address of all rows as CSV. */
  readonly csv?: string
}

/** A page of a list, with a search that finds any part of what a row shows. */
export async function listView<Row extends { readonly reference: string }>(
  { ledger }: Studio,
  request: ListRequest,
  list: LedgerList<Row>,
): Promise<Markup> {
  const { id, title, noun, found, all, filters = '', show, csv, keyOf = referenceOf, find = ledger.find } = list
  const { q = '', before } = request.query
  /* The row that the page follows may have been removed meanwhile. */
  const isThere = before !== undefined && (await find(before)) !== undefined
  /* The database would look through all rows to find none. */
  const page = found === 0 ? [] : await list.rows({ limit: ROWS + 1, ...(isThere && { before }) })
  const rows: Row[] = []
  for await (const row of page) rows.push(row)
  const shown = rows.slice(0, ROWS)
  const [last] = rows.length > ROWS ? shown.slice(-1) : []
  const nobody = `Nobody matches “${q.trim()}” among ${count(all, ...noun)} of ${nameOf(ledger)}.`
  return listSection(request, {
    id,
    title,
    parts: ['ledger'],
    search: SEARCH,
    summary: q.trim() === '' ? count(found, ...noun) : `${found.toLocaleString('en')} of ${count(all, ...noun)}`,
    actions: csv === undefined ? html`` : html`<a href="${listAddress({ ...request, path: csv })}" download>CSV</a>`,
    filters,
    rows: shown.length === 0 ? undefined : await show(shown),
    none: q.trim() !== '' && all > 0 ? nobody : list.none,
    pager: pagerOf([
      ['First page', before === undefined ? undefined : listAddress(request)],
      ['Next page', last && listAddress(request, { before: keyOf(last) })],
    ]),
  })
}

/* Many records at once: each chunk passes through several streams. */
const CHUNK_LENGTH = 64 * 1024

/** Sends the lines of each record as CSV, as fast as they are read. */
export function csvResponse(
  header: string,
  records: AsyncIterable<LedgerRecord>,
  linesOf: (record: LedgerRecord) => readonly string[],
): Response {
  const chunks = async function* () {
    let text = header
    for await (const record of records) {
      text += linesOf(record).join('')
      if (text.length < CHUNK_LENGTH) continue
      yield Buffer.from(text)
      text = ''
    }
    yield Buffer.from(text)
  }
  return new Response(ReadableStream.from(chunks()), { headers: { 'content-type': 'text/csv; charset=utf-8' } })
}
