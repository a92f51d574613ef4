import type { CampaignPlan, PlannedRow } from '../../src/campaign/index.ts'
import type { Candidate } from '../../src/index.ts'
import { CliError } from '../cli-error.ts'
import { colorOf } from '../ledger/invite-row.ts'
import { targetOf } from '../invites/titles.ts'
import { formatNumber, MAX_SHOWN, printable, rowCount, rowLines } from '../terminal/text.ts'
import type { Fields, Terminal } from '../terminal/output.ts'
import type { Column } from '../terminal/table.ts'
import type { BulkOptions, BulkPlan, Run, UnlistedId } from './plan.ts'
import { faultsOf } from './candidate-row.ts'
import { toReportedRow } from './report.ts'
import { mayBeName, quoted } from './columns.ts'
import { valuesText } from './decisions.ts'
import type { CandidateFile } from './read.ts'

const MAX_IDS = 10
const PEOPLE = 3

/** Describes for a person what would be created, and what would not. */
export function drawPlan(
  { context, bulk, candidates, sender, options }: Run,
  service: string,
  callbackHost: string | undefined,
  terminal: Terminal,
): string {
  const { plan, doubts, isLedgerEmpty } = bulk
  const { counts, targets, lapsed } = plan
  const hosts = callbackHost === undefined || counts.planned === 0 ? plan.callbackHosts : [callbackHost]
  const ledger = `${sender.place.path.value}, account ${sender.scope.account}`
  const fields: Fields = [
    ...fileFields(candidates, options.hidden),
    ['service', service],
    ['ledger', `${ledger}${isLedgerEmpty ? ', nothing on record yet' : ''}`],
    ['to invite', formatNumber(counts.planned)],
    /* Only a terminal is private to one person. */
    ...optional('first', context.io.stderr.isTTY ? firstOf(plannedPeople(plan), counts.planned) : ''),
    ...optional('no name', namelessOf(plan, candidates)),
    ...optional('invite to', targetsOf(targets, counts.planned, bulk.listed)),
    ...counted('again', lapsed.invited, 'invited before; their links have expired'),
    ...unlistedFields(bulk),
    ...optional('packages', plan.hasUnreadPackages ? UNREAD_PACKAGES : ''),
    ...counted('already invited', counts.already_invited),
    ...counted('expired', counts.expired, EXPIRED),
    ...counted('partly invited', counts.partly_invited, PARTLY_INVITED),
    ...counted('duplicates', counts.duplicate),
    ...counted('unknown', counts.unknown, 'they may have been invited; they are not created again'),
    ...counted('invalid', counts.rejected),
    ...optional('check addresses', [...doubts].map(([doubt, rows]) => `${doubt}: ${rowsText(rows)}`).join('; ')),
    ...optional('e-mails', emailsOf(plan.emails)),
    ...optional('callbacks to', hosts.join(', ')),
  ]
  return `${terminal.fields(fields)}${drawRows(invalidRows(plan))}`
}

/** How a file was read. */
export function fileFields(
  { file, meanings, ignored, unused, otherAddresses, leftOut, footers, count }: Omit<CandidateFile, 'rows'>,
  hidden: BulkOptions['hidden'],
): Fields {
  const names = [...meanings].map(([name, field]) => (name === field ? name : `"${name}" is ${field}`)).join(', ')
  return [
    ['file', `${file.name}: ${rowCount(count)}, ${formatOf(file)}`],
    ...(file.headerRow > 1 ? [['headings', `in row ${file.headerRow}`] as const] : []),
    ...optional('columns', names),
    ...optional('ignored', quoted(ignored.filter((name) => unused.every((each) => each.name !== name)))),
    /* What they say may be about who is meant. */
    ...unused.map(
      ({ name, values }, index) => [index === 0 ? 'not used' : '', `"${name}": ${valuesText(values)}`] as const,
    ),
    ...optional('no e-mails to', otherAddresses.join(', ')),
    ...counted('left out', leftOut, 'by --only and --skip'),
    ...counted('not candidates', footers, 'rows with one value, below the last candidate'),
    ...sheetFields(file.sheet, hidden),
  ]
}

