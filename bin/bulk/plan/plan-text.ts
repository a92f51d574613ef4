import type { CampaignPlan, PlannedRow, PlannedSends } from '../../../src/campaign/index.ts'
import { wrap } from '../../help/wrap.ts'
import { number, rowsOf } from '../../terminal/numbers.ts'
import type { Fields, Terminal } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'
import type { InputFileOptions, Reading } from '../read/input-file.ts'
import { faultsOf } from '../report/reported-row.ts'

/** What a plan is about, beside what stands in it. */
export interface PlanContext {
  readonly name: string
  readonly reading: Reading
  readonly options: InputFileOptions
  readonly baseUrl: string
  readonly ledger: string
  readonly account: string
  /** Whether it has nothing on record for this account of the service. */
  readonly isLedgerEmpty: boolean
  /** Whether rows are sent again whose outcome is unknown. */
  readonly resends: boolean
  /** The first of the rows that are not valid. */
  readonly rejected: readonly PlannedRow[]
}

/** How many rows that are not valid are listed one by one. */
export const MOST_SHOWN = 20

/** Describes for a person what would be sent, and what would not. */
export function drawPlan(plan: CampaignPlan, about: PlanContext, terminal: Terminal): string {
  const { counts } = plan
  const { reading, options, rejected, resends } = about
  const { shard } = options
  const { count, emails, targets, callbackHosts } = sendsOf(plan, resends)
  const fields: Fields = [
    ['file', `${about.name}: ${rowsOf(reading.rows)}, ${formatOf(reading)}`],
    ...some(
      'columns',
      [...reading.meanings].map(([name, field]) => (name === field ? name : `"${name}" is ${field}`)).join(', '),
    ),
    ...some('ignored', reading.ignoredNames),
    ...some('by flags', flagsOf(options)),
    ...some('shard', shard && `${shard.part} of ${shard.of}: ${number(reading.rows - reading.elsewhere)} of the rows`),
    ['service', about.baseUrl],
    ['ledger', `${about.ledger}, account ${about.account}${about.isLedgerEmpty ? ', nothing on record yet' : ''}`],
    [
      'to be sent',
      `${number(count)}${count > counts.planned ? `, of which ${number(counts.unknown)} ${counts.unknown === 1 ? 'is' : 'are'} unknown` : ''}`,
    ],
    ...some('invite to', targetsOf(targets, count)),
    ...some('packages', plan.hasUnreadPackages ? UNREAD_PACKAGES : undefined),
    ...some('already invited', positive(counts.already_invited)),
    ...some('duplicates', positive(counts.duplicate)),
    ...some('unknown', resends ? undefined : positive(counts.unknown)),
    ...some('not valid', positive(counts.rejected)),
    ...some('e-mails', emailsOf(emails)),
    ...some('callbacks to', callbackHosts.join(', ')),
  ]
  return `${terminal.fields(fields)}${drawRejected(rejected, counts.rejected)}`
}

/** How many rows are to be sent, and what that means. */
export function sendsOf(plan: CampaignPlan, resends: boolean): PlannedSends & { readonly count: number } {
  const { counts, unknown } = plan
  if (!resends) {
    const { emails, targets, callbackHosts } = plan
    return { count: counts.planned, emails, targets, callbackHosts }
  }
  const targets = new Map(plan.targets)
  for (const [target, count] of unknown.targets) targets.set(target, (targets.get(target) ?? 0) + count)
  return {
    count: counts.planned + counts.unknown,
    emails: {
      sent: plan.emails.sent + unknown.emails.sent,
      notSent: plan.emails.notSent + unknown.emails.notSent,
    },
    targets,
    callbackHosts: [...new Set([...plan.callbackHosts, ...unknown.callbackHosts])],
  }
}

/** Rows that are not valid, without their values. */
export function drawRejected(rows: readonly PlannedRow[], count: number): string {
  const lines = rows.map((row) => wrap(`  row ${row.row}: ${faultsOf(row)}`, '    '))
  const more = count > rows.length ? [`  and ${number(count - rows.length)} more`] : []
  return [...lines, ...more].map((line) => `${line}\n`).join('')
}

function some(name: string, value: string | undefined): Fields {
  return value ? [[name, value]] : []
}

function positive(count: number): string | undefined {
  return count > 0 ? number(count) : undefined
}

function formatOf({ records: { format, delimiter }, text: { encoding } }: Reading): string {
  return `${format}${delimiter === ';' ? ' with ;' : ''} in ${encoding}`
}

function flagsOf({ quizId, packageId, externalReference, callbackUrl, sendEmail }: InputFileOptions): string {
  const given = {
    quiz_id: quizId,
    package_id: packageId,
    external_reference: externalReference,
    callback_url: callbackUrl,
  }
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  return [...names, ...(sendEmail ? [] : ['no e-mail'])].join(', ')
}

const UNREAD_PACKAGES =
  'this key may not read their quizzes (CERTIFICATION_PACKAGE_READ): who has a single invite of one of them gets a second one'

/* A mistyped identifier stands out among the others. */
function targetsOf(targets: PlannedSends['targets'], total: number): string {
  const most = [...targets].toSorted(([, one], [, other]) => other - one)
  const shown = most.slice(0, MOST_TARGETS).map(([target, count]) => `${printable(target)} ${number(count)}`)
  const rest = total - most.slice(0, MOST_TARGETS).reduce((sum, [, count]) => sum + count, 0)
  return [...shown, ...(rest > 0 ? [`others ${number(rest)}`] : [])].join(', ')
}

const MOST_TARGETS = 10

function emailsOf({ sent, notSent }: CampaignPlan['emails']): string {
  const parts = [
    ...(sent > 0 ? [`the service sends them for ${rowsOf(sent)}`] : []),
    ...(notSent > 0 ? [`none for ${rowsOf(notSent)}: their links are yours to deliver`] : []),
  ]
  return parts.join('; ')
}
