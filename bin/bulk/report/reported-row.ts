import type { PlannedRow, RowEvent } from '../../../src/campaign/index.ts'
import type { CertifyError } from '../../../src/index.ts'
import type { LedgerInvite } from '../../../src/ledger/index.ts'
import { wordError } from '../../terminal/error-wording.ts'
import type { Column } from '../../terminal/table.ts'
import { columnOf } from '../read/campaign-row.ts'

/** What is reported of one row, to programs and people alike. */
export interface ReportedRow {
  readonly type: 'row'
  readonly row: number
  readonly status: RowEvent['status'] | PlannedRow['status']
  readonly email?: string | undefined
  readonly quizId?: string | undefined
  readonly packageId?: string | undefined
  readonly externalReference?: string | undefined
  readonly invites: readonly Omit<LedgerInvite, 'status'>[]
  /** Which request it was; `certify invites resolve` takes it. */
  readonly reference?: string | undefined
  readonly code?: string | undefined
  readonly message?: string | undefined
}

/** The outcome of a row, or what is planned for it. */
export function reported(row: RowEvent | PlannedRow, includeLinks: boolean): ReportedRow {
  const { input } = row
  const event = 'type' in row ? row : undefined
  const target = input as Readonly<Record<string, string | undefined>> | undefined
  return {
    type: 'row',
    row: row.row,
    status: row.status,
    email: input?.candidate.email,
    quizId: target?.['quizId'],
    packageId: target?.['packageId'],
    externalReference: target?.['externalReference'],
    invites: (event?.invites ?? []).map(({ status: _initial, challengeUrl, ...invite }) =>
      includeLinks ? { ...invite, challengeUrl } : invite,
    ),
    reference: event?.reference,
    code: event?.error?.code ?? (row.status === 'rejected' ? 'INPUT_INVALID' : undefined),
    message: messageOf(row),
  }
}

/* With the words of the service: a report is about candidates anyway, and nothing else says why. */
function messageOf(row: RowEvent | PlannedRow): string | undefined {
  const isPackage = row.input !== undefined && 'packageId' in row.input
  if (row.status === 'duplicate') {
    return isPackage
      ? `row ${row.duplicateOf} is about the same package, or one of its quizzes; nothing of this one is sent`
      : `repeats row ${row.duplicateOf}`
  }
  if (row.status === 'rejected') return faultsOf(row)
  const error = 'type' in row ? row.error : undefined
  if (error === undefined) return row.status === 'already_invited' && isPackage ? OPEN_PACKAGE : undefined
  if (isUnrecorded(row)) return unrecordedMessage(row, error)
  const words = error.apiMessages.filter((each) => each !== '').map((each) => `The service says: ${each}`)
  return [wordError(error).message, ...words].join(' ')
}

const OPEN_PACKAGE = 'an invite of the package, or of one of its quizzes, is open; nothing of this row is sent'

/** Whether a row was created, but could not be recorded in the ledger: then the report is its only record. */
export function isUnrecorded(row: RowEvent | PlannedRow): row is RowEvent {
  return 'type' in row && row.status === 'created' && row.error?.code === 'LEDGER_UNUSABLE'
}

/* With the link where nobody was sent it: there is no other copy. */
function unrecordedMessage({ invites }: RowEvent, error: CertifyError): string {
  const kept = invites.filter(({ emailSent }) => emailSent !== true).flatMap(({ challengeUrl }) => challengeUrl ?? [])
  const links = kept.length === 0 ? '' : ` Nobody was sent the link: ${kept.join(' ')}`
  return `created, and not on record. ${wordError(error).message}${links}`
}

/** What is wrong with a rejected row, without its values. */
export function faultsOf({ issues }: Pick<PlannedRow, 'issues'>): string {
  return issues.map(({ path, rule }) => `${columnOf(path)} ${rule}`).join('; ')
}

/** The columns of a report; those of a package's invites are joined by spaces, in the same order. */
export function reportColumns(includeLinks: boolean): readonly Column<ReportedRow>[] {
  return includeLinks ? [...COLUMNS, { title: 'links', value: joined(({ challengeUrl }) => challengeUrl) }] : COLUMNS
}

const COLUMNS: readonly Column<ReportedRow>[] = [
  { title: 'row', value: ({ row }) => String(row) },
  { title: 'status', value: ({ status }) => status },
  { title: 'email', value: ({ email }) => email ?? '' },
  { title: 'quiz_id', value: ({ quizId }) => quizId ?? '' },
  { title: 'package_id', value: ({ packageId }) => packageId ?? '' },
  { title: 'external_reference', value: ({ externalReference }) => externalReference ?? '' },
  { title: 'invite_ids', value: joined(({ inviteId }) => inviteId) },
  { title: 'expires_at', value: ({ invites }) => invites.map(({ expiresAt }) => expiresAt).toSorted()[0] ?? '' },
  { title: 'email_sent', value: ({ invites }) => sent(invites) },
  { title: 'reference', value: ({ reference }) => reference ?? '' },
  { title: 'code', value: ({ code }) => code ?? '' },
  { title: 'message', value: ({ message }) => message ?? '' },
]

function joined(of: (invite: Omit<LedgerInvite, 'status'>) => string | undefined) {
  return ({ invites }: ReportedRow) => invites.map((invite) => of(invite) ?? '').join(' ')
}

/* Of a package: only where all were sent. */
function sent(invites: ReportedRow['invites']): string {
  return invites.some(({ emailSent }) => emailSent === undefined) || invites.length === 0
    ? ''
    : String(invites.every(({ emailSent }) => emailSent))
}