/** For a terminal: what a dry run says about each row. */
export function planColumns({ listed }: BulkPlan): readonly Column<PlannedRow>[] {
  return [
    { title: 'ROW', value: ({ row }) => row },
    { title: 'STATUS', value: (row) => reportOf(row).status, color: ({ status }) => colorOf(status) },
    { title: 'E-MAIL', value: (row) => reportOf(row).email, fit: 'middle', narrowest: 20 },
    { title: 'NAME', value: (row) => reportOf(row).name, fit: 'end' },
    {
      title: 'GETS AN E-MAIL',
      value: ({ status, input }) => (status === 'planned' && input?.sendInviteEmail !== false ? 'yes' : 'no'),
      fit: 'drop',
    },
    { title: 'INVITE TO', value: (row) => titled(targetOf(reportOf(row)).id, listed), fit: 'middle', narrowest: 20 },
  ]
}

/** The first rows of a dry run: as many as a person may want to read through. */
export function drawFirst<Row>(columns: readonly Column<Row>[], rows: readonly Row[], terminal: Terminal): string {
  const more = rows.length - MAX_ROWS
  const rest = more > 0 ? `and ${rowCount(more)} more: --json and a pipe have all of them.\n` : ''
  return terminal.table(columns, rows.slice(0, MAX_ROWS)) + rest
}

const MAX_ROWS = 50

const reportOf = (row: PlannedRow) => toReportedRow(row, false)

export function invalidRows({ rows }: CampaignPlan): readonly PlannedRow[] {
  return rows.filter(({ status }) => status === 'rejected')
}

/** Invalid rows, without their values. */
export function drawRows(rows: readonly Faulty[]): string {
  return rowLines(rows, ({ issues }) => faultsOf(issues))
}

type Faulty = Pick<PlannedRow, 'row' | 'issues'>

/** The error of a run with invalid rows. Without --json, the plan has listed them. */
export function invalidError(rows: readonly Faulty[], counts: object, nothing: string): CliError {
  const shown = rows.slice(0, MAX_SHOWN).map(({ row, issues }) => ({ row, issues }))
  return new CliError(
    `${rowCount(rows.length)} ${rows.length === 1 ? 'is' : 'are'} invalid. ${nothing}`,
    'Fix them and run it again, or give --skip-invalid to leave them out.',
    { code: 'ROWS_INVALID', details: { counts, rows: shown } },
  )
}

export function optional(name: string, value: string): Fields {
  return value === '' ? [] : [[name, value]]
}

export function counted(name: string, count: number, what = ''): Fields {
  return count > 0 ? [[name, `${formatNumber(count)}${what === '' ? '' : `: ${what}`}`]] : []
}

/** The first people of a list. */
export function firstOf(people: Iterable<Pick<Candidate, 'email' | 'name'>>, count: number): string {
  const shown: string[] = []
  for (const { email, name } of people) {
    if (shown.length === PEOPLE) break
    shown.push(printable(name === undefined ? email : `${name} <${email}>`))
  }
  return shown.join(', ') + (count > PEOPLE ? ', …' : '')
}

function* plannedPeople({ rows }: CampaignPlan) {
  for (const { status, input } of rows) if (status === 'planned' && input !== undefined) yield input.candidate
}

/* The name cannot be corrected later. */
function namelessOf({ rows }: CampaignPlan, { ignored, meanings }: CandidateFile): string {
  const nameless = rows.filter(({ status, input }) => status === 'planned' && input?.candidate.name === undefined)
  const likely = ignored.filter(mayBeName)
  if (nameless.length === 0) return ''
  if (likely.length > 0)
    return `in ${rowCount(nameless.length)}; ${quoted(likely)} may have it: --map "${likely[0]}=name"`
  const fields = new Set(meanings.values())
  return fields.has('name') || fields.has('first_name')
    ? ''
    : `in ${rowCount(nameless.length)}: no column is known to have names`
}

