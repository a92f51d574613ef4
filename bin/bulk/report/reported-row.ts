import type { PlannedRow, RowEvent } from '../../../src/campaign/index.ts'
import type { CertifyError } from '../../../src/index.ts'
import type { LedgerInvite } from '../../../src/ledger/index.ts'
import { wordError } from '../../terminal/error-wording.ts'
import { type Column, fieldColumns } from '../../terminal/table.ts'
import { faultsOf } from '../read/campaign-row.ts'

/** A row in a report, the same for programs and people. */
export interface ReportedRow {
  readonly type: 'row'
  readonly row: number
  readonly status: RowEvent['status'] | PlannedRow['status']
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly quizId?: string | undefined
  readonly packageId?: string | undefined
  readonly externalReference?: string | undefined
  /** Of a package that is invited in part. */
  readonly missingQuizIds?: readonly string[] | undefined
  readonly invites: readonly Omit<LedgerInvite, 'status'>[]
  /** The request; for `certify invites resolve`. */
  readonly reference?: string | undefined
  readonly code?: string | undefined
  readonly message?: string | undefined
}

/** The report of a row that is done, or only planned. */
export function toReportedRow(row: RowEvent | PlannedRow, includeLinks: boolean): ReportedRow {
  const { input } = row
  const event = 'type' in row ? row : undefined
  const target = input as Readonly<Record<string, string | undefined>> | undefined
  return {
    type: 'row',
    row: row.row,
    status: row.status,
    email: input?.candidate.email,
    name: input?.candidate.name,
    quizId: target?.['quizId'],
    packageId: target?.['packageId'],
    externalReference: target?.['externalReference'],
    missingQuizIds: row.missingQuizIds,
    invites: (event?.invites ?? []).map(({ status: _initial, challengeUrl, ...invite }) =>
      includeLinks ? { ...invite, challengeUrl } : invite,
    ),
    reference: event?.reference,
    code: event?.error?.code ?? (row.status === 'rejected' ? 'INPUT_INVALID' : undefined),
    message: event?.late === true ? [messageOf(row), LATE].filter(Boolean).join(' ') : messageOf(row),
  }
}

/* With the messages of the service, though they may have personal data: nothing else has the reason. */
function messageOf(row: RowEvent | PlannedRow): string | undefined {
  const isPackage = row.input !== undefined && 'packageId' in row.input
  if (row.status === 'duplicate') {
    return isPackage
      ? `row ${row.duplicateOf} is for the same package, or one of its quizzes; nothing of this row is sent`
      : `repeats row ${row.duplicateOf}`
  }
  if (row.status === 'rejected') return faultsOf(row.issues)
  if (!('type' in row) && row.lapsed === true) return row.status === 'unknown' ? LAPSED_UNKNOWN : LAPSED_INVITE
  const error = 'type' in row ? row.error : undefined
  const missing = row.missingQuizIds?.join(', ')
  if (missing !== undefined && row.status === 'planned') return `only the missing quizzes are sent: ${missing}`
  if (missing !== undefined && error === undefined) {
    const earlier = row.duplicateOf === undefined ? '' : `row ${row.duplicateOf} is for another of its quizzes; `
    return `${earlier}of the package these quizzes have no invite yet: ${missing}; invite to them one by one`
  }
  if (error === undefined) return row.status === 'already_invited' && isPackage ? OPEN_PACKAGE : undefined
  if (isUnrecorded(row)) return unrecordedMessage(row, error)
  const words = error.apiMessages.filter((each) => each !== '').map((each) => `The service says: ${each}`)
  const rest = missing === undefined ? [] : [`Of the package these quizzes have no invite yet: ${missing}.`]
  return [wordError(error).message, ...words, ...rest].join(' ')
}

const OPEN_PACKAGE = 'an invite of the package, or of one of its quizzes, is open; nothing of this row is sent'

const LATE =
  'It was recorded after its lease had ended, and counted as unknown until then: check whether somebody resolved it, or sent ' +
  'it again.'

const LAPSED_INVITE = 'invited before; that link has expired'

const LAPSED_UNKNOWN =
  'may have been invited more than 14 days ago, and that link would have expired; --if-unknown create sends it again'

/** Whether a created row could not be recorded in the ledger: the report is its only record then. */
export function isUnrecorded(row: RowEvent | PlannedRow): row is RowEvent {
  return 'type' in row && row.status === 'created' && row.error?.code === 'LEDGER_UNUSABLE'
}

/* With the link if it was not e-mailed: there is no other copy. */
function unrecordedMessage({ invites }: RowEvent, error: CertifyError): string {
  const kept = invites.filter(({ emailSent }) => emailSent !== true).flatMap(({ challengeUrl }) => challengeUrl ?? [])
  const links = kept.length === 0 ? '' : ` The link was not e-mailed: ${kept.join(' ')}`
  return `created, but not recorded. ${wordError(error).message}${links}`
}

/** The columns of a report; those of a package's invites are joined by spaces, in the same order. */
export function reportColumns(includeLinks: boolean): readonly Column<ReportedRow>[] {
  return [...CANDIDATE, ...fieldColumns<ReportedRow>({ name: 'name' }), ...resultColumns(includeLinks)]
}

/** The columns in a pipe. They have no titles, so their places are a contract. */
export function pipedColumns(includeLinks: boolean): readonly Column<ReportedRow>[] {
  return [...CANDIDATE, ...resultColumns(includeLinks)]
}

const CANDIDATE = fieldColumns<ReportedRow>({ row: 'row', status: 'status', email: 'email' })

function resultColumns(includeLinks: boolean): readonly Column<ReportedRow>[] {
  return includeLinks ? [...RESULT, { title: 'links', value: joined(({ challengeUrl }) => challengeUrl) }] : RESULT
}

const RESULT: readonly Column<ReportedRow>[] = [
  ...fieldColumns<ReportedRow>({ quiz_id: 'quizId', package_id: 'packageId', external_reference: 'externalReference' }),
  { title: 'invite_ids', value: joined(({ inviteId }) => inviteId) },
  { title: 'expires_at', value: ({ invites }) => invites.map(({ expiresAt }) => expiresAt).toSorted()[0] },
  { title: 'email_sent', value: ({ invites }) => areSent(invites) },
  ...fieldColumns<ReportedRow>({ reference: 'reference', code: 'code', message: 'message' }),
]

function joined(of: (invite: Omit<LedgerInvite, 'status'>) => string | undefined) {
  return ({ invites }: ReportedRow) => invites.map((invite) => of(invite) ?? '').join(' ')
}

/* Of a package: whether all were sent. */
function areSent(invites: ReportedRow['invites']): boolean | undefined {
  if (invites.length === 0 || invites.some(({ emailSent }) => emailSent === undefined)) return undefined
  return invites.every(({ emailSent }) => emailSent)
}
