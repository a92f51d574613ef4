import { html } from 'hono/html'
import { newestFirst } from '../control/row-search.ts'
import type { OperationName } from '../generated/operations.ts'
import type { Internals, MockRows, Rows } from '../sandbox/rows.ts'
import { type ListRequest, listSection, type RowList, ROWS } from './kit/lists.ts'
import { count, type Markup } from './kit/markup.ts'

/* What the views of the sandbox share. */

/** The address of a view, and what it shows. */
export interface ViewRequest extends ListRequest {
  /** The address by which the mock was reached. */
  readonly base: string
  /** The rows that the mock has. */
  readonly rows: MockRows
  readonly sender: Internals['sender']
}

/** What a list can be sorted by: the names of its columns, and what is compared. */
export type Orders<Kept> = Readonly<Record<string, (kept: Kept) => string | number>>

interface SandboxList<Kept, Row> extends Omit<RowList<Row>, 'found' | 'summary'> {
  /** What a row is called, and what else stands beside their number. */
  readonly noun: string
  readonly more?: string
  readonly orders?: Orders<Kept>
  /** What is shown while there is no row at all. */
  readonly noneYet: string | Markup
}

/** The section of a list, with the rows that its address asks for. */
export function rowsSection<Kept, Row>(
  rows: Rows<Kept, Row>,
  requested: ViewRequest,
  { noun, more = '', orders = {}, noneYet, none, ...list }: SandboxList<Kept, Row>,
): Markup {
  const { [list.search[0]]: search = '', status = '', page = '', sort = '' } = requested.query
  const asked = { search, status, limit: ROWS, page: /^\d{1,9}$/.test(page) ? Number(page) : 1 }
  const { labels } = rows
  const found = newestFirst({ ...rows, kept: () => sorted(rows.kept(), orders, sort) }, asked)
  return listSection(requested, {
    ...list,
    found,
    summary: count(found.total, noun) + more,
    ...(labels && { statuses: () => rows.kept().map(labels) }),
    none: search + status === '' ? noneYet : none,
  })
}

/** The rows in an order that can be chosen; the last one is shown first. */
function sorted<Kept>(rows: readonly Kept[], orders: Orders<Kept>, sort: string): readonly Kept[] {
  const name = sort.replace(/^-/, '')
  const order = Object.hasOwn(orders, name) ? orders[name] : undefined
  if (order === undefined) return rows
  const direction = sort.startsWith('-') ? 1 : -1
  return rows.toSorted((a, b) => {
    const [first, second] = [order(a), order(b)]
    return first === second ? 0 : first < second ? -direction : direction
  })
}

/** What people call an operation of the service. */
export function operationName(operation: string): string {
  return OPERATION_NAMES.get(operation) ?? operation
}

const OPERATION_NAMES: ReadonlyMap<string, string> = new Map<OperationName, string>([
  ['developerCreateCertificationInvite', 'create invite'],
  ['developerCreateCertificationPackageInvite', 'create package invite'],
  ['developerCertificationPackageTracks', 'list tracks'],
])

const SNIPPETS = { curl: 'Copy as curl', sdk: 'SDK code', cli: 'CLI command' } as const

/** Buttons that copy a request: the one of the nearest `data-request`, or of the form that they are in. */
export function snippetButtons(
  about: string,
  kinds: readonly (keyof typeof SNIPPETS)[] = ['curl', 'sdk', 'cli'],
): Markup {
  return html`${kinds.map(
    (kind) => html`<button type="button" class="quiet" data-copy-as="${kind}" aria-label="${SNIPPETS[kind]}: ${about}"
>${SNIPPETS[kind]}</button>`,
  )}`
}
