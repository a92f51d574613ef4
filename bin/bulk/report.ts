import type { PlannedRow, RowEvent } from '../../src/campaign/index.ts'
import type { CertifyError } from '../../src/index.ts'
import type { LedgerInvite } from '../../src/ledger/index.ts'
import { RECORDED_LATE } from '../ledger/open-ledger.ts'
import { wordError } from '../terminal/error-wording.ts'
import { type Column, fieldColumns } from '../terminal/table.ts'
import { faultsOf } from './candidate-row.ts'

/** What became of a row: `invalid` was not sent because of its input, `not_started` because the run stopped before it. */
export type ReportedStatus = Exclude<RowEvent['status'] | PlannedRow['status'], 'rejected'> | 'invalid' | 'not_started'

/** For each status, whether a run of --failed-out should have the row. */
export const IS_TO_FIX: Readonly<Record<ReportedStatus, boolean>> = {
  created: false,
  already_invited: false,
  expired: false,
  partly_invited: false,
  duplicate: false,
  unknown: false,
  invalid: true,
  refused: true,
  failed: true,
  not_started: true,
  planned: false,
}

/** A row in a report, the same for programs and people. */
export type ReportedRow = ReturnType<typeof toReportedRow>

/** The counts of a plan or a run, under the names that a report uses. */
export function countsOf({ rejected, ...counts }: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return { ...counts, invalid: rejected ?? 0 }
}

/** The report of a row that is done, or only planned. */
export function toReportedRow(
  row: RowEvent | PlannedRow,
  showLinks: boolean,
  status: ReportedStatus = row.status === 'rejected' ? 'invalid' : row.status,
) {
  const { input } = row
  const event = 'type' in row ? row : undefined
  const target = input as Readonly<Record<string, string | undefined>> | undefined
  return {
    type: 'row' as const,
    row: row.row,
    status,
    email: input?.candidate.email,
    name: input?.candidate.name,
    quizId: target?.['quizId'],
    packageId: target?.['packageId'],
    externalReference: target?.['externalReference'],
    missingQuizIds: row.missingQuizIds,
    invites: (event?.invites ?? []).map(
      ({ status: _initial, challengeUrl, ...invite }): Omit<LedgerInvite, 'status'> =>
        showLinks ? { ...invite, challengeUrl } : invite,
    ),
    reference: event?.reference,
    code: event?.error?.code ?? (status === 'invalid' ? 'INPUT_INVALID' : undefined),
    message: status === 'not_started' ? NOT_STARTED : messageOf(row),
  }
}

const NOT_STARTED = 'the run stopped before this row; run the same command again'

/* Includes the service's messages, although they may contain personal data: only they have the reason. */
function messageOf(row: RowEvent | PlannedRow): string | undefined {
  const isPackage = row.input !== undefined && 'packageId' in row.input
  if (row.status === 'duplicate') {
    return isPackage
      ? `row ${row.duplicateOf} is for the same package, or one of its quizzes; nothing of this row is sent`
      : `repeats row ${row.duplicateOf}`
  }
  if (row.status === 'rejected') return faultsOf(row.issues)
  if (row.status === 'expired') return LAPSED_INVITE
  if (!('type' in row) && row.lapsed === true) return row.status === 'unknown' ? LAPSED_UNKNOWN : LAPSED_INVITE
  const error = 'type' in row ? row.error : undefined
  const missing = row.missingQuizIds?.join(', ')
  if (missing !== undefined && error === undefined) {
    const earlier = row.duplicateOf === undefined ? '' : `row ${row.duplicateOf} is for another of its quizzes; `
    return `${earlier}these quizzes of the package have no invite yet: ${missing}; invite to them one by one`
  }
  const late = 'type' in row && row.late === true ? RECORDED_LATE : undefined
  if (error === undefined) return late ?? (row.status === 'already_invited' && isPackage ? OPEN_PACKAGE : undefined)
  if (isUnrecorded(row)) return unrecordedMessage(row, error)
  const words = error.apiMessages.filter((each) => each !== '').map((each) => `The service says: ${each}`)
  return [wordError(error).message, ...words, ...(late === undefined ? [] : [late])].join(' ')
}

const OPEN_PACKAGE = 'an invite of the package, or of one of its quizzes, is open; nothing of this row is sent'
const LAPSED_INVITE = 'invited before; that link has expired'
const LAPSED_UNKNOWN = 'may have been invited more than 14 days ago, and that link would have expired'

/** Whether a created row could not be recorded in the ledger: the report is its only record then. */
export function isUnrecorded(row: RowEvent | PlannedRow): row is RowEvent {
  return 'type' in row && row.status === 'created' && row.error?.code === 'LEDGER_UNUSABLE'
}

/* With the link if it was not e-mailed, because there is no other copy. */
function unrecordedMessage({ invites }: RowEvent, error: CertifyError): string {
  const kept = invites.filter(({ emailSent }) => emailSent !== true).flatMap(({ challengeUrl }) => challengeUrl ?? [])
  const links = kept.length === 0 ? '' : ` The link was not e-mailed: ${kept.join(' ')}`
  return `created, but not recorded. ${wordError(error).message}${links}`
}

/** The columns of a report, and of stdout in a pipe. */
export function reportColumns(showLinks: boolean): readonly Column<ReportedRow>[] {
  const joined = (of: (invite: ReportedRow['invites'][number]) => string | undefined) => (row: ReportedRow) =>
    row.invites.map((invite) => of(invite) ?? '').join(' ')
  return [
    ...fieldColumns<ReportedRow>(
      { row: 'row', status: 'status' },
      { status: `status (${Object.keys(IS_TO_FIX).join(', ')})` },
    ),
    ...fieldColumns<ReportedRow>({ email: 'email', name: 'name', quiz_id: 'quizId', package_id: 'packageId' }),
    ...fieldColumns<ReportedRow>({ external_reference: 'externalReference' }),
    { title: 'invite_ids', value: joined(({ inviteId }) => inviteId) },
    { title: 'expires_at', value: ({ invites }) => invites.map(({ expiresAt }) => expiresAt).toSorted()[0] },
    { title: 'email_sent', value: ({ invites }) => areSent(invites) },
    ...fieldColumns<ReportedRow>({ reference: 'reference', code: 'code', message: 'message' }),
    ...(showLinks ? [{ title: 'links', value: joined(({ challengeUrl }) => challengeUrl) }] : []),
  ]
}

/* For a package: whether all were sent. */
function areSent(invites: ReportedRow['invites']): boolean | undefined {
  if (invites.length === 0 || invites.some(({ emailSent }) => emailSent === undefined)) return undefined
  return invites.every(({ emailSent }) => emailSent)
}
