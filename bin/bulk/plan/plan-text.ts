import type { CampaignPlan, PlannedRow, PlannedSends } from '../../../src/campaign/index.ts'
import { wrap } from '../../help/wrap.ts'
import { formatNumber, rowCount } from '../../terminal/numbers.ts'
import type { Fields, Terminal } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import type { BulkOptions } from '../options/bulk-options.ts'
import { faultsOf } from '../read/campaign-row.ts'
import type { InputFile } from '../read/input-file.ts'
import type { SheetFacts } from '../read/sheet-facts.ts'
import type { BulkPlan } from './plan-file.ts'
import type { Comparison, UnlistedId } from './unlisted.ts'

/** The most invalid rows that are listed one by one. */
export const MOST_SHOWN = 20

/** Describes for a person what would be sent, and what would not. */
export function drawPlan(
  { plan, input, baseUrl, opened, callbackHosts, comparison, isLedgerEmpty, doubts }: BulkPlan,
  options: BulkOptions,
  rejected: readonly PlannedRow[],
  terminal: Terminal,
): string {
  const { counts } = plan
  const { shard } = options
  const sends = sendsOf(plan, options)
  const { count, emails, targets } = sends
  const resends = count - counts.planned
  const ofUnknown = `, ${formatNumber(resends)} of them unknown so far`
  const fields: Fields = [
    ['file', `${input.name}: ${rowCount(input.rows)}, ${formatOf(input)}`],
    ...optional(
      'columns',
      [...input.meanings].map(([name, field]) => (name === field ? name : `"${name}" is ${field}`)).join(', '),
    ),
    ...optional('ignored', input.ignoredNames),
    ...sheetFields(input.sheet, options.skipHidden),
    ...optional('in quotes', spanningOf(input.spanning)),
    ...optional('by flags', flagsOf(options)),
    ...optional(
      'shard',
      shard && `${shard.part} of ${shard.of}: ${formatNumber(input.rows - input.otherShards)} of the rows`,
    ),
    ['service', baseUrl],
    ['ledger', `${opened.ledger.path}, account ${opened.account}${isLedgerEmpty ? ', nothing on record yet' : ''}`],
    ['to be sent', `${formatNumber(count)}${resends > 0 ? ofUnknown : ''}`],
    ...optional('invite to', targetsOf(targets, count)),
    ...optional('expired', expiredOf(plan.lapsed.invited)),
    ...comparisonFields(comparison),
    ...optional('packages', plan.hasUnreadPackages ? UNREAD_PACKAGES : undefined),
    ...optional('already invited', positive(counts.already_invited)),
    ...counted('partly invited', counts.partly_invited, PARTLY_INVITED),
    ...optional('duplicates', positive(counts.duplicate)),
    ...optional('unknown', withLapsed(positive(counts.unknown - resends), plan.lapsed.unknown)),
    ...optional('not valid', positive(counts.rejected)),
    ...optional('look again', doubts.text),
    ...optional('e-mails', emailsOf(emails)),
    ...optional('callbacks to', callbackHosts(sends).join(', ')),
  ]
  return `${terminal.fields(fields)}${drawRejected(rejected, counts.rejected)}`
}

/** The rows that will be sent: with --if-unknown create also those of unknown outcome. */
export function sendsOf(
  { counts, emails, targets, callbackHosts, unknown }: CampaignPlan,
  { ifUnknown }: BulkOptions,
): PlannedSends & { readonly count: number } {
  if (ifUnknown === 'refuse') return { count: counts.planned, emails, targets, callbackHosts }
  const all = new Map(targets)
  for (const [target, count] of unknown.targets) all.set(target, (all.get(target) ?? 0) + count)
  return {
    count: counts.planned + counts.unknown,
    emails: { sent: emails.sent + unknown.emails.sent, notSent: emails.notSent + unknown.emails.notSent },
    targets: all,
    callbackHosts: [...new Set([...callbackHosts, ...unknown.callbackHosts])],
  }
}

/** Invalid rows, without their values. */
export function drawRejected(rows: readonly PlannedRow[], count: number): string {
  const lines = rows.map((row) => wrap(`  row ${row.row}: ${faultsOf(row.issues)}`, '    '))
  const more = count > rows.length ? [`  and ${formatNumber(count - rows.length)} more`] : []
  return [...lines, ...more].map((line) => `${line}\n`).join('')
}

function optional(name: string, value: string | undefined): Fields {
  return value ? [[name, value]] : []
}

function positive(count: number): string | undefined {
  return count > 0 ? formatNumber(count) : undefined
}

function expiredOf(count: number): string | undefined {
  if (count === 0) return undefined
  return count === 1
    ? '1 row was invited before; its link has expired'
    : `${rowCount(count)} were invited before; their links have expired`
}

