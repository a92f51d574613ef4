import type { CertifyError, Issue } from '../index.ts'
import type { LedgerInvite, SendInput } from '../ledger/rules/entry.ts'

/** One row of a campaign as it is handed in. */
export interface CampaignRow {
  /** What to send; checked by the rules of the client, so it may be anything. */
  readonly input: unknown
  /** Where it stands in its file. Default: counted from 1. */
  readonly row?: number | undefined
  /** What whoever read the row found wrong with it: it is then rejected. */
  readonly issues?: readonly Issue[] | undefined
}

/**
 * What became of a row.
 *
 * - `created`: by this run. `already_invited`: the ledger has an open invite, of an earlier run or of anything else.
 * - `duplicate`: an earlier row of the same campaign concerns the same candidate and quiz.
 * - `rejected`: it is not valid and was not sent. `refused`: the service said no.
 * - `failed`: it could not be sent, or was turned away; run the campaign again.
 * - `unknown`: it may have been created. It is not sent again before somebody has checked.
 */
export type RowStatus = 'created' | 'already_invited' | 'duplicate' | 'rejected' | 'refused' | 'failed' | 'unknown'

/** What a plan foresees for a row. `planned`: it will be sent. */
export type PlannedStatus = 'planned' | 'already_invited' | 'duplicate' | 'rejected' | 'unknown'

/** A row as it was read and checked. */
export interface PlannedRow {
  readonly row: number
  readonly status: PlannedStatus
  /** What will be sent; `undefined` where the row is not even an input. Of a rejected row it may be in any shape. */
  readonly input: SendInput | undefined
  readonly issues: readonly Issue[]
  /** The row that it repeats. */
  readonly duplicateOf: number | undefined
}

/** A row is done, one way or the other. There is one of these for each row that the run came to. */
export interface RowEvent extends Omit<PlannedRow, 'status'> {
  readonly type: 'row'
  readonly status: RowStatus
  /** What the ledger knows this send by. */
  readonly reference: string | undefined
  /** Those that were created, now or earlier. */
  readonly invites: readonly LedgerInvite[]
  /** Of a row that was created: its answer could not be read whole, or, with LEDGER_UNUSABLE, it is not on record. */
  readonly error: CertifyError | undefined
}

/** All workers wait: the service limits requests, or cannot be reached. */
export interface PauseEvent {
  readonly type: 'pause'
  readonly waitMs: number
  readonly error: CertifyError
}

/** The last event of a run. */
export interface FinishedEvent {
  readonly type: 'finished'
  readonly summary: CampaignSummary
}

export type CampaignEvent = RowEvent | PauseEvent | FinishedEvent

/** What a run came to. */
export interface CampaignSummary {
  readonly counts: Readonly<Record<RowStatus, number>>
  /** Rows that the run did not come to, because it was stopped. */
  readonly remaining: number
  /** Invites for which an e-mail was asked, and which say that none was sent. */
  readonly emailsNotSent: number
  /** Why it ended before its end: the signal, too many failures, or a failure that every row would share. */
  readonly stopped: 'aborted' | 'failures' | 'error' | undefined
  /** The failure that every row would share. */
  readonly error: CertifyError | undefined
  readonly durationMs: number
}
