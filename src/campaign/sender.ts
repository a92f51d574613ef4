import { CertifyError, isCertifyError, settle } from '../index.ts'
import type { SendInput, Settlement, Target } from '../ledger/rules/entry.ts'
import { alreadyInvited } from '../ledger/rules/errors.ts'
import { settlementOf, settlementOfFailure } from '../ledger/rules/outcome.ts'
import { SendRecorder } from '../ledger/send-recorder.ts'
import { readCallOptions } from '../options.ts'
import { createFor, operationOf, type Send, type SendResult, UNSENT, unknownError } from './create.ts'
import { afterFailure, isTurnedAway, type Tries } from './failed-send.ts'
import { OutageGate } from './outage.ts'
import { missingQuizzes, type QuizResult, resultOf, singleInput } from './overlap.ts'
import { Pace } from './pace.ts'
import { type PlanParts, targetFor } from './plan.ts'
import { Probe } from './probe.ts'
import type { Found, Progress } from './progress.ts'
import type { PlannedRow, RowStatus } from './row.ts'
import type { RunOptions } from './run-options.ts'

/** Sends rows, each until its outcome is decided. */
export class Sender {
  readonly #parts: PlanParts
  readonly #options: RunOptions
  readonly #progress: Progress
  readonly #recorder: SendRecorder
  readonly #pace: Pace
  readonly #timeoutMs: number
  readonly #gate: OutageGate
  readonly #isShared: boolean
  readonly #recording = new Set<Promise<void>>()

