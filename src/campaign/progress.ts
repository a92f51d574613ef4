import { setMaxListeners } from 'node:events'
import { type CertifyError, isCertifyError } from '../index.ts'
import type { EntryDetail } from '../ledger/rules/entry.ts'
import { EventQueue } from './event-queue.ts'
import type { CampaignEvent, CampaignSummary, PlannedRow, PlannedStatus, RowEvent, RowStatus } from './row.ts'

/** What is known of a row that is done. With entries, the ledger had them already and nothing was sent. */
export type Found = Partial<Pick<RowEvent, 'reference' | 'invites' | 'error'>> & {
  readonly entries?: readonly EntryDetail['invites'][]
}

/** How far a run is: what it has come to, what it tells, and whether it goes on. */
export class Progress {
  readonly events: EventQueue<CampaignEvent>
  readonly #maxFailures: number
  readonly #stopping = new AbortController()
  readonly #counts: Record<RowStatus, number> = {
    created: 0,
    already_invited: 0,
    duplicate: 0,
    rejected: 0,
    refused: 0,
    failed: 0,
    unknown: 0,
  }
  #failures = 0
  #emailsNotSent = 0
  #stopped: CampaignSummary['stopped']
  #error: CertifyError | undefined
  #thrown: { readonly error: unknown } | undefined

  /** @param mostUnread how many events may wait for their reader before the workers wait for it */
  constructor(mostUnread: number, maxFailures: number = Number.POSITIVE_INFINITY) {
    this.events = new EventQueue(mostUnread)
    this.#maxFailures = maxFailures
    /* As many as wait at once: no leak that the process has to be warned of. */
    setMaxListeners(0, this.#stopping.signal)
  }

  /** Aborted when no further row is to be begun. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  stop(why: NonNullable<CampaignSummary['stopped']>): void {
    this.#stopped ??= why
    this.#stopping.abort()
  }

  /** Ends the run for a failure that every row would share, or for a mistake of somebody's code. */
  end(error: unknown): void {
    if (isCertifyError(error)) this.#error ??= error
    else this.#thrown ??= { error }
    this.stop('error')
  }

  /** Counts what a send came to, before it is on record: no other may be begun meanwhile. */
  sent(status: RowStatus): void {
    if (!FAILURES.has(status)) return
    this.#failures += 1
    if (this.#failures >= this.#maxFailures) this.stop('failures')
  }

  /** A row is done. */
  done(row: PlannedRow, status: RowStatus, { entries = [], ...known }: Found): void {
    const event: RowEvent = {
      reference: entries.at(-1)?.reference,
      error: undefined,
      invites: entries.flatMap((entry) => entry.invites),
      ...row,
      ...known,
      type: 'row',
      status,
    }
    this.#counts[status] += 1
    if (status === 'created' && row.input?.sendInviteEmail !== false) {
      this.#emailsNotSent += event.invites.filter(({ emailSent }) => emailSent === false).length
    }
    this.events.push(event)
  }

  /** @throws whatever a mistake of somebody's code threw */
  summary(planned: Readonly<Record<PlannedStatus, number>>, durationMs: number): CampaignSummary {
    if (this.#thrown !== undefined) throw this.#thrown.error
    const remaining = sum(planned) - sum(this.#counts)
    return {
      counts: { ...this.#counts },
      remaining,
      emailsNotSent: this.#emailsNotSent,
      stopped: remaining === 0 ? undefined : this.#stopped,
      error: this.#error,
      durationMs,
    }
  }
}

const FAILURES: ReadonlySet<RowStatus> = new Set(['refused', 'failed', 'unknown'])

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}
