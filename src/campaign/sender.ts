import type { AbortSignalLike } from '../clock.ts'
import { type CertifyError, isCertifyError } from '../errors.ts'
import { type CreateInput, createOf } from '../operations.ts'
import { type Create, createOnce, type Created, type Ended, type Sent } from '../ledger/create.ts'
import type { Settlement } from '../ledger/rules/model.ts'
import { alreadyInvited, endedBeforeSending, priorUnknown, responseMismatched } from '../ledger/rules/errors.ts'
import { settlementOf, settlementOfFailure } from '../ledger/rules/outcome.ts'
import type { Outage } from '../transport/breaker-state.ts'
import type { SendOptions } from '../transport/call.ts'
import { afterFailure, type FailedCreate, isLimited, isTurnedAway, type Tries, waitAfter } from './failed-create.ts'
import { atLeast, closedAs, once, oneOf, option, signalOption, wholeNumber, within } from '../validation.ts'
import { Pace } from './pace.ts'
import type { PlanParts } from './plan.ts'
import { probeFirst } from './probe.ts'
import type { Progress } from './progress.ts'
import type { OutageEvent, PlannedRow } from './row.ts'

/** The options of a run. */
export interface RunOptions {
  /** The most requests at the same time, 1 or more. Default: 8. */
  readonly concurrency?: number | undefined
  /** The most requests in a second. Default: no limit. */
  readonly ratePerSecond?: number | undefined
  /** Ends the run after this many refused, failed or unknown rows. Default: never. */
  readonly maxFailures?: number | undefined
  /** Starts no further row. Requests that were sent are awaited and recorded. */
  readonly signal?: AbortSignalLike | undefined
  /** `create` sends rows with an unknown outcome again. Default: `refuse`. */
  readonly ifUnknown?: 'refuse' | 'create' | undefined
  /**
   * How long the service may fail to respond before the run ends, in milliseconds, 0 or more. Meanwhile no create is sent,
   * and a query probes the service. Default: 600,000.
   */
  readonly maxOutageMs?: number | undefined
}

/** The rules of {@link RunOptions}. */
export const runOptions = once(() =>
  closedAs<RunOptions>()({
    concurrency: wholeNumber(1),
    ratePerSecond: option((value) => within(value, Number.MIN_VALUE, Number.MAX_VALUE), 'must be a number above 0'),
    maxFailures: atLeast(1),
    signal: signalOption(),
    ifUnknown: oneOf('refuse', 'create'),
    maxOutageMs: atLeast(0),
  }),
)

/** A planned row that has an input. */
type SendableRow = PlannedRow & { readonly input: CreateInput }

/* How to go on after one attempt to send a row. `in-flight`: another process is sending it. */
type Next = 'again' | 'in-flight' | 'done'

/* The service responds to queries, but not to creates. Each further create would be one more unknown row. */
const MAX_UNSENT = 10
const MAX_LOST = 3

/** Sends the rows of a campaign, each until its outcome is decided, and reports them. */
export class Sender {
  readonly #parts: PlanParts
  readonly #options: RunOptions
  readonly #progress: Progress
  readonly #hooks: Create['hooks']
  readonly #pace: Pace
  readonly #maxOutageMs: number
  #probing: Promise<void> | undefined
  /* The pause until the next probe, and the outage that was reported as waiting. */
  #waiting: Promise<undefined> | undefined
  #reported: Outage | undefined
  readonly #recording = new Set<Promise<unknown>>()
  readonly #inviteIds = new Set<string>()

