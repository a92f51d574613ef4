import type { AdminSessionClient, CallOptions, CertifyError, InviteInput, PackageInviteInput } from '../index.ts'
import type { LedgerEntry, SendInput } from '../ledger/rules/entry.ts'
import { priorUnknown } from '../ledger/rules/errors.ts'
import type { Created, Sending } from '../ledger/send-recorder.ts'
import type { Verdict } from './failed-send.ts'
import type { Found } from './progress.ts'
import type { OutageEvent, PauseEvent, RowStatus } from './row.ts'

/** Whatever sends many: a campaign, or a worker. */
export interface Run {
  /** Aborted when nothing more may start. */
  readonly stopping: AbortSignal
  /** Ends it for a failure that every send would share, or for a bug. */
  readonly end: (error: unknown) => void
  /** A send has failed. Called before that is recorded: no other send may start in between. */
  readonly countFailure: (status: RowStatus) => void
  readonly notify: (event: OutageEvent | PauseEvent) => void
}

/** One send: of a row, of one missing quiz of its package, or of a wish. */
export interface Send extends Pick<Sending, 'row' | 'campaign' | 'although'> {
  readonly input: SendInput
  /** How long to wait for another process that sends the same, in milliseconds. Default: until it is decided. */
  readonly waitForInProgressMs?: number | undefined
  /**
   * The reference of the next claim, asked for just before it. `undefined`: it must not be sent. Default: a new UUID for each
   * claim.
   */
  readonly nextReference?: (() => Promise<string | undefined>) | undefined
  /** Called once, if its outcome is decided, and after it is recorded. */
  readonly done: (status: RowStatus, found: Found) => void
}

/** The result of one send. */
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

/** The error of an input that is unknown in the ledger. */
export function unknownError(input: SendInput | undefined, entries: readonly LedgerEntry[], now: number) {
  return input === undefined || entries.length === 0 ? undefined : priorUnknown(operationOf(input), entries, now)
}
