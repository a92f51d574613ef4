import type { CampaignPlan, PlannedRow, PlannedSends } from '../../src/campaign/index.ts'
import type { OpenSender } from '../ledger/open-ledger.ts'
import type { RowFile } from '../table/file.ts'
import { formatNumber, rowCount } from '../terminal/numbers.ts'
import type { Fields, Terminal } from '../terminal/output.ts'
import { printable } from '../terminal/printable.ts'
import { wrap } from '../terminal/wrap.ts'
import type { BulkOptions, BulkPlan, Comparison, UnlistedId } from './plan.ts'
import { type CandidateFile, faultsOf, quoted } from './read.ts'

/** The most invalid rows that are listed one by one. */
export const MOST_SHOWN = 20
const MOST_TARGETS = 10
const PEOPLE = 3

interface Shown {
  readonly bulk: BulkPlan
  readonly candidates: CandidateFile
  readonly sender: OpenSender
  readonly service: string
  readonly callbackHost: string | undefined
  /** Whether people may be named: only a terminal is for the eyes of one person. */
  readonly namesPeople: boolean
}

/** Describes for a person what would be created, and what would not. */
export function drawPlan(
  { bulk, candidates: { file, meanings, ignored }, sender, service, callbackHost, namesPeople }: Shown,
  options: BulkOptions,
  terminal: Terminal,
): string {
  const { plan, comparison, doubts, isLedgerEmpty } = bulk
  const { counts } = plan
  const { count, emails, targets, callbackHosts } = createsOf(plan, options)
  const again = count - counts.planned
  const invalid = invalidRows(plan)
  const names = [...meanings].map(([name, field]) => (name === field ? name : `"${name}" is ${field}`)).join(', ')
  const hosts = callbackHost === undefined || count === 0 ? callbackHosts : [callbackHost]
  const fields: Fields = [
    ['file', `${file.name}: ${rowCount(file.rows.length)}, ${formatOf(file)}`],
    ...optional('columns', names),
    ...optional('ignored', quoted(ignored)),
    ...sheetFields(file.sheet, options.hidden),
    ...optional('by flags', flagsOf(options)),
    ['service', service],
    [
      'ledger',
      `${sender.ledger.path}, account ${sender.scope.account}${isLedgerEmpty ? ', nothing on record yet' : ''}`,
    ],
    ['to invite', `${formatNumber(count)}${again > 0 ? `, ${formatNumber(again)} of them unknown so far` : ''}`],
    ...optional('first', namesPeople ? firstPeople(plan) : ''),
    ...optional('invite to', targetsOf(targets, count)),
    ...counted('expired', plan.lapsed.invited, 'invited before; their links have expired'),
    ...comparisonFields(comparison),
    ...optional('packages', plan.hasUnreadPackages ? UNREAD_PACKAGES : ''),
    ...counted('already invited', counts.already_invited),
    ...counted('partly invited', counts.partly_invited, PARTLY_INVITED),
    ...counted('duplicates', counts.duplicate),
    ...counted('unknown', counts.unknown - again, 'they may have been invited; they are not created again'),
    ...counted('invalid', counts.rejected),
    ...optional('look again', [...doubts].map(([doubt, rows]) => `${doubt}: ${rowsText(rows)}`).join('; ')),
    ...optional('e-mails', emailsOf(emails)),
    ...optional('callbacks to', hosts.join(', ')),
  ]
  return `${terminal.fields(fields)}${drawInvalid(invalid)}`
}

/** The rows that will be created: with --if-unknown create also those of unknown outcome. */
export function createsOf(
  { counts, emails, targets, callbackHosts, unknown }: CampaignPlan,
  { ifUnknown }: Pick<BulkOptions, 'ifUnknown'>,
): PlannedSends & { readonly count: number } {
  if (ifUnknown !== 'create') return { count: counts.planned, emails, targets, callbackHosts }
  const all = new Map(targets)
  for (const [target, count] of unknown.targets) all.set(target, (all.get(target) ?? 0) + count)
  return {
    count: counts.planned + counts.unknown,
    emails: { sent: emails.sent + unknown.emails.sent, notSent: emails.notSent + unknown.emails.notSent },
    targets: all,
    callbackHosts: [...new Set([...callbackHosts, ...unknown.callbackHosts])],
  }
}

export function invalidRows({ rows }: CampaignPlan): readonly PlannedRow[] {
  return rows.filter(({ status }) => status === 'rejected')
}