function formatOf({ format, encoding, delimiter, sheet }: CandidateFile['file']): string {
  if (sheet === undefined) return `${format}${delimiter === ';' ? ' with ;' : ''} in ${encoding}`
  const { length } = sheet.sheets
  return `sheet "${printable(sheet.name)}"${length > 1 ? `, one of ${formatNumber(length)}` : ''}`
}

function sheetFields(sheet: CandidateFile['file']['sheet'], hidden: BulkOptions['hidden']): Fields {
  const { mergedRanges = 0, hiddenRows = [], hiddenColumns = 0, formulas = 0 } = sheet ?? {}
  return [
    ...counted('merged cells', mergedRanges, 'only the first cell of each has the value'),
    ...counted(
      'hidden or struck',
      hiddenRows.length,
      hidden === 'skip' ? 'they are left out' : 'they are read like the others',
    ),
    ...counted('hidden columns', hiddenColumns, 'they are read like the others'),
    ...counted('formulas', formulas, 'their results are read, as they were saved'),
  ]
}

function unlistedFields({ listed, unlisted }: BulkPlan): Fields {
  if (typeof listed === 'string') {
    const why = listed === 'FORBIDDEN' ? UNREAD_LIST : `the service did not respond (${listed})`
    return [['identifiers', `not compared with the list of the service: ${why}`]]
  }
  const ofKind = (kind: UnlistedId['kind']) => unlisted.filter((each) => each.kind === kind)
  return [
    ...unlistedField('packages', ofKind('package'), 'the service will refuse them'),
    ...unlistedField('quizzes', ofKind('quiz'), 'only the quizzes of packages are listed, so others may exist'),
  ]
}

function unlistedField(kinds: string, ids: readonly UnlistedId[], what: string): Fields {
  if (ids.length === 0) return []
  const shown = ids.slice(0, MAX_IDS).map(({ id, kind, rows, near, isOtherKind }) => {
    const other = isOtherKind ? `, a ${kind === 'quiz' ? 'package' : 'quiz'}` : ''
    const meant = near === undefined ? '' : ` (did you mean ${printable(near)}?)`
    return `${printable(id)}${other}${meant}: ${rowsText(rows)}`
  })
  const rest = ids.length > shown.length ? [`and ${formatNumber(ids.length - shown.length)} more`] : []
  return [['not listed', `${kinds} ${[...shown, ...rest].join('; ')}; ${what}`]]
}

function rowsText(rows: readonly number[]): string {
  return rows.length === 1 ? `row ${rows[0]}` : `${rowCount(rows.length)}, the first is row ${rows[0]}`
}

const UNREAD_LIST = 'this key may not read them (CERTIFICATION_PACKAGE_READ)'
export const EXPIRED =
  'invited before, and the link has expired; --if-expired invite invites them again if they have no result'
const PARTLY_INVITED =
  'some quizzes of these packages are invited already, or by an earlier row; the report names the others: invite to those one by one'
const UNREAD_PACKAGES =
  'this key may not read their quizzes (CERTIFICATION_PACKAGE_READ): a candidate with an invite for one of them gets a second one'

/** The most frequent first. It shows mistyped identifiers. */
export function targetsOf(targets: CampaignPlan['targets'], total: number, listed: BulkPlan['listed']): string {
  const most = [...targets].toSorted(([, one], [, other]) => other - one).slice(0, MAX_IDS)
  const shown = most.map(([target, count]) => `${titled(target, listed)}: ${rowCount(count)}`)
  const rest = total - most.reduce((sum, [, count]) => sum + count, 0)
  return [...shown, ...(rest > 0 ? [`others: ${rowCount(rest)}`] : [])].join('; ')
}

function titled(id: string, listed: BulkPlan['listed']): string {
  const known = typeof listed === 'string' ? undefined : (listed.get('package', id) ?? listed.get('quiz', id))
  return known === undefined ? printable(id) : `${known.title}, ${printable(id)}`
}

function emailsOf({ sent, notSent }: CampaignPlan['emails']): string {
  const parts = [
    ...(sent > 0 ? [`the service sends them for ${rowCount(sent)}`] : []),
    ...(notSent > 0 ? [`none for ${rowCount(notSent)}: their links are yours to deliver`] : []),
  ]
  return parts.join('; ')
}
