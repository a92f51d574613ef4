import type { AbortSignalLike } from '../clock.ts'
import { type CertifyError, isCertifyError } from '../errors.ts'
import { createInvite, createPackageInvite } from '../operations.ts'
import { readCallOptions } from '../options.ts'
import type { Blocking, SendInput, Settlement } from '../ledger/rules/model.ts'
import { alreadyInvited, priorUnknown, responseMismatched } from '../ledger/rules/errors.ts'
import { settlementOf, settlementOfFailure } from '../ledger/rules/outcome.ts'
import { type Claimed, CreateRecorder } from '../ledger/create-recorder.ts'
import type { Outage, Permit } from '../transport/breaker-state.ts'
import { afterFailure, isLimited, isTurnedAway, type Tries, waitAfter } from './failed-send.ts'
import { Pace } from './pace.ts'
import { type PlanParts, targetWith } from './plan.ts'
import { probeFirst } from './probe.ts'
import type { Progress } from './progress.ts'
import type { OutageEvent, PlannedRow, RowStatus } from './row.ts'

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

/* How to go on after one attempt to send a row. `in-flight`: another process is sending it. */
type Next = 'again' | 'in-flight' | 'done'

/* The service responds to queries, but not to creates. Each further create would be one more unknown row. */
const MOST_UNSENT = 10
const MOST_LOST = 3

/** Sends the rows of a campaign, each until its outcome is decided, and reports them. */
export class Sender {
  readonly #parts: PlanParts
  readonly #options: RunOptions
  readonly #progress: Progress
  readonly #recorder: CreateRecorder
  readonly #pace: Pace
  readonly #timeoutMs: number
  readonly #maxOutageMs: number
  #probing: Promise<void> | undefined
  /* The pause until the next probe, and the outage that was reported as waiting. */
  #waiting: Promise<undefined> | undefined
  #reported: Outage | undefined
  readonly #recording = new Set<Promise<void>>()
  readonly #inviteIds = new Set<string>()

  constructor(parts: PlanParts, options: RunOptions, progress: Progress) {
    const { scope, guard } = parts
    const { client } = parts.options
    const { ledger } = guard
    const { clock } = ledger
    const { hooks } = guard.settings
    const { timeoutMs = client.limits.timeoutMs, maxOutageMs = 600_000 } = options
    const end = (error: CertifyError) => progress.end(error)
    readCallOptions('runCampaign', { timeoutMs })
    this.#parts = parts
    this.#options = options
    this.#progress = progress
    this.#timeoutMs = timeoutMs
    this.#maxOutageMs = maxOutageMs
    this.#recorder = new CreateRecorder(guard, scope, {
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
  }