  /** @param concurrency the most creates on their way */
  constructor(parts: PlanParts, options: RunOptions, progress: Progress, concurrency: number) {
    this.#parts = parts
    this.#options = options
    this.#progress = progress
    this.#recorder = new SendRecorder(parts.options.ledger, parts.scope, {
      onUnsettled: (error) => progress.end(error),
      /* The event of its row says so. */
      onLate: () => {},
    })
    this.#timeoutMs = options.timeoutMs ?? parts.options.client.limits.timeoutMs
    readCallOptions('runCampaign', { timeoutMs: this.#timeoutMs })
    const { client, ledger } = parts.options
    const { clock } = ledger
    const end = (error: CertifyError) => progress.end(error)
    const { stopping } = progress
    const { allowClockSkew = false } = options
    const isMock = parts.scope.world !== ''
    const probe = new Probe({ client, ledger, timeoutMs: this.#timeoutMs, allowClockSkew, isMock, stopping, end })
    const pace = ledger.shared?.(parts.scope)
    this.#isShared = pace !== undefined
    this.#pace = new Pace(
      clock,
      options.ratePerSecond,
      pace && {
        pace,
        onPause: (waitMs) => this.#notePause(waitMs, limitedElsewhere(waitMs)),
        onOutage: (outage) => this.#gate.heldByAnother(outage),
      },
    )
    this.#gate = new OutageGate({
      ofAll: pace && { pace, leaseMs: this.#timeoutMs + SPARE_MS },
      clock,
      concurrency,
      maxOutageMs: options.maxOutageMs ?? 600_000,
      maxWaitMs: options.maxWaitMs ?? Number.POSITIVE_INFINITY,
      first: client.limits,
      probe: () => probe.send(),
      notify: (event) => progress.events.push(event),
      end,
      stopping,
    })
  }

  /**
   * Sends a row. Resolves when the next one may be sent. The outcome of this one may not be recorded yet. If several processes
   * share the ledger and another one is sending the row, it resolves with `in-flight` at once.
   */
  async send(row: PlannedRow): Promise<'in-flight' | undefined> {
    const { input, missingQuizIds } = row
    if (input === undefined) return undefined
    const done: Send['done'] = (status, found) => this.#progress.done(row, status, found)
    const send: Send = { row, input, done, waits: !this.#isShared }
    const { missing = missingQuizIds, isInFlight } = missingQuizIds ? UNSENT : await this.#sendUntilDecided(send)
    if (missing !== undefined) await this.#fill(row, input, missing)
    return isInFlight === true ? 'in-flight' : undefined
  }

  /* Each missing quiz is claimed for itself: a run that was ended in between is resumed at the next one. */
  async #fill(row: PlannedRow, input: SendInput, quizIds: readonly string[]): Promise<void> {
    const results: QuizResult[] = []
    for (const quizId of quizIds) {
      const done: Send['done'] = (status, found) => results.push({ quizId, status, found })
      await this.#sendUntilDecided({ row, input: singleInput(input, quizId), done, waits: true })
    }
    await this.recorded()
    if (results.length === 0) return
    const result = resultOf(row, quizIds, results)
    this.#progress.done(result.row, result.status, result.found)
  }

  async #sendUntilDecided(send: Send): Promise<SendResult> {
    const tries: Tries = { limited: 0, turnedAway: 0, responses: 0 }
    for (;;) {
      const ticket = await this.#gate.enter()
      if (ticket === undefined) return UNSENT
      let result = UNSENT
      try {
        result = await this.#sendOnce(send, tries)
      } finally {
        this.#gate.leave(ticket, result.verdict, result.error)
      }
      if (!result.sendAgain) return result
    }
  }

  /** Waits until all sends are recorded, and lets other processes probe in an outage. */
  async close(): Promise<void> {
    await this.recorded()
    await this.#gate.close()
  }

  /** Waits until all sends are recorded. */
  async recorded(): Promise<void> {
    await Promise.all(this.#recording)
  }

  async #sendOnce(send: Send, tries: Tries): Promise<SendResult> {
    const { row, input } = send
    const target = await targetFor({ ...row, input }, this.#parts.skills)
    if (target === undefined) return UNSENT
    const { stopping } = this.#progress
    if (!(await this.#pace.waitForTurn(stopping))) return { ...UNSENT, sendAgain: !stopping.aborted }
    const claimed = await this.#claim(send, target)
    if (typeof claimed !== 'string') return claimed
    /* A claim may have waited for another process. Meanwhile the run may have stopped, or paused. */
    const { aborted } = this.#progress.stopping
    if (!aborted && !this.#pace.isPaused()) return this.#attempt(send, claimed, tries)
    await this.#record(send, claimed, { state: 'not-executed', code: 'ABORTED' })
    return { ...UNSENT, sendAgain: !aborted }
  }

  /*
   * Returns the reference for the request, or why there is none: the row is finished, is in flight elsewhere, remains for
   * another run, or other quizzes are sent in place of a package.
   */
  async #claim({ row, input, done, waits }: Send, target: Target): Promise<string | SendResult> {
    const { options, scope } = this.#parts
    const operation = operationOf(input)
    /* Another process may have lost an answer since the plan: that was not asked for. */
    const sendsUnknown = this.#options.ifUnknown === 'create' && (!this.#isShared || row.status === 'unknown')
    const { value, error } = await settle(
      this.#recorder.claim({
        operation,
        input,
        target,
        deadlineMs: this.#timeoutMs,
        /* Another process is sending this row: its outcome is reported here. */
        maxWaitMs: waits ? Number.POSITIVE_INFINITY : 0,
        signal: this.#progress.stopping,
        although: { unknown: sendsUnknown, clockSkew: this.#options.allowClockSkew },
        campaign: options.campaign,
        row: row.row,
      }),
    )
    const now = options.ledger.clock.now()
    if (value?.kind === 'send') return value.reference
    if (value === undefined && !waits && error.code === 'TIMED_OUT') return { ...UNSENT, isInFlight: true }
    if (value === undefined) this.#failed(done, error)
    else if (value.kind === 'unknown')
      done('unknown', { entries: value.entries, error: unknownError(row, value.entries, now) })
    else {
      const { entries } = value
      const missing = (await missingQuizzes(options.ledger, scope, [target], sendsUnknown)).get(target) ?? []
      if (missing.length === 0) done('already_invited', { entries, error: alreadyInvited(operation, entries, now) })
      else if (options.fillPackages === true) return { ...UNSENT, missing }
      else this.#progress.done({ ...row, missingQuizIds: missing }, 'partly_invited', { entries })
    }
    return UNSENT
  }

  /* Nothing was sent, because of the ledger. */
  #failed(done: Send['done'], error: CertifyError): void {
    if (error.code === 'LEDGER_UNUSABLE' || error.code === 'CLOCK_SKEW') this.#progress.end(error)
    else if (error.code !== 'ABORTED') {
      this.#progress.countFailure('failed')
      done('failed', { error })
    }
  }

  async #attempt(send: Send, reference: string, tries: Tries): Promise<SendResult> {
    try {
      const { client, ledger } = this.#parts.options
      const result = await createFor(client, send.input, { reference, retry: false, timeoutMs: this.#timeoutMs })
      const settlement = settlementOf(result, ledger.clock.now())
      void this.#record(send, reference, settlement, 'created')
      return { verdict: 'conclusive', sendAgain: false }
    } catch (error) {
      const settlement = settlementOfFailure(error, this.#parts.options.ledger.clock.now())
      if (!isCertifyError(error)) {
        void this.#record(send, reference, settlement, 'unknown')
        throw error
      }
      this.#count(tries, error)
      const { status, verdict, waitMs, sendAgain = false, endsRun = false } = afterFailure(error, tries)
      if (waitMs !== undefined) await this.#pause(waitMs, error)
      if (endsRun) this.#progress.end(error)
      if (sendAgain && !this.#progress.stopping.aborted) {
        await this.#record(send, reference, settlement)
        return { verdict, sendAgain, error }
      }
      this.#progress.countFailure(status)
      void this.#record(send, reference, settlement, status, { error })
      return { verdict, sendAgain: false, error }
    }
  }

  #count(tries: Tries, error: CertifyError): void {
    const { responses } = this.#gate
    if (error.code === 'RATE_LIMITED' || error.apiCode === 'RATE_LIMITED') tries.limited += 1
    if (!isTurnedAway(error) || tries.responses === responses) return
    tries.turnedAway += 1
    tries.responses = responses
  }

  async #pause(waitMs: number, error: CertifyError): Promise<void> {
    if (!this.#notePause(waitMs, error)) return
    await this.#pace.pauseFor(waitMs).catch((failure: unknown) => this.#progress.end(failure))
  }

  /* Returns whether the run waits. */
  #notePause(waitMs: number, error: CertifyError): boolean {
    const { maxWaitMs = Number.POSITIVE_INFINITY } = this.#options
    if ((error.retryAfterMs ?? 0) > maxWaitMs) {
      this.#progress.end(error)
      return false
    }
    this.#progress.events.push({ type: 'pause', waitMs, error })
    return true
  }

  /*
   * A row is reported only after it is recorded: a report then survives a crash. If recording fails, the report has the
   * error.
   */
  #record(send: Send, reference: string, settlement: Settlement, status?: RowStatus, found: Found = {}): Promise<void> {
    const recording = this.#recordAndReport(send, reference, settlement, status, found)
      .catch((error: unknown) => this.#progress.end(error))
      .finally(() => this.#recording.delete(recording))
    this.#recording.add(recording)
    return recording
  }

  async #recordAndReport(
    { input, done }: Send,
    reference: string,
    settlement: Settlement,
    status: RowStatus | undefined,
    found: Found,
  ): Promise<void> {
    const recorded = await this.#recorder.recordOutcome(operationOf(input), reference, settlement)
    const { unrecorded, mismatch, isLate } = recorded
    if (status === undefined) return
    if (mismatch !== undefined) {
      this.#progress.end(mismatch)
      this.#progress.countFailure('unknown')
      done('unknown', { reference, error: mismatch })
      return
    }
    const invites = settlement.state === 'created' ? settlement.invites : []
    const error = status === 'created' ? unrecorded : found.error
    done(status, { reference, invites, ...found, ...(error && { error }), ...(isLate && { late: true }) })
  }
}

/* To record a create, and to choose the next one. */
const SPARE_MS = 10_000

function limitedElsewhere(retryAfterMs: number): CertifyError {
  return new CertifyError({
    code: 'RATE_LIMITED',
    outcome: 'not-executed',
    retryAfterMs,
    message: 'The service limits requests: it asked another process that shares the ledger to wait.',
    hint: 'Run the same again later: what was sent is recorded.',
  })
}
