import { html } from 'hono/html'
import { newestFirst, type RowFilter, wholeNumber } from '../control/row-search.ts'
import type { OperationName } from '../generated/operations.ts'
import type { SentRequests } from '../sandbox/request-log.ts'
import type { Internals, MockRows, Rows } from '../sandbox/rows.ts'
import { type ListRequest, type RowPage, ROWS } from './kit/lists.ts'
import type { Markup } from './kit/markup.ts'

/* What the views of the sandbox share. */

/** The address of a view, and what it shows. */
export interface ViewRequest extends ListRequest {
  /** The address by which the mock was reached. */
  readonly base: string
  /** The rows that the mock has. */
  readonly rows: MockRows
  readonly requestLog: SentRequests
  readonly sender: Internals['sender']
}

/** What a list can be sorted by: the names of its columns, and what is compared. */
export type Orders<Kept> = Readonly<Record<string, (kept: Kept) => string | number>>

/** The rows of a view that its address asks for. `field` is the parameter that is searched for. */
export function rowsOf<Kept, Row>(
  rows: Rows<Kept, Row>,
  filter: RowFilter<Kept>,
  { query }: ViewRequest,
  field: string,
  orders: Orders<Kept> = {},
): RowPage<Row> {
  const search = { ...filter, search: query[field] ?? '', page: wholeNumber(query['page'], 1), size: ROWS }
  const [, falling, name = ''] = /^(-?)(.+)$/.exec(query['sort'] ?? '') ?? []
  const order = Object.hasOwn(orders, name) ? orders[name] : undefined
  if (order === undefined) return newestFirst(rows, search)
  // The page shows the last row first.
  const direction = falling === '-' ? 1 : -1
  const compared = (a: Kept, b: Kept): number => {
    const [first, second] = [order(a), order(b)]
    return first === second ? 0 : first < second ? -direction : direction
  }
  return newestFirst(
    { size: rows.size, row: (kept) => rows.row(kept), kept: () => rows.kept().toSorted(compared) },
    search,
  )
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
