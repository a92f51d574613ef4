import { pageOf, rowsWith } from '../control/row-search.ts'
import type { OperationName } from '../generated/operations.ts'
import type { Internals, MockRows, ListSource } from '../sandbox/rows.ts'
import { type ListRequest, listSection, numberedPager, type RowList, ROWS, statusLinks } from './kit/lists.ts'
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

/** The statuses of an invite, in the order in which they follow. */
export const STATUSES = ['PENDING', 'IN_PROGRESS', 'PASSED', 'FAILED', 'ABANDONED', 'EXPIRED'] as const

interface SandboxList<Row> extends Omit<RowList, 'summary' | 'filters' | 'rows' | 'pager'> {
  /** What a row is called, and what else stands beside their number. */
  readonly noun: string
  readonly more?: string
  /** The labels by which the rows can be filtered, in the order of their links; labels that only some worlds have come last. */
  readonly labels?: readonly string[]
  /** What is shown while there is no row at all. */
  readonly noneYet: string | Markup
  readonly show: (rows: readonly Row[]) => Markup
}

/** The section of a list, with the rows that its address asks for. */
export function rowsSection<Entity, Row>(
  rows: ListSource<Entity, Row>,
  requested: ViewRequest,
  { noun, more = '', labels = [], noneYet, none, show, ...list }: SandboxList<Row>,
): Markup {
  const { [list.search[0]]: search = '', status = '', page = '' } = requested.query
  const searched = rowsWith(search, rows)
  const { counts, ofStatus } = filtered(searched, rows.labels, { labels, status })
  const asked = { limit: ROWS, page: /^\d{1,9}$/.test(page) ? Number(page) : 1 }
  const found = pageOf(ofStatus, rows.row, asked)
  return listSection(requested, {
    ...list,
    summary: count(found.total, noun) + more,
    filters: counts ? statusLinks(requested, counts, searched.length) : '',
    rows: found.rows.length === 0 ? undefined : show(found.rows),
    pager: numberedPager(requested, found.page, found.pages),
    none: search + status === '' ? noneYet : none,
  })
}

/** The rows with a status, and how many have each. Every row is asked for its labels once: there may be 10,000. */
function filtered<Entity>(
  rows: readonly Entity[],
  labelsOf: ((entity: Entity) => readonly string[]) | undefined,
  { labels, status }: { readonly labels: readonly string[]; readonly status: string },
) {
  if (labelsOf === undefined) return { ofStatus: rows }
  const counts = new Map(labels.map((label) => [label, 0]))
  const others = new Map<string, number>()
  const ofStatus: Entity[] = []
  for (const row of rows) {
    const own = labelsOf(row)
    for (const label of own) {
      const known = counts.has(label) ? counts : others
      known.set(label, (known.get(label) ?? 0) + 1)
    }
    if (status === '' || own.includes(status)) ofStatus.push(row)
  }
  // One key on every request tells nothing.
  const more = others.size > 1 || others.has(status) ? [...others].toSorted(([a], [b]) => a.localeCompare(b)) : []
  return { ofStatus, counts: new Map([...counts, ...more]) }
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
