import { type CertifyError, isCertifyError } from '../index.ts'
import type { LedgerEntry, SendInput, Settlement } from '../ledger/rules/entry.ts'
import { alreadyInvited, priorUnknown } from '../ledger/rules/errors.ts'
import { settlementOf, settlementOfFailure } from '../ledger/rules/outcome.ts'
import { type Claimed, type Created, type Decision, SendRecorder } from '../ledger/send-recorder.ts'
import type { SendOptions } from '../call-options.ts'
import { readCallOptions } from '../options.ts'
import { CircuitBreaker } from './breaker.ts'
import { afterFailure, isTurnedAway, type Tries, type Verdict } from './failed-send.ts'
import { missingQuizzes } from './overlap.ts'
import { Pace } from './pace.ts'
import { type PlanParts, targetWith } from './plan.ts'
import { Probe } from './probe.ts'
import type { Found, Progress } from './progress.ts'
import type { PlannedRow, RowStatus } from './row.ts'
import type { RunOptions } from './run-options.ts'

/** A planned row that has an input. */
type SendableRow = PlannedRow & { readonly input: SendInput }

/* What became of one attempt to send a row. */
interface Attempted {
  readonly verdict: Verdict
  readonly sendAgain?: boolean
  /** Another process is sending it. */
  readonly isInFlight?: boolean
  readonly error?: CertifyError
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

  /** @param concurrency the most creates on their way */
  constructor(parts: PlanParts, options: RunOptions, progress: Progress, concurrency: number) {
    const { ledger, scope, guard } = parts
    const { client } = parts.options
    const { maxOutageMs = 600_000, maxWaitMs = Number.POSITIVE_INFINITY } = options
    const { allowClockSkew, hooks } = guard.settings
    const { stopping } = progress
    const end = (error: CertifyError) => progress.end(error)
    this.#parts = parts
    this.#options = options
    this.#progress = progress
    this.#timeoutMs = options.timeoutMs ?? client.limits.timeoutMs
    readCallOptions('runCampaign', { timeoutMs: this.#timeoutMs })
    this.#recorder = new SendRecorder(ledger, scope, {
      onUnrecorded(error) {
        hooks.onUnrecorded?.(error)
        end(error)
      },
      /* Its event says so, too. */
      onRecordedLate: hooks.onRecordedLate ?? (() => {}),
    })
    this.#pace = new Pace(ledger.clock, options.ratePerSecond)
    const isMock = scope.world !== ''
    const probe = new Probe({ client, ledger, timeoutMs: this.#timeoutMs, allowClockSkew, isMock, stopping, end })
    this.#breaker = new CircuitBreaker({
      clock: ledger.clock,
      concurrency,
      maxOutageMs,
      maxWaitMs,
      first: client.limits,
      probe: () => probe.send(),
      notify: (event) => progress.notify(event),
      end,
      stopping,
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
        attempted = await this.#sendOnce(row, tries)
      } finally {
        this.#breaker.leave(permit, attempted.verdict, attempted.error)
      }
      if (attempted.sendAgain !== true) return attempted.isInFlight === true ? 'in-flight' : undefined
    }
  }

