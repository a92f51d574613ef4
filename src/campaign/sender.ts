import type { AbortSignalLike } from '../clock.ts'
import { type CertifyError, isCertifyError } from '../errors.ts'
import { createInvite, createPackageInvite } from '../operations.ts'
import { readCallOptions } from '../options.ts'
import type { Blocking, SendInput, Settlement } from '../ledger/rules/entry.ts'
import { alreadyInvited, priorUnknown, responseMismatched } from '../ledger/rules/errors.ts'
import { settlementOf, settlementOfFailure } from '../ledger/rules/outcome.ts'
import { type Claimed, SendRecorder } from '../ledger/send-recorder.ts'
import { CircuitBreaker, type Permit } from './breaker.ts'
import { afterFailure, isTurnedAway, type Tries, type Verdict } from './failed-send.ts'
import { Pace } from './pace.ts'
import { type PlanParts, targetWith } from './plan.ts'
import { probe } from './probe.ts'
import type { Progress } from './progress.ts'
import type { PlannedRow, RowStatus } from './row.ts'

/** The options of a run. */
export interface RunOptions {
  /**
   * The most requests at the same time, 1 or more. Default: 8. Meanwhile up to a quarter as many of the next rows are recorded:
   * no request waits for the disk, but after a kill they count as sent.
   */
  readonly concurrency?: number | undefined
  /** The most requests in a second. Default: no limit. */
  readonly ratePerSecond?: number | undefined
  /** Ends the run after this many refused, failed or unknown rows. Default: never. */
  readonly maxFailures?: number | undefined
  /** Starts no further row. Requests that were sent are awaited and recorded. */
  readonly signal?: AbortSignalLike | undefined
  /** `create` sends rows with an unknown outcome again. Default: `refuse`. */
  readonly ifUnknown?: 'refuse' | 'create' | undefined
  /** The limit for one create, in milliseconds. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined
  /**
   * How long the service may fail to respond before the run ends, in milliseconds, 0 or more. Meanwhile no create is sent,
   * and a query probes the service. Default: 600,000.
   */
  readonly maxOutageMs?: number | undefined
}

/** A planned row that has an input. */
type SendableRow = PlannedRow & { readonly input: SendInput }

/* What one attempt to send a row says, and how to go on. */
interface Attempted {
  readonly verdict: Verdict
  readonly error?: CertifyError
  /** `again`: send the row again. `in-flight`: another process is sending it. Absent: the row is done. */
  readonly next?: 'again' | 'in-flight' | undefined
}

const UNSENT: Attempted = { verdict: 'neither' }

/** Sends the rows of a campaign, each until its outcome is decided, and reports them. */
export class Sender {
  readonly #parts: PlanParts
  readonly #options: RunOptions
  readonly #progress: Progress
  readonly #recorder: SendRecorder
  readonly #pace: Pace
  readonly #breaker: CircuitBreaker
  readonly #timeoutMs: number
  readonly #recording = new Set<Promise<void>>()
  readonly #inviteIds = new Set<string>()

