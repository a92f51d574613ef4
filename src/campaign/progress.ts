import { type CertifyError, isCertifyError } from '../errors.ts'
import type { LedgerRecord } from '../ledger/rules/model.ts'
import type { CampaignEvent, CampaignSummary, PlannedRow, PlannedStatus, RowEvent, RowStatus } from './row.ts'

/** The facts of a finished row. `records` come from the ledger: nothing was sent. */
export type Found = Partial<Pick<RowEvent, 'reference' | 'invites' | 'error' | 'late' | 'missingQuizIds'>> & {
  readonly records?: readonly LedgerRecord[]
}

/** The state of a run: its counts, its events, and whether it goes on. */
export class Progress {
  readonly #maxFailures: number
  readonly #mostUnread: number
  readonly #stopping = new AbortController()
  readonly #counts: Record<RowStatus, number> = {
    created: 0,
    already_invited: 0,
    expired: 0,
    partly_invited: 0,
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
  #unread: CampaignEvent[] = []
  #hasEnded = false
  #waiting: (() => void)[] = []

  /** @param mostUnread how many events may be unread before the workers wait */
  constructor(mostUnread: number, maxFailures: number = Number.POSITIVE_INFINITY) {
    this.#mostUnread = mostUnread
    this.#maxFailures = maxFailures
  }

  notify(event: CampaignEvent): void {
    this.#unread.push(event)
    this.#wake()
  }

  /** Resolves when few enough events are unread. */
  async waitForReader(): Promise<void> {
    while (this.#unread.length >= this.#mostUnread && !this.#hasEnded) await this.#change()
  }

  /** The events, for one reader, until {@link endEvents}. */
  async *events(): AsyncGenerator<CampaignEvent, void, undefined> {
    for (;;) {
      const batch = this.#unread.splice(0)
      this.#wake()
      yield* batch
      if (this.#unread.length > 0) continue
      if (this.#hasEnded) return
      await this.#change()
    }
  }

  endEvents(): void {
    this.#hasEnded = true
    this.#wake()
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }

  /** Aborted when no further row may start. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  stop(why: NonNullable<CampaignSummary['stopped']>): void {
    this.#stopped ??= why
    this.#stopping.abort()
  }

  /** Ends the run for a failure that every row would share, or for a bug. */
  end(error: unknown): void {
    if (isCertifyError(error)) this.#error ??= error
    else this.#thrown ??= { error }
    this.stop('error')
  }

  /** Counts the outcome of a create before it is recorded: no other create may start in between. */
  countFailure(status: RowStatus): void {
    if (!FAILURES.has(status)) return
    this.#failures += 1
    if (this.#failures >= this.#maxFailures) this.stop('failures')
  }

  /** Reports a finished row. */
  done(row: PlannedRow, status: RowStatus, { records = [], ...known }: Found = {}): void {
    const event: RowEvent = {
      reference: records.at(-1)?.reference,
      error: undefined,
      invites: records.flatMap((record) => record.invites),
      ...row,
      ...known,
      type: 'row',
      status,
    }
    this.#counts[status] += 1
    /* Invites that do not come from the ledger were created by this run. */
    if (known.invites !== undefined && row.input?.sendInviteEmail !== false) {
      this.#emailsNotSent += event.invites.filter(({ emailSent }) => emailSent === false).length
    }
    this.notify(event)
  }

  /** @throws the error of a bug, if there was one */
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
