import type { CertifyError, Issue } from '../errors.ts'
import type { CreateInput } from '../operations.ts'
import type { LedgerInvite } from '../ledger/rules/model.ts'

/** One row of a campaign, as the caller passes it. */
export interface CampaignRow {
  /** What to send. The client's rules check it, so it may be anything. */
  readonly input: unknown
  /** The number of the row in its file. Default: counted from 1. */
  readonly row?: number | undefined
  /** Problems that the caller found in the row. It is then rejected. */
  readonly issues?: readonly Issue[] | undefined
}

/**
 * The outcome of a row.
 *
 * - `created`: by this run. `already_invited`: the ledger has an open invite, from an earlier run or another source.
 * - `expired`: the candidate was invited before, and the link has expired. It is not sent unless `ifExpired` is `invite`,
 *   and not at all if an event reported a result.
 * - `partly_invited`: some quizzes of a package have an open invite, or an earlier row, and others do not. Nothing is
 *   sent: a package invite is all or nothing, so invite to the missing quizzes one by one.
 * - `duplicate`: an earlier row of the same campaign has the same candidate and quiz.
 * - `rejected`: it is invalid and was not sent. `refused`: the service refused it.
 * - `failed`: it could not be sent, or was not accepted this time. Run the campaign again.
 * - `unknown`: it may have been created. It is not sent again until a person has checked.
 */
export type RowStatus =
  | 'created'
  | 'already_invited'
  | 'expired'
  | 'partly_invited'
  | 'duplicate'
  | 'rejected'
  | 'refused'
  | 'failed'
  | 'unknown'

/** The planned outcome of a row. `planned`: it will be sent. */
export type PlannedStatus = 'planned' | Exclude<RowStatus, 'created' | 'refused' | 'failed'>

/** A row that was read and checked. */
export interface PlannedRow {
  /** The number of the row in its file. */
  readonly row: number
  /** The planned outcome of the row. */
  readonly status: PlannedStatus
  /** What will be sent; `undefined` if the row has no input. The input of a rejected row may have any shape. */
  readonly input: CreateInput | undefined
  /** Why it is rejected; empty if it is not. */
  readonly issues: readonly Issue[]
  /**
   * The earlier row with the same candidate and quiz. For a partly invited package: an earlier row for one of its
   * quizzes.
   */
  readonly duplicateOf: number | undefined
  /**
   * An earlier create of a `planned` or `unknown` row has lapsed. `planned`: the link of an earlier invite has expired.
   * `unknown`: the link, if one was created, has expired by now; the row is still not sent again.
   */
  readonly lapsed?: boolean | undefined
  /** For a partly invited package: the quizzes without an open invite. */
  readonly missingQuizIds?: readonly string[] | undefined
}

interface EventOf<Kind extends string> {
  /** The kind of the event. */
  readonly type: Kind
}

/** A row is finished. Each row that the run reached has one of these. */
export interface RowEvent extends Omit<PlannedRow, 'status'>, EventOf<'row'> {
  /** The outcome of the row. */
  readonly status: RowStatus
  /** The reference of its create in the ledger. */
  readonly reference: string | undefined
  /** The invites that were created, now or earlier. */
  readonly invites: readonly LedgerInvite[]
  /** For a created row: its response could not be read completely. With LEDGER_UNUSABLE: it is not recorded. */
  readonly error: CertifyError | undefined
  /**
   * It was recorded after its lease had ended. Until then others may have seen it as unknown, and resolved it or
   * sent it again.
   */
  readonly late?: true | undefined
}

/** All workers wait: the service limits requests, or does not respond before the first create. */
export interface PauseEvent extends EventOf<'pause'> {
  /** How long they wait, in milliseconds. */
  readonly waitMs: number
  /** The failure that they wait after. */
  readonly error: CertifyError
}

/** The service does not respond, so no create is sent. A query probes it. */
export interface OutageEvent extends EventOf<'outage'> {
  /** `waiting`: the next probe is at `nextProbeAt`. `over`: the service responded to a create, and the run goes on. */
  readonly state: 'waiting' | 'over'
  /** When the first create had no clear response: ISO 8601 in UTC. */
  readonly since: string
  /** When the next probe is sent: ISO 8601 in UTC; `undefined` if the outage is over. */
  readonly nextProbeAt: string | undefined
  /** The number of rows that became `unknown` during it. */
  readonly unknown: number
  /** The last failure. */
  readonly error: CertifyError
}

/**
 * All other rows are done. The rest are being sent by another run, or were by one that was killed: each is done once
 * that create is recorded, or `unknown` once its lease ends.
 */
export interface InProgressEvent extends EventOf<'in-progress'> {
  /** The number of rows that are left. */
  readonly rows: number
}

/** The last event of a run. */
export interface FinishedEvent extends EventOf<'finished'> {
  /** The result of the run. */
  readonly summary: CampaignSummary
}

/** What a run reports: see `type`. */
export type CampaignEvent = RowEvent | PauseEvent | OutageEvent | InProgressEvent | FinishedEvent

/** The result of a run. */
export interface CampaignSummary {
  /** The number of rows by outcome. */
  readonly counts: Readonly<Record<RowStatus, number>>
  /** The rows that the run did not reach because it was stopped. */
  readonly remaining: number
  /** The number of invites that should have been e-mailed but report that no e-mail was sent. */
  readonly emailsNotSent: number
  /** Why it stopped early: the signal, too many failures, or a failure that every row would share, as in an outage. */
  readonly stopped: 'aborted' | 'failures' | 'error' | undefined
  /** The failure that every row would share. */
  readonly error: CertifyError | undefined
  /** How long the run took, in milliseconds. */
  readonly durationMs: number
}