  /** @param concurrency the most creates on their way */
  constructor(parts: PlanParts, options: RunOptions, progress: Progress, concurrency: number) {
    const { scope, guard } = parts
    const { client } = parts.options
    const { ledger } = guard
    const { clock } = ledger
    const { allowClockSkew, hooks } = guard.settings
    const { timeoutMs = client.limits.timeoutMs, maxOutageMs = 600_000 } = options
    const { stopping } = progress
    const end = (error: CertifyError) => progress.end(error)
    readCallOptions('runCampaign', { timeoutMs })
    this.#parts = parts
    this.#options = options
    this.#progress = progress
    this.#timeoutMs = timeoutMs
    this.#recorder = new SendRecorder(guard, scope, {
      /* Nothing more is sent, but what was sent is still recorded. */
      onFailure: end,
      onUnrecorded(error) {
        end(error)
        hooks.onUnrecorded?.(error)
      },
      /* Its event says so, too. */
      onRecordedLate: hooks.onRecordedLate ?? (() => {}),
    })
    this.#pace = new Pace(clock, options.ratePerSecond)
    this.#breaker = new CircuitBreaker({
      clock,
      concurrency,
      maxOutageMs,
      stopping,
      end,
      first: client.limits,
      /* The clocks are compared once, at the first response. */
      probe: () => {
        const isCompared = allowClockSkew || this.#breaker.responses > 0
        return probe({ client, guard, timeoutMs, allowClockSkew: isCompared, signal: stopping })
      },
      notify: (event) => progress.notify(event),
    })
  }

  /**
   * Sends a row. Resolves when the next one may be sent; the outcome of this one may not be recorded yet. If another process
   * is sending it, it resolves with `in-flight` at once.
   */
  async send(row: PlannedRow): Promise<'in-flight' | undefined> {
    if (!isSendable(row)) return undefined
    const tries: Tries = { limited: 0, turnedAway: 0, responses: 0 }
    for (;;) {
      const permit = await this.#breaker.enter()
      if (permit === undefined) return undefined
      let attempted = UNSENT
      try {
        attempted = await this.#sendOnce(row, tries, permit)
      } finally {
        this.#breaker.leave(permit, attempted.verdict, attempted.error)
      }
      if (attempted.next !== 'again') return attempted.next
    }
  }

  /** Waits until all sends are recorded. */
  async recorded(): Promise<void> {
    await Promise.all(this.#recording)
  }

  async #sendOnce(row: SendableRow, tries: Tries, permit: Permit): Promise<Attempted> {
    const { stopping } = this.#progress
    if (!(await this.#pace.waitForTurn(stopping))) return UNSENT
    const claimed = await this.#claim(row)
    if ('verdict' in claimed) return claimed
    /* The claim and this wait took some time. Meanwhile the run may have stopped or paused, or the breaker has opened. */
    if ((await this.#breaker.send(permit)) && !this.#pace.isPaused()) return this.#attempt(row, claimed, tries)
    await this.#record(row, claimed, { state: 'not-executed', code: 'ABORTED' })
    return { ...UNSENT, next: 'again' }
  }

  /* Returns the claim, or why there is none: the row is done, or in flight elsewhere. */
  async #claim(row: SendableRow): Promise<Claimed | Attempted> {
    const { options, guard, skills } = this.#parts
    const { input, status } = row
    const target = await targetWith(input, skills)
    /* A row that became unknown after the plan was made was not asked for. */
    const unknown = status === 'unknown' && this.#options.ifUnknown === 'create'
    const although = { clockSkew: guard.settings.allowClockSkew, unknown }
    const about = { ...skills.listed(input), campaign: options.campaign, row: row.row }
    const claim = { input, target, deadlineMs: this.#timeoutMs, although, ...about }
    try {
      const decision = await this.#recorder.claim(claim, this.#progress.stopping)
      if (decision.kind === 'send') return decision
      if (decision.kind === 'in-flight') return { ...UNSENT, next: 'in-flight' }
      /* `taken`: its own claim, which the ledger acknowledged too late. */
      const isOwn = decision.kind === 'taken'
      this.#reportBlocked(row, isOwn ? { kind: 'unknown', entries: [decision.entry], missingQuizIds: [] } : decision)
    } catch (error) {
      if (error === this.#progress.stopping.reason) return UNSENT
      if (!isCertifyError(error)) throw error
      if (error.code === 'LEDGER_UNUSABLE' || error.code === 'CLOCK_SKEW') this.#progress.end(error)
      else {
        this.#progress.countFailure('failed')
        this.#progress.done(row, 'failed', { error })
      }
    }
    return UNSENT
  }

  #reportBlocked(row: SendableRow, { kind, entries, missingQuizIds }: Blocking): void {
    const now = this.#parts.guard.ledger.clock.now()
    const operation = operationOf(row.input)
    if (kind === 'unknown') {
      this.#progress.done(row, 'unknown', { entries, error: priorUnknown(operation, entries, now) })
    } else if (missingQuizIds.length > 0) this.#progress.done(row, 'partly_invited', { entries, missingQuizIds })
    else this.#progress.done(row, 'already_invited', { entries, error: alreadyInvited(operation, entries, now) })
  }

  async #attempt(row: SendableRow, claimed: Claimed, tries: Tries): Promise<Attempted> {
    const { input } = row
    const { reference, mustEndBy } = claimed
    const { guard } = this.#parts
    const { send } = this.#parts.send
    const { clock } = guard.ledger
    /* With a time limit, because the lease in the ledger uses it. */
    const call = { reference, mustEndBy, retry: false as const, timeoutMs: this.#timeoutMs }
    try {
      const result = await ('packageId' in input
        ? send(createPackageInvite, input, call)
        : send(createInvite, input, call))
      void this.#record(row, claimed, settlementOf(result, clock.now()), 'created')
      return { verdict: 'conclusive' }
    } catch (error) {
      const settlement = settlementOfFailure(error, clock.now())
      if (!isCertifyError(error)) {
        void this.#record(row, claimed, settlement, 'unknown')
        throw error
      }
      this.#count(tries, error)
      const { status, verdict, waitMs, sendAgain = false, endsRun = false } = afterFailure(error, tries)
      if (waitMs !== undefined) {
        this.#progress.notify({ type: 'pause', waitMs, error })
        this.#pace.pauseFor(waitMs)
      }
      if (endsRun) this.#progress.end(error)
      if (sendAgain && !this.#progress.stopping.aborted) {
        await this.#record(row, claimed, settlement)
        return { verdict, error, next: 'again' }
      }
      this.#progress.countFailure(status)
      void this.#record(row, claimed, settlement, status, error)
      return { verdict, error }
    }
  }

  #count(tries: Tries, error: CertifyError): void {
    const { responses } = this.#breaker
    if (error.code === 'RATE_LIMITED' || error.apiCode === 'RATE_LIMITED') tries.limited += 1
    if (!isTurnedAway(error) || tries.responses === responses) return
    tries.turnedAway += 1
    tries.responses = responses
  }

  /*
   * A row is reported only after it is recorded: a report then survives a crash. If recording fails, the report has the
   * error.
   */
  #record(row: SendableRow, claimed: Claimed, settlement: Settlement, status?: RowStatus, error?: CertifyError) {
    this.#parts.skills.learn(row.input, settlement)
    if (this.#isRepeated(settlement)) this.#progress.end(responseMismatched(operationOf(row.input), claimed.reference))
    const recording = this.#recordAndReport(row, claimed, settlement, status, error)
      .catch((thrown: unknown) => this.#progress.end(thrown))
      .finally(() => this.#recording.delete(recording))
    this.#recording.add(recording)
    return recording
  }

  /*
   * Whether another row has one of its invites: a proxy mixes up responses. The ledger says so too, but then another request may
   * have left on the same connection.
   */
  #isRepeated(settlement: Settlement): boolean {
    if (settlement.state !== 'created') return false
    const ids = new Set(settlement.invites.map(({ inviteId }) => inviteId))
    const isRepeated = [...ids].some((id) => this.#inviteIds.has(id))
    for (const id of ids) this.#inviteIds.add(id)
    return isRepeated
  }

  async #recordAndReport(
    row: SendableRow,
    claimed: Claimed,
    settlement: Settlement,
    status: RowStatus | undefined,
    failure: CertifyError | undefined,
  ): Promise<void> {
    const { reference } = claimed
    const { unrecorded, mismatch, isLate } = await this.#recorder.recordOutcome(
      operationOf(row.input),
      claimed,
      settlement,
    )
    if (status === undefined) return
    if (mismatch !== undefined) {
      this.#progress.end(mismatch)
      this.#progress.countFailure('unknown')
      this.#progress.done(row, 'unknown', { reference, error: mismatch })
      return
    }
    const invites = settlement.state === 'created' ? settlement.invites : []
    const error = failure ?? (status === 'created' ? unrecorded : undefined)
    this.#progress.done(row, status, { reference, invites, error, ...(isLate && { late: true }) })
  }
}

function isSendable(row: PlannedRow): row is SendableRow {
  return row.input !== undefined
}

/** The name of the operation that sends an input. */
export function operationOf(input: SendInput): string {
  return 'packageId' in input ? 'packageInvites.create' : 'invites.create'
}