  /**
   * Sends a row. Resolves when the next one may be sent; the outcome of this one may not be recorded yet. If another process
   * is sending it, it resolves with `in-flight` at once.
   */
  async send(row: PlannedRow): Promise<'in-flight' | undefined> {
    if (!isSendable(row)) return undefined
    await (this.#probing ??= probeFirst(this.#parts, this.#progress, this.#timeoutMs))
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
    const { admit, breaker } = this.#parts.send
    if (!(await this.#pace.waitForTurn(stopping))) return 'done'
    const limits = { signal: stopping, timeoutMs: this.#timeoutMs }
    const permit = await admit(operationOf(row.input), limits).catch((error: unknown) => this.#waitForService(error))
    if (permit === undefined) return 'again'
    const claimed = await this.#claim(row).catch((error: unknown) => {
      breaker.release(permit)
      throw error
    })
    /* The claim took some time. Meanwhile the run may have stopped or paused. */
    const mayGo = !stopping.aborted && !this.#pace.isPaused()
    if (typeof claimed !== 'string' && mayGo) return this.#attempt(row, claimed, permit, tries)
    breaker.release(permit)
    if (typeof claimed === 'string') return claimed
    await this.#record(row, claimed, { state: 'not-executed', code: 'ABORTED' })
    return 'again'
  }

  /* All workers wait together until the service may be probed again, unless the outage has lasted too long. */
  async #waitForService(error: unknown): Promise<undefined> {
    if (!isCertifyError(error)) throw error
    const { outage } = this.#parts.send.breaker
    if (this.#waiting !== undefined) return this.#waiting
    /* Its creates have less time than the service needs. */
    if (outage === undefined) return (this.#waiting = this.#rest(error.retryAfterMs ?? waitAfter(1)))
    const now = this.#parts.guard.ledger.clock.now()
    const askedMs = error.retryAfterMs ?? waitAfter(outage.failures + 1)
    /* The clock may have been set back. */
    const leftMs = Math.min(outage.openSince, now) + this.#maxOutageMs - now
    const { code, retryAfterMs = 0 } = outage.error
    /* A limit on requests is no outage: its wait may be longer. */
    const isOver = code !== 'RATE_LIMITED' && (leftMs <= 0 || retryAfterMs > leftMs)
    const waitMs = code === 'RATE_LIMITED' ? askedMs : Math.min(askedMs, leftMs)
    const isHopeless = isOver || outage.lost >= MOST_LOST
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

  /* Returns the claim, or why there is none: the row is done, or in flight elsewhere. */
  async #claim(row: SendableRow): Promise<Claimed | Next> {
    const { options, guard, skills } = this.#parts
    const { input, status } = row
    const target = await targetWith(input, skills)
    /* A row that became unknown after the plan was made was not asked for. */
    const unknown = status === 'unknown' && this.#options.ifUnknown === 'create'
    const although = { clockSkew: guard.settings.allowClockSkew, unknown }
    const about = { campaign: options.campaign, row: row.row }
    const claim = { input, target, deadlineMs: this.#timeoutMs, although, ...about }
    try {
      const decision = await this.#recorder.claim(claim, this.#progress.stopping)
      if (decision.kind === 'send') return decision
      if (decision.kind === 'in-flight') return 'in-flight'
      /* `taken`: its own claim, which the ledger acknowledged too late. */
      const isOwn = decision.kind === 'taken'
      this.#reportBlocked(row, isOwn ? { kind: 'unknown', records: [decision.record], missingQuizIds: [] } : decision)
    } catch (error) {
      if (error === this.#progress.stopping.reason) return 'done'
      if (!isCertifyError(error)) throw error
      if (error.code === 'LEDGER_UNUSABLE' || error.code === 'CLOCK_SKEW') this.#progress.end(error)
      else {
        this.#progress.countFailure('failed')
        this.#progress.done(row, 'failed', { error })
      }
    }
    return 'done'
  }

  #reportBlocked(row: SendableRow, { kind, records, missingQuizIds }: Blocking): void {
    const now = this.#parts.guard.ledger.clock.now()
    const operation = operationOf(row.input)
    if (kind === 'unknown') {
      this.#progress.done(row, 'unknown', {
        records,
        error: priorUnknown(operation, records, now, records[0]?.reference),
      })
    } else if (missingQuizIds.length > 0) this.#progress.done(row, 'partly_invited', { records, missingQuizIds })
    else
      this.#progress.done(row, 'already_invited', {
        records,
        error: alreadyInvited(operation, records, now, undefined, records[0]?.reference),
      })
  }

  async #attempt(row: SendableRow, claimed: Claimed, permit: Permit, tries: Tries): Promise<Next> {
    const { input } = row
    const { reference, mustEndBy } = claimed
    const { guard } = this.#parts
    const { send } = this.#parts.send
    const { clock } = guard.ledger
    /* With a time limit, because the lease in the ledger uses it. */
    const call = { reference, mustEndBy, retry: false as const, timeoutMs: this.#timeoutMs }
    try {
      const result = await ('packageId' in input
        ? send(createPackageInvite, input, call, permit)
        : send(createInvite, input, call, permit))
      void this.#record(row, claimed, settlementOf(result, clock.now()), 'created')
      this.#reportEnd()
      return 'done'
    } catch (error) {
      const settlement = settlementOfFailure(error, clock.now())
      if (!isCertifyError(error)) {
        void this.#record(row, claimed, settlement, 'unknown')
        throw error
      }
      this.#reportEnd()
      this.#count(tries, error)
      const { status, waitMs, sendAgain = false, endsRun = false } = afterFailure(error, tries)
      if (waitMs !== undefined) {
        this.#progress.notify({ type: 'pause', waitMs, error })
        this.#pace.pauseFor(waitMs)
      }
      if (endsRun) this.#progress.end(error)
      if (sendAgain && !this.#progress.stopping.aborted) {
        /* The service responds to queries, but this create was turned away: other rows wait, too. */
        const { unsent = 0 } = this.#parts.send.breaker.outage ?? {}
        if (unsent >= MOST_UNSENT) this.#progress.end(error)
        else if (unsent > 0) this.#pace.pauseFor(waitAfter(unsent))
        await this.#record(row, claimed, settlement)
        return 'again'
      }
      this.#progress.countFailure(status)
      void this.#record(row, claimed, settlement, status, error)
      return 'done'
    }
  }

  #count(tries: Tries, error: CertifyError): void {
    const { responses } = this.#parts.send.breaker
    if (isLimited(error)) tries.limited += 1
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