  constructor(parts: PlanParts, options: RunOptions, progress: Progress) {
    const { client, ledger } = parts.recording
    this.#parts = parts
    this.#options = options
    this.#progress = progress
    this.#maxOutageMs = options.maxOutageMs ?? 600_000
    this.#hooks = {
      /* Nothing more is sent, but what was sent is still recorded. */
      onFailure: (error) => progress.end(error),
      onUnrecorded(error) {
        progress.end(error)
        client.hooks.onUnrecorded?.(error)
      },
      /* Its event says so, too. */
      onRecordedLate: client.hooks.onRecordedLate ?? (() => {}),
    }
    this.#pace = new Pace(ledger.clock, options.ratePerSecond)
  }

  /**
   * Sends a row. Resolves when the next one may be sent; the outcome of this one may not be recorded yet. If another process
   * is sending it, it resolves with `in-flight` at once.
   */
  async send(row: PlannedRow): Promise<'in-flight' | undefined> {
    if (!isSendable(row)) return undefined
    await (this.#probing ??= probeFirst(this.#parts, this.#progress))
    const tries: Tries = { limited: 0, turnedAway: 0, responses: 0 }
    for (;;) {
      const next = this.#progress.stopping.aborted ? 'done' : await this.#sendOnce(row, tries)
      if (next !== 'again') return next === 'done' ? undefined : next
    }
  }

  /** Waits until all creates are recorded. */
  async recorded(): Promise<void> {
    await Promise.all(this.#recording)
  }

  async #sendOnce(row: SendableRow, tries: Tries): Promise<Next> {
    const { stopping } = this.#progress
    const { campaign } = this.#parts.options
    const { client, ledger } = this.#parts.recording
    const { admit, breaker, send: request } = this.#parts.send
    const { input } = row
    const { name: operation } = createOf(input)
    if (!(await this.#pace.waitForTurn(stopping))) return 'done'
    const permit = await admit(operation, stopping).catch((error: unknown) => this.#waitForService(error))
    if (permit === undefined) return 'again'
    let isSent = false
    let failed: FailedCreate | undefined
    let endRequest: ((next: Next) => void) | undefined
    const requested = new Promise<Next>((resolve) => (endRequest = resolve))
    const send = async (sending: SendOptions): Promise<Created> => {
      /* The claim took some time. Meanwhile the run may have stopped or paused. */
      if (stopping.aborted || this.#pace.isPaused()) throw endedBeforeSending(operation, true, sending)
      isSent = true
      try {
        const { reference, mustEndBy } = sending
        const result = await request(createOf(input), input, { reference, mustEndBy, retry: false }, permit)
        this.#checkRepeated(settlementOf(result, ledger.clock.now()), operation, sending)
        this.#reportEnd()
        endRequest?.('done')
        return result
      } catch (error) {
        this.#checkRepeated(settlementOfFailure(error, ledger.clock.now()), operation, sending)
        failed = this.#failed(error, tries)
        if (failed.sendAgain !== true) endRequest?.('done')
        throw error
      }
    }
    /* A row that became unknown after the plan was made was not asked for. */
    const ifUnknown = row.status === 'unknown' ? this.#options.ifUnknown : undefined
    /* The end of the run does not end what was sent, so the lease in the ledger lasts as long as a request may. */
    const options = { deadlineMs: client.limits.timeoutMs, signal: stopping, ifUnknown }
    const about = { campaign, row: row.row }
    const recorded = createOnce(
      this.#parts.recording,
      { operation, input, options, row: about, hooks: this.#hooks },
      send,
    )
      .finally(() => isSent || breaker.release(permit))
      .then((ended) => (ended.kind === 'sent' && !isSent ? 'again' : this.#report(row, ended, failed)))
      .catch((error: unknown) => this.#unsent(error))
      .finally(() => this.#recording.delete(recorded))
    this.#recording.add(recorded)
    return Promise.race([requested, recorded])
  }

  /*
   * Ends the run if another row has one of its invites: a proxy mixes up responses. The ledger says so too, but then another
   * request may have left on the same connection.
   */
  #checkRepeated(settlement: Settlement, operation: string, { reference = '' }: SendOptions): void {
    if (settlement.state !== 'created') return
    const ids = new Set(settlement.invites.map(({ inviteId }) => inviteId))
    if ([...ids].some((id) => this.#inviteIds.has(id))) this.#progress.end(responseMismatched(operation, reference))
    for (const id of ids) this.#inviteIds.add(id)
  }

  /* Before it is recorded: no other create may start in between. */
  #failed(error: unknown, tries: Tries): FailedCreate {
    if (!isCertifyError(error)) {
      this.#progress.end(error)
      return { status: 'unknown' }
    }
    this.#reportEnd()
    this.#count(tries, error)
    const { sendAgain = false, ...failed } = afterFailure(error, tries)
    const { status, waitMs, endsRun = false } = failed
    if (waitMs !== undefined) {
      this.#progress.notify({ type: 'pause', waitMs, error })
      this.#pace.pauseFor(waitMs)
    }
    if (endsRun) this.#progress.end(error)
    if (!sendAgain || this.#progress.stopping.aborted) {
      this.#progress.countFailure(status)
      return failed
    }
    /* The service responds to queries, but this create was turned away: other rows wait, too. */
    const { unsent = 0 } = this.#parts.send.breaker.outage ?? {}
    if (unsent >= MAX_UNSENT) this.#progress.end(error)
    else if (unsent > 0) this.#pace.pauseFor(waitAfter(unsent))
    return { ...failed, sendAgain }
  }

  #count(tries: Tries, error: CertifyError): void {
    const { responses } = this.#parts.send.breaker
    if (isLimited(error)) tries.limited += 1
    if (!isTurnedAway(error) || tries.responses === responses) return
    tries.turnedAway += 1
    tries.responses = responses
  }

  /* Every other row would share the error: it is of the ledger, the account or the list of packages. */
  #unsent(error: unknown): Next {
    if (!isCertifyError(error) || error.code !== 'ABORTED') this.#progress.end(error)
    return 'done'
  }

  #report(row: SendableRow, ended: Ended<Created>, failed: FailedCreate | undefined): Next {
    if (ended.kind === 'sent') return this.#reportSent(row, ended, failed)
    if (ended.kind === 'in-flight') return 'in-flight'
    const now = this.#parts.recording.ledger.clock.now()
    const { name: operation } = createOf(row.input)
    /* `taken`: its own claim, which the ledger acknowledged too late. */
    const records = ended.kind === 'taken' ? [ended.record] : ended.records
    const reference = records[0]?.reference
    if (ended.kind !== 'invited')
      this.#progress.done(row, 'unknown', { records, error: priorUnknown(operation, records, now, reference) })
    else if (ended.missingQuizIds.length > 0)
      this.#progress.done(row, 'partly_invited', { records, missingQuizIds: ended.missingQuizIds })
    else {
      const error = alreadyInvited(operation, records, now, undefined, reference)
      this.#progress.done(row, 'already_invited', { records, error })
    }
    return 'done'
  }

  /* A row is reported only after it is recorded: a report then survives a crash. If recording fails, the report has the error. */
  #reportSent(
    row: SendableRow,
    { reference, settlement, end, ...recorded }: Sent<Created>,
    failed?: FailedCreate,
  ): Next {
    if (failed?.sendAgain === true) return 'again'
    const { unrecorded, mismatch, isLate } = recorded
    if (mismatch !== undefined) {
      this.#progress.end(mismatch)
      this.#progress.countFailure('unknown')
      this.#progress.done(row, 'unknown', { reference, error: mismatch })
      return 'done'
    }
    const { status } = failed ?? ({ status: 'created' } as const)
    const invites = settlement.state === 'created' ? settlement.invites : []
    const failure = 'error' in end && isCertifyError(end.error) ? end.error : undefined
    const error = failure ?? (status === 'created' ? unrecorded : undefined)
    this.#progress.done(row, status, { reference, invites, error, ...(isLate && { late: true }) })
    return 'done'
  }

  /* All workers wait together until the service may be probed again, unless the outage has lasted too long. */
  async #waitForService(error: unknown): Promise<undefined> {
    if (!isCertifyError(error)) throw error
    const { outage } = this.#parts.send.breaker
    if (this.#waiting !== undefined) return this.#waiting
    /* Its creates have less time than the service needs. */
    if (outage === undefined) return (this.#waiting = this.#rest(error.retryAfterMs ?? waitAfter(1)))
    const now = this.#parts.recording.ledger.clock.now()
    const askedMs = error.retryAfterMs ?? waitAfter(outage.failures + 1)
    /* The clock may have been set back. */
    const leftMs = Math.min(outage.openSince, now) + this.#maxOutageMs - now
    const { code, retryAfterMs = 0 } = outage.error
    /* A limit on requests is no outage: its wait may be longer. */
    const isOver = code !== 'RATE_LIMITED' && (leftMs <= 0 || retryAfterMs > leftMs)
    const waitMs = code === 'RATE_LIMITED' ? askedMs : Math.min(askedMs, leftMs)
    const isHopeless = isOver || outage.lost >= MAX_LOST
    if (isHopeless || error.code === 'CONFIG_INVALID') {
      this.#progress.end(isHopeless ? outage.error : error)
      return undefined
    }
    this.#reported = outage
    this.#reportOutage(outage, 'waiting', new Date(now + waitMs).toISOString())
    return (this.#waiting = this.#rest(waitMs))
  }

  async #rest(ms: number): Promise<undefined> {
    await this.#parts.send.breaker.rest(ms, this.#progress.stopping)
    this.#waiting = undefined
  }

  #reportEnd(): void {
    const outage = this.#reported
    if (outage === undefined || outage === this.#parts.send.breaker.outage) return
    this.#reported = undefined
    this.#reportOutage(outage, 'over')
  }

  #reportOutage({ since, unknown, error }: Outage, state: OutageEvent['state'], nextProbeAt?: string): void {
    this.#progress.notify({ type: 'outage', state, since: new Date(since).toISOString(), nextProbeAt, unknown, error })
  }
}

function isSendable(row: PlannedRow): row is SendableRow {
  return row.input !== undefined
}