/* Invalid rows, without their values. */
function drawInvalid(rows: readonly PlannedRow[]): string {
  const lines = rows.slice(0, MOST_SHOWN).map((row) => wrap(`  row ${row.row}: ${faultsOf(row.issues)}`, '    '))
  const more = rows.length > MOST_SHOWN ? [`  and ${formatNumber(rows.length - MOST_SHOWN)} more`] : []
  return [...lines, ...more].map((line) => `${line}\n`).join('')
}

function optional(name: string, value: string): Fields {
  return value === '' ? [] : [[name, value]]
}

function counted(name: string, count: number, what = ''): Fields {
  return count > 0 ? [[name, `${formatNumber(count)}${what === '' ? '' : `: ${what}`}`]] : []
}

function firstPeople({ rows }: CampaignPlan): string {
  const planned = rows.filter(({ status }) => status === 'planned')
  const people = planned.slice(0, PEOPLE).map(({ input }) => {
    const { email, name } = input?.candidate ?? { email: '' }
    return printable(name === undefined ? email : `${name} <${email}>`)
  })
  return people.join(', ') + (planned.length > PEOPLE ? ', …' : '')
}

function formatOf({ format, encoding, delimiter, sheet }: CandidateFile['file']): string {
  if (sheet === undefined) return `${format}${delimiter === ';' ? ' with ;' : ''} in ${encoding}`
  const { length } = sheet.sheets
  return `sheet "${printable(sheet.name)}"${length > 1 ? `, one of ${formatNumber(length)}` : ''}`
}

function sheetFields(sheet: RowFile['sheet'], hidden: BulkOptions['hidden']): Fields {
  const { mergedRanges = 0, hiddenRows = 0, hiddenColumns = 0, formulas = 0 } = sheet ?? {}
  return [
    ...counted('merged cells', mergedRanges, 'only the first cell of each has the value'),
    ...counted('hidden rows', hiddenRows, hidden === 'skip' ? 'they are left out' : 'they are read like the others'),
    ...counted('hidden columns', hiddenColumns, 'they are read like the others'),
    ...counted('formulas', formulas, 'their results are read, as they were saved'),
  ]
}

function flagsOf({ quizId, packageId, callbackUrl, sendEmail }: BulkOptions): string {
  const columns = { quiz_id: quizId, package_id: packageId, callback_url: callbackUrl }
  const names = Object.entries(columns).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  return [...names, ...(sendEmail ? [] : ['no e-mail'])].join(', ')
}

function comparisonFields({ unlisted, failure }: Comparison): Fields {
  const ofKind = (kind: UnlistedId['kind']) => unlisted.filter((each) => each.kind === kind)
  const why = failure === 'FORBIDDEN' ? UNREAD_LIST : `the service did not answer (${failure})`
  return [
    ...unlistedField('packages', ofKind('package'), 'the service will refuse them'),
    ...unlistedField('quizzes', ofKind('quiz'), 'only those of packages are listed, so others may exist'),
    ...optional('identifiers', failure === undefined ? '' : `not compared with those that the service lists: ${why}`),
  ]
}

function unlistedField(kinds: string, ids: readonly UnlistedId[], what: string): Fields {
  if (ids.length === 0) return []
  const shown = ids.slice(0, MOST_TARGETS).map(({ id, kind, rows, near, isOtherKind }) => {
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
const PARTLY_INVITED =
  'some quizzes of these packages have an open invite or an earlier row; the report names the others: invite to them one by one'
const UNREAD_PACKAGES =
  'this key may not read their quizzes (CERTIFICATION_PACKAGE_READ): a candidate with a single invite of one gets a second one'

/* The most frequent first. It shows mistyped identifiers. */
function targetsOf(targets: PlannedSends['targets'], total: number): string {
  const most = [...targets].toSorted(([, one], [, other]) => other - one).slice(0, MOST_TARGETS)
  const shown = most.map(([target, count]) => `${printable(target)} ${formatNumber(count)}`)
  const rest = total - most.reduce((sum, [, count]) => sum + count, 0)
  return [...shown, ...(rest > 0 ? [`others ${formatNumber(rest)}`] : [])].join(', ')
}

function emailsOf({ sent, notSent }: CampaignPlan['emails']): string {
  const parts = [
    ...(sent > 0 ? [`the service sends them for ${rowCount(sent)}`] : []),
    ...(notSent > 0 ? [`none for ${rowCount(notSent)}: their links are yours to deliver`] : []),
  ]
  return parts.join('; ')
}
