import type { LedgerEntry } from '../../src/ledger/index.ts'
import { type Column, fieldColumns } from '../terminal/table.ts'
import { invitesOf, type PlannedFinding } from './plan.ts'

/** A finding in the output and the report. */
export type ReportedFinding = ReturnType<typeof toReportedFinding>

/** For --fields. The first three are those of a single reference. */
export const REPORTED_FIELDS = [
  ...(['reference', 'state', 'inviteIds', 'row', 'status', 'created', 'email', 'quizId', 'packageId'] as const),
  ...(['sentAt', 'campaign', 'code', 'message'] as const),
] satisfies readonly (keyof ReportedFinding)[]

/** What became of a finding that was planned. */
export interface Outcome {
  readonly status: 'resolved' | 'failed'
  readonly entry: LedgerEntry | undefined
  readonly message?: string | undefined
}

/** @param outcome if it was tried */
export function toReportedFinding({ given, entry, ...planned }: PlannedFinding, outcome?: Outcome) {
  const { status, message } = outcome ?? planned
  return {
    row: given.row,
    status,
    reference: entry?.reference ?? given.reference ?? null,
    state: (outcome?.entry ?? entry)?.state ?? null,
    created: given.finding === undefined ? null : given.finding.created !== undefined,
    inviteIds: invitesOf(given.finding),
    email: entry?.input.candidate.email ?? given.email ?? null,
    quizId: entry?.quizId ?? given.quizId ?? null,
    packageId: entry?.packageId ?? given.packageId ?? null,
    sentAt: entry?.sentAt ?? null,
    campaign: entry?.campaign ?? null,
    code: entry?.code ?? null,
    message: message ?? null,
  }
}

/** The names are those that a file of findings may have: a report can be such a file. */
export const findingColumns: readonly Column<ReportedFinding>[] = [
  ...fieldColumns<ReportedFinding>({ row: 'row', status: 'status', reference: 'reference', state: 'state' }),
  { title: 'created', value: ({ created }) => (created === null ? null : created ? 'yes' : 'no') },
  { title: 'invite_ids', value: ({ inviteIds }) => inviteIds.join(' ') },
  ...fieldColumns<ReportedFinding>({ email: 'email', quiz_id: 'quizId', package_id: 'packageId', sent_at: 'sentAt' }),
  ...fieldColumns<ReportedFinding>({ campaign: 'campaign', code: 'code', message: 'message' }),
]
