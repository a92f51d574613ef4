import type { AdminSessionClient, CallOptions, CertifyError, InviteInput, PackageInviteInput } from '../index.ts'
import type { LedgerEntry, SendInput } from '../ledger/rules/entry.ts'
import { priorUnknown } from '../ledger/rules/errors.ts'
import type { Created } from '../ledger/send-recorder.ts'
import type { Verdict } from './failed-send.ts'
import type { Found } from './progress.ts'
import type { PlannedRow, RowStatus } from './row.ts'

/** One send of a row: all of it, or one missing quiz of its package. */
export interface Send {
  readonly row: PlannedRow
  readonly input: SendInput
  readonly done: (status: RowStatus, found: Found) => void
  /** Whether it waits while another process is sending the same. */
  readonly waits: boolean
}

/** The result of one send of a row. */
export interface SendResult {
  readonly verdict: Verdict
  readonly sendAgain: boolean
  /** The quizzes to send in place of a package. */
  readonly missing?: readonly string[] | undefined
  /** Another process is sending the same. */
  readonly isInFlight?: boolean
  readonly error?: CertifyError
}

export const UNSENT: SendResult = { verdict: 'neither', sendAgain: false }

/** @param call with a time limit, because the lease in the ledger uses it */
export function createFor(client: AdminSessionClient, input: SendInput, call: CallOptions): Promise<Created> {
  /* In a session the client itself refuses a callbackUrl. */
  return 'packageId' in input
    ? client.packageInvites.create(input as PackageInviteInput<never>, call)
    : client.invites.create(input as InviteInput<never>, call)
}

/** The name of the operation that sends an input. */
export function operationOf(input: SendInput): string {
  return 'packageId' in input ? 'packageInvites.create' : 'invites.create'
}

/** The error of a row that is unknown in the ledger. */
export function unknownError({ input }: PlannedRow, entries: readonly LedgerEntry[], now: number) {
  return input === undefined || entries.length === 0 ? undefined : priorUnknown(operationOf(input), entries, now)
}