  /** Waits until all sends are recorded. */
  async recorded(): Promise<void> {
    await Promise.all(this.#recording)
  }

  async #sendOnce(row: SendableRow, tries: Tries): Promise<Attempted> {
    const { stopping } = this.#progress
    if (!(await this.#pace.waitForTurn(stopping))) return UNSENT
    const claimed = await this.#claim(row)
    if ('verdict' in claimed) return claimed
    /* The claim took some time. Meanwhile the run may have stopped, or paused. */
    const { aborted } = stopping
    if (!aborted && !this.#pace.isPaused()) return this.#attempt(row, claimed, tries)
    await this.#record(row, claimed.reference, { state: 'not-executed', code: 'ABORTED' })
    return { ...UNSENT, sendAgain: !aborted }
  }

  /* Returns the claim, or why there is none: the row is done, or in flight elsewhere. */
  async #claim({ row, input, status, ...planned }: SendableRow): Promise<Claimed | Attempted> {
    const { options, guard, ledger, scope, skills } = this.#parts
    const { campaign } = options
    const operation = operationOf(input)
    const target = await targetWith(input, skills)
    /* A row that became unknown after the plan was made was not asked for. */
    const sendsUnknown = status === 'unknown' && this.#options.ifUnknown === 'create'
    const although = { clockSkew: guard.settings.allowClockSkew, unknown: sendsUnknown }
    const done = (is: RowStatus, found: Found) => this.#progress.done({ row, input, status, ...planned }, is, found)
    let value: Decision
    try {
      value = await this.#recorder.tryClaim({ input, target, deadlineMs: this.#timeoutMs, although, campaign, row })
    } catch (error) {
      if (!isCertifyError(error)) throw error
      if (error.code === 'LEDGER_UNUSABLE' || error.code === 'CLOCK_SKEW') this.#progress.end(error)
      else {
        this.#progress.countFailure('failed')
        done('failed', { error })
      }
      return UNSENT
    }
    if (value.kind === 'send') return value
    if (value.kind === 'in-flight') return { ...UNSENT, isInFlight: true }
    const { kind, entries = [] } = value
    const now = ledger.clock.now()
    if (kind === 'unknown') done('unknown', { entries, error: unknownError(input, entries, now) })
    else {
      const missingQuizIds = (await missingQuizzes(ledger, scope, [target])).get(target) ?? []
      if (missingQuizIds.length > 0) done('partly_invited', { entries, missingQuizIds })
      else done('already_invited', { entries, error: alreadyInvited(operation, entries, now) })
    }
    return UNSENT
  }

  async #attempt(row: SendableRow, { reference, mustEndBy }: Claimed, tries: Tries): Promise<Attempted> {
    const { clock } = this.#parts.ledger
    try {
      const call = { reference, mustEndBy, retry: false as const, timeoutMs: this.#timeoutMs }
      const result = await this.#create(row.input, call)
      void this.#record(row, reference, settlementOf(result, clock.now()), 'created')
      return { verdict: 'conclusive' }
    } catch (error) {
      const settlement = settlementOfFailure(error, clock.now())
      if (!isCertifyError(error)) {
        void this.#record(row, reference, settlement, 'unknown')
        throw error
      }
      this.#count(tries, error)
      const { status, verdict, waitMs, sendAgain = false, endsRun = false } = afterFailure(error, tries)
      if (waitMs !== undefined) this.#pause(waitMs, error)
      if (endsRun) this.#progress.end(error)
      if (sendAgain && !this.#progress.stopping.aborted) {
        await this.#record(row, reference, settlement)
        return { verdict, sendAgain, error }
      }
      this.#progress.countFailure(status)
      void this.#record(row, reference, settlement, status, { error })
      return { verdict, error }
    }
  }

  /* With a time limit, because the lease in the ledger uses it. */
  #create(input: SendInput, call: SendOptions): Promise<Created> {
    const { sendInvite, sendPackageInvite } = this.#parts.send
    return 'packageId' in input ? sendPackageInvite(input, call) : sendInvite(input, call)
  }

  #count(tries: Tries, error: CertifyError): void {
    const { responses } = this.#breaker
    if (error.code === 'RATE_LIMITED' || error.apiCode === 'RATE_LIMITED') tries.limited += 1
    if (!isTurnedAway(error) || tries.responses === responses) return
    tries.turnedAway += 1
    tries.responses = responses
  }

  #pause(waitMs: number, error: CertifyError): void {
    const { maxWaitMs = Number.POSITIVE_INFINITY } = this.#options
    if ((error.retryAfterMs ?? 0) > maxWaitMs) {
      this.#progress.end(error)
      return
    }
    this.#progress.notify({ type: 'pause', waitMs, error })
    this.#pace.pauseFor(waitMs)
  }

  /*
   * A row is reported only after it is recorded: a report then survives a crash. If recording fails, the report has the
   * error.
   */
  #record(
    row: SendableRow,
    reference: string,
    settlement: Settlement,
    status?: RowStatus,
    found: Found = {},
  ): Promise<void> {
    const recording = this.#recordAndReport(row, reference, settlement, status, found)
      .catch((error: unknown) => this.#progress.end(error))
      .finally(() => this.#recording.delete(recording))
    this.#recording.add(recording)
    return recording
  }

  async #recordAndReport(
    row: SendableRow,
    reference: string,
    settlement: Settlement,
    status: RowStatus | undefined,
    found: Found,
  ): Promise<void> {
    const recorded = await this.#recorder.recordOutcome(operationOf(row.input), reference, settlement)
    const { unrecorded, mismatch, isLate } = recorded
    if (status === undefined) return
    if (mismatch !== undefined) {
      this.#progress.end(mismatch)
      this.#progress.countFailure('unknown')
      this.#progress.done(row, 'unknown', { reference, error: mismatch })
      return
    }
    const invites = settlement.state === 'created' ? settlement.invites : []
    const error = status === 'created' ? unrecorded : found.error
    const facts = { reference, invites, ...found, ...(error && { error }), ...(isLate && { late: true as const }) }
    this.#progress.done(row, status, facts)
  }
}

function isSendable(row: PlannedRow): row is SendableRow {
  return row.input !== undefined
}

/* The name of the operation that sends an input. */
function operationOf(input: SendInput): string {
  return 'packageId' in input ? 'packageInvites.create' : 'invites.create'
}

/** The error of an input that is unknown in the ledger. */
export function unknownError(input: SendInput | undefined, entries: readonly LedgerEntry[], now: number) {
  return input === undefined || entries.length === 0 ? undefined : priorUnknown(operationOf(input), entries, now)
}