function withLapsed(unknown: string | undefined, lapsed: number): string | undefined {
  if (unknown === undefined || lapsed === 0) return unknown
  const were = lapsed === 1 ? 'was' : 'were'
  return `${unknown}; ${formatNumber(lapsed)} of them ${were} sent more than 14 days ago, and may still have been created`
}

function formatOf({ records: { format, delimiter }, text: { encoding, lineEnds }, sheet }: InputFile): string {
  if (sheet !== undefined) {
    return `sheet "${printable(sheet.name)}"${sheet.sheets > 1 ? `, one of ${formatNumber(sheet.sheets)}` : ''}`
  }
  const mac = lineEnds.mac ? `, with ${lineEnds.others ? 'some ' : ''}line ends of old Macs` : ''
  return `${format}${delimiter === ';' ? ' with ;' : ''} in ${encoding}${mac}`
}

function sheetFields(sheet: SheetFacts | undefined, skipHidden = false): Fields {
  const { mergedRanges = 0, hiddenRows = 0, hiddenColumns = 0, formulas = 0 } = sheet ?? {}
  return [
    ...counted('merged cells', mergedRanges, 'only the first cell of each has the value'),
    ...counted('hidden rows', hiddenRows, skipHidden ? 'they are left out' : 'they are read like the others'),
    ...counted('hidden columns', hiddenColumns, 'they are read like the others'),
    ...counted('formulas', formulas, 'their results are read, as they were saved'),
  ]
}

function counted(name: string, count: number, what: string): Fields {
  return optional(name, count > 0 ? `${formatNumber(count)}: ${what}` : undefined)
}

/* Usually a few notes; more may be a mistake with quotes. */
function spanningOf(count: number): string | undefined {
  return count > 0 ? `${formatNumber(count)} ${count === 1 ? 'value spans' : 'values span'} lines` : undefined
}

function flagsOf({ quizId, packageId, externalReference, callbackUrl, sendEmail }: BulkOptions): string {
  const columns = {
    quiz_id: quizId,
    package_id: packageId,
    external_reference: externalReference,
    callback_url: callbackUrl,
  }
  const names = Object.entries(columns).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  return [...names, ...(sendEmail ? [] : ['no e-mail'])].join(', ')
}

function comparisonFields({ unlisted, failure }: Comparison): Fields {
  const ofKind = (kind: UnlistedId['kind']) => unlisted.filter((each) => each.kind === kind)
  const why = failure === 'FORBIDDEN' ? UNREAD_LIST : `the service did not answer (${failure})`
  return [
    ...unlistedField('packages', ofKind('package'), 'the service will refuse them'),
    ...unlistedField('quizzes', ofKind('quiz'), 'only those of packages are listed, so others may exist'),
    ...optional('identifiers', failure && `not compared with those that the service lists: ${why}`),
  ]
}

function unlistedField(kinds: string, ids: readonly UnlistedId[], what: string): Fields {
  const shown = ids.slice(0, MOST_TARGETS).map(({ id, kind, rows, row, near, isOtherKind }) => {
    const other = isOtherKind ? `, a ${kind === 'quiz' ? 'package' : 'quiz'}` : ''
    const meant = near === undefined ? '' : ` (did you mean ${printable(near)}?)`
    return `${printable(id)}${other}${meant}: ${rows === 1 ? '' : `${rowCount(rows)}, e.g. `}row ${row}`
  })
  const rest = ids.length > shown.length ? [`and ${formatNumber(ids.length - shown.length)} more`] : []
  return optional('not listed', ids.length === 0 ? undefined : `${kinds} ${[...shown, ...rest].join('; ')}; ${what}`)
}

const UNREAD_LIST = 'this key may not read them (CERTIFICATION_PACKAGE_READ)'

const PARTLY_INVITED =
  'some quizzes of these packages have an open invite or an earlier row; the report names the others: invite to them one by one'

const UNREAD_PACKAGES =
  'this key may not read their quizzes (CERTIFICATION_PACKAGE_READ): a candidate with a single invite of one gets a second one'

/* The most frequent first. It shows mistyped identifiers. */
function targetsOf(targets: PlannedSends['targets'], total: number): string {
  const most = [...targets].toSorted(([, one], [, other]) => other - one)
  const shown = most.slice(0, MOST_TARGETS).map(([target, count]) => `${printable(target)} ${formatNumber(count)}`)
  const rest = total - most.slice(0, MOST_TARGETS).reduce((sum, [, count]) => sum + count, 0)
  return [...shown, ...(rest > 0 ? [`others ${formatNumber(rest)}`] : [])].join(', ')
}

const MOST_TARGETS = 10

function emailsOf({ sent, notSent }: CampaignPlan['emails']): string {
  const parts = [
    ...(sent > 0 ? [`the service sends them for ${rowCount(sent)}`] : []),
    ...(notSent > 0 ? [`none for ${rowCount(notSent)}: their links are yours to deliver`] : []),
  ]
  return parts.join('; ')
}
