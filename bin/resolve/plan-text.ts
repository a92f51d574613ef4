import { wrap } from '../help/wrap.ts'
import { inviteRowsOf, minuteOf, sendTable } from '../ledger/invite-row.ts'
import { formatNumber } from '../terminal/numbers.ts'
import type { Fields, Terminal } from '../terminal/output.ts'
import { printable } from '../terminal/printable.ts'
import type { Column } from '../terminal/table.ts'
import type { Given } from './given.ts'
import { invitesOf, type PlannedFinding } from './plan.ts'

/** The most rows that are listed one by one. */
export const MOST_SHOWN = 20

/** What is planned, by what it means. */
export interface Counts {
  readonly notCreated: number
  readonly created: number
  readonly undecided: number
  readonly duplicate: number
  readonly rejected: number
}

export function countsOf(planned: readonly PlannedFinding[]): Counts {
  const counts = { notCreated: 0, created: 0, undecided: 0, duplicate: 0, rejected: 0 }
  for (const { status, given } of planned) {
    if (status !== 'planned') counts[status] += 1
    else counts[given.finding?.created === undefined ? 'notCreated' : 'created'] += 1
  }
  return counts
}

export interface PlanText {
  readonly given: Pick<Given, 'noun' | 'fields'>
  readonly planned: readonly PlannedFinding[]
  readonly ledger: string
  /** The service and account of addresses and selections. */
  readonly scope: string | undefined
  readonly sending: number
  /** Whether the sends may be listed: only a terminal is for the eyes of one person. */
  readonly isListed: boolean
}

/** Describes for a person what would be recorded, and what cannot be. */
export function drawPlan({ given, planned, ledger, scope, sending, isListed }: PlanText, terminal: Terminal): string {
  const counts = countsOf(planned)
  const sends = planned.filter(({ status }) => status === 'planned')
  const entries = sends.flatMap(({ entry }) => entry ?? [])
  const times = entries.map(({ sentAt }) => sentAt).toSorted()
  const invites = sends.reduce((sum, { given: { finding } }) => sum + invitesOf(finding).length, 0)
  const fields: Fields = [
    ['ledger', ledger],
    ...(scope === undefined ? [] : [['of', scope] as const]),
    ...given.fields,
    ['not created', counts.notCreated === 0 ? '0' : `${formatNumber(counts.notCreated)}: they can be invited again`],
    ['created', counts.created === 0 ? '0' : `${formatNumber(counts.created)}, with ${invitesText(invites)}`],
    ...(counts.undecided === 0 ? [] : [['undecided', `${formatNumber(counts.undecided)}: they stay unknown`] as const]),
    ...optional('repeated', counts.duplicate),
    ...optional('not possible', counts.rejected),
    ...(sending === 0 ? [] : [['left out', `${formatNumber(sending)} still being sent`] as const]),
    ...(entries.length === 0
      ? []
      : [
          ['sent', `${minuteOf(times[0] ?? '')} to ${minuteOf(times.at(-1) ?? '')} UTC`] as const,
          ['invited to', mostOf(entries.map(({ quizId, packageId }) => quizId ?? packageId ?? ''))] as const,
          ['codes', mostOf(entries.map(({ code = 'none' }) => code))] as const,
        ]),
  ]
  const list = isListed && sends.length > 0 ? `\n${drawSends(sends, terminal)}` : ''
  return `${terminal.fields(fields)}${list}${drawReasons(rejectedOf(planned), given.noun)}`
}

/** Why findings cannot be recorded, or were not, without their values. */
export function drawReasons(rows: readonly RowWithReason[], noun: Given['noun']): string {
  const lines = rows.slice(0, MOST_SHOWN).map(({ row, message }) => wrap(`  ${noun} ${row}: ${message ?? ''}`, '    '))
  return [...lines, ...moreThan(rows.length)].map((line) => `${line}\n`).join('')
}

interface RowWithReason {
  readonly row: number
  readonly message: string | null | undefined
}

/** The findings that cannot be recorded. */
export function rejectedOf(planned: readonly PlannedFinding[]): readonly RowWithReason[] {
  const rejected = planned.filter(({ status }) => status === 'rejected')
  return rejected.map(({ given: { row }, message }) => ({ row, message }))
}

function drawSends(sends: readonly PlannedFinding[], terminal: Terminal): string {
  const rows = sends.slice(0, MOST_SHOWN).flatMap(({ entry, given }) => {
    const [row] = entry === undefined ? [] : inviteRowsOf(entry, false)
    return row === undefined ? [] : [{ ...row, record: invitesOf(given.finding).join(' ') || NOT_CREATED }]
  })
  const record: Column<(typeof rows)[number]> = {
    title: 'RECORD',
    value: (row) => row.record,
    cut: true,
    narrowest: NOT_CREATED.length,
    spare: false,
  }
  const more = moreThan(sends.length).map((line) => `${line}\n`)
  return [terminal.table([record, ...sendTable], rows), ...more].join('')
}

const NOT_CREATED = 'not created'

function moreThan(count: number): readonly string[] {
  return count > MOST_SHOWN ? [`  and ${formatNumber(count - MOST_SHOWN)} more`] : []
}

function optional(name: string, count: number): Fields {
  return count > 0 ? [[name, formatNumber(count)]] : []
}

function invitesText(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'invite' : 'invites'}`
}

/* The most frequent first. */
function mostOf(values: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const most = [...counts].toSorted(([, one], [, other]) => other - one)
  const shown = most.slice(0, MOST_VALUES).map(([value, count]) => `${printable(value)} ${formatNumber(count)}`)
  const rest = most.slice(MOST_VALUES).reduce((sum, [, count]) => sum + count, 0)
  return [...shown, ...(rest > 0 ? [`others ${formatNumber(rest)}`] : [])].join(', ')
}

const MOST_VALUES = 10
