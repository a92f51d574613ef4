import type { CertifyError } from '../index.ts'
import type { OutageEvent, PauseEvent } from '../campaign/row.ts'
import type { RunOptions } from '../campaign/run-options.ts'
import type { WishState } from '../ledger/postgres/wish.ts'
import type { WithLedgerOptions } from '../ledger/with-ledger.ts'

/** The options of a worker. */
export interface WorkerOptions
  extends Pick<WithLedgerOptions, 'account' | 'world'>,
    Pick<
      RunOptions,
      'concurrency' | 'ratePerSecond' | 'maxOutageMs' | 'maxWaitMs' | 'timeoutMs' | 'allowClockSkew' | 'signal'
    > {
  /**
   * Ends the worker when no wish is due, is with a worker, or waits for another try. Default: false, it waits for new
   * ones.
   */
  readonly drain?: boolean | undefined
  /** Called for each event. Events have no candidate, no input and no links, so they may be logged. */
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined
}

/** A wish has ended, or waits for another try. */
export interface WishEvent {
  readonly type: 'wish'
  readonly reference: string
  /** `waiting`: nothing was created, and it is tried again after `dueInMs`. */
  readonly state: Exclude<WishState, 'sending' | 'cancelled'>
  readonly quizId: string | undefined
  readonly packageId: string | undefined
  readonly campaign: string | undefined
  /** The reference of the entry in the ledger that decided it. */
  readonly entry: string | undefined
  /** What it created; with `already_invited` the open invites. Their links are in the entry. */
  readonly invites: readonly { readonly inviteId: string; readonly expiresAt: string }[]
  /** In milliseconds; set if it is `waiting`. */
  readonly dueInMs: number | undefined
  readonly error: CertifyError | undefined
}

/** `pause` and `outage` are as in a campaign. */
export type WorkerEvent = WishEvent | PauseEvent | OutageEvent

/** What a worker did. */
export interface WorkerSummary {
  /** The wishes that ended, by state. */
  readonly counts: Readonly<Record<Exclude<WishEvent['state'], 'waiting'>, number>>
  /** Why it ended: its signal, or with `drain` because nothing was waiting. */
  readonly stopped: 'aborted' | 'drained'
  readonly durationMs: number
}
