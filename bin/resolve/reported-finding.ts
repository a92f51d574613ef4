import type { LedgerEntry } from '../../src/ledger/index.ts'
import { type Column, fieldColumns } from '../terminal/table.ts'
import { isSaidNotCreated } from './not-created.ts'
import type { PlannedFinding } from './plan.ts'

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

/**
 * What is reported of a finding. `created` and `inviteIds` are what the ledger has recorded, never what was only planned: a
 * report can be read back, and a verdict that nobody confirmed would then be recorded.
 *
 * @param outcome if it was tried
 */
export function toReportedFinding({ given, entry: before, ...planned }: PlannedFinding, outcome?: Outcome) {
  const { status, message } = outcome ?? planned
  const entry = outcome?.entry ?? before
  return {
    row: given.row,
    status,
    reference: entry?.reference ?? given.reference ?? null,
    state: entry?.state ?? null,
    created: entry === undefined ? null : recordedVerdict(entry),
    inviteIds: (entry?.invites ?? []).map(({ inviteId }) => inviteId),
    email: entry?.input.candidate.email ?? given.email ?? null,
    quizId: entry?.quizId ?? given.quizId ?? null,
    packageId: entry?.packageId ?? given.packageId ?? null,
    sentAt: entry?.sentAt ?? null,
    campaign: entry?.campaign ?? null,
    code: before?.code ?? null,
    message: message ?? null,
  }
}

function recordedVerdict(entry: LedgerEntry): boolean | null {
  if (entry.state === 'created') return true
  return isSaidNotCreated(entry) ? false : null
}

/** The names are those that a file of findings may have: a report can be such a file. */
export const findingColumns: readonly Column<ReportedFinding>[] = [
  ...fieldColumns<ReportedFinding>({ row: 'row', status: 'status', reference: 'reference', state: 'state' }),
  { title: 'created', value: ({ created }) => (created === null ? null : created ? 'yes' : 'no') },
  { title: 'invite_ids', value: ({ inviteIds }) => inviteIds.join(' ') },
  ...fieldColumns<ReportedFinding>({ email: 'email', quiz_id: 'quizId', package_id: 'packageId', sent_at: 'sentAt' }),
  ...fieldColumns<ReportedFinding>({ campaign: 'campaign', code: 'code', message: 'message' }),
]
