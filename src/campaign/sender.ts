import { CertifyError, isCertifyError, settle } from '../index.ts'
import type { Settlement, Target } from '../ledger/rules/entry.ts'
import { alreadyInvited } from '../ledger/rules/errors.ts'
import { settlementOf, settlementOfFailure } from '../ledger/rules/outcome.ts'
import { SendRecorder } from '../ledger/send-recorder.ts'
import { readCallOptions } from '../options.ts'
import { createFor, operationOf, type Run, type Send, type SendResult, UNSENT, unknownError } from './create.ts'
import { afterFailure, isTurnedAway, type Tries } from './failed-send.ts'
import { OutageGate } from './outage.ts'
import { missingQuizzes } from './overlap.ts'
import { Pace } from './pace.ts'
import { type PlanParts, targetWith } from './plan.ts'
import { Probe } from './probe.ts'
import type { Found } from './progress.ts'
import type { RowStatus } from './row.ts'
import type { RunOptions } from './run-options.ts'

/** Sends inputs, each until its outcome is decided. */
export class Sender {
  readonly #parts: SenderParts
  readonly #options: RunOptions
  readonly #run: Run
  readonly #recorder: SendRecorder
  readonly #pace: Pace
  readonly #timeoutMs: number
  readonly #gate: OutageGate
  /** Whether other processes may send the same. */
  readonly isShared: boolean
  readonly #recording = new Set<Promise<void>>()

  /** @param concurrency the most creates on their way */
  constructor(parts: SenderParts, options: RunOptions, run: Run, concurrency: number) {
    this.#parts = parts
    this.#options = options
    this.#run = run
    this.#recorder = new SendRecorder(parts.options.ledger, parts.scope, {
      onUnsettled: (error) => run.end(error),
      /* Its event says so. */
      onLate: () => {},
    })
    this.#timeoutMs = options.timeoutMs ?? parts.options.client.limits.timeoutMs
    readCallOptions('runCampaign', { timeoutMs: this.#timeoutMs })
    const { client, ledger } = parts.options
    const { clock } = ledger
    const end = (error: CertifyError) => run.end(error)
    const { stopping } = run
    const { allowClockSkew = false } = options
    const isMock = parts.scope.world !== ''
    const probe = new Probe({ client, ledger, timeoutMs: this.#timeoutMs, allowClockSkew, isMock, stopping, end })
    const pace = ledger.shared?.(parts.scope)
    this.isShared = pace !== undefined
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
      notify: (event) => run.notify(event),
      end,
      stopping,
    })
  }

  /**
   * Sends an input. Resolves when the next one may be sent: the outcome of this one may not be recorded yet. It may resolve with
   * the quizzes to send in place of a package. If another process is sending the same, and this one does not wait, it
   * resolves with `isInFlight`.
   */
  async send(send: Send): Promise<Pick<SendResult, 'missing' | 'isInFlight'>> {
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
    const target = await targetWith(send.input, this.#parts.skills)
    const { stopping } = this.#run
    if (!(await this.#pace.waitForTurn(stopping))) return { ...UNSENT, sendAgain: !stopping.aborted }
    const reference = await send.nextReference?.()
    if (send.nextReference !== undefined && reference === undefined) return UNSENT
    const claimed = await this.#claim(send, target, reference)
    if (typeof claimed !== 'string') return claimed
    /* A claim may have waited for another process. Meanwhile the run may have stopped, or paused. */
    const { aborted } = stopping
    if (!aborted && !this.#pace.isPaused()) return this.#attempt(send, claimed, tries)
    await this.#record(send, claimed, { state: 'not-executed', code: 'ABORTED' })
    return { ...UNSENT, sendAgain: !aborted }
  }

  /*
   * Returns the reference for the request, or why there is none: it is finished, is in flight elsewhere, remains for another
   * run, or other quizzes are sent in place of a package.
   */
  async #claim(
    { row, campaign, although, waitForInProgressMs = Number.POSITIVE_INFINITY, input, done }: Send,
    target: Target,
    reference: string | undefined,
  ): Promise<string | SendResult> {
    const { options, scope } = this.#parts
    const operation = operationOf(input)
    const sendsUnknown = although?.unknown ?? this.#options.ifUnknown === 'create'
    const { value, error } = await settle(
      this.#recorder.claim({
        operation,
        input,
        target,
        deadlineMs: this.#timeoutMs,
        reference,
        /* Another process may be sending the same: its outcome is then reported here. */
        waitForInProgressMs,
        signal: this.#run.stopping,
        although: { clockSkew: this.#options.allowClockSkew, ...although, unknown: sendsUnknown },
        campaign: campaign ?? options.campaign,
        row,
      }),
    )
    const now = options.ledger.clock.now()
    if (value?.kind === 'send') return value.reference
    if (value === undefined && error.code === 'IN_PROGRESS') return { ...UNSENT, isInFlight: true }
    if (value === undefined) this.#failed(done, error)
    else if (value.kind === 'unknown')
      done('unknown', { entries: value.entries, error: unknownError(input, value.entries, now) })
    else {
      const { entries } = value
      const missing = (await missingQuizzes(options.ledger, scope, [target], sendsUnknown)).get(target) ?? []
      if (missing.length === 0) done('already_invited', { entries, error: alreadyInvited(operation, entries, now) })
      else if (options.fillPackages === true) return { ...UNSENT, missing }
      else done('partly_invited', { entries, missingQuizIds: missing })
    }
    return UNSENT
  }

  /* Nothing was sent, because of the ledger. */
  #failed(done: Send['done'], error: CertifyError): void {
    if (error.code === 'LEDGER_UNUSABLE' || error.code === 'CLOCK_SKEW') this.#run.end(error)
    else if (error.code !== 'ABORTED') {
      this.#run.countFailure('failed')
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
      if (endsRun) this.#run.end(error)
      if (sendAgain && !this.#run.stopping.aborted) {
        await this.#record(send, reference, settlement)
        return { verdict, sendAgain, error }
      }
      this.#run.countFailure(status)
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
    await this.#pace.pauseFor(waitMs).catch((failure: unknown) => this.#run.end(failure))
  }

  /* Returns whether the run waits. */
  #notePause(waitMs: number, error: CertifyError): boolean {
    const { maxWaitMs = Number.POSITIVE_INFINITY } = this.#options
    if ((error.retryAfterMs ?? 0) > maxWaitMs) {
      this.#run.end(error)
      return false
    }
    this.#run.notify({ type: 'pause', waitMs, error })
    return true
  }

  /*
   * A row is reported only after it is recorded: a report then survives a crash. If recording fails, the report has the
   * error.
   */
  #record(send: Send, reference: string, settlement: Settlement, status?: RowStatus, found: Found = {}): Promise<void> {
    const recording = this.#recordAndReport(send, reference, settlement, status, found)
      .catch((error: unknown) => this.#run.end(error))
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
      this.#run.end(mismatch)
      this.#run.countFailure('unknown')
      done('unknown', { reference, error: mismatch })
      return
    }
    const invites = settlement.state === 'created' ? settlement.invites : []
    const error = status === 'created' ? unrecorded : found.error
    done(status, { reference, invites, ...found, ...(error && { error }), ...(isLate && { late: true }) })
  }
}

/** What a sender needs of its plan, or of its worker. */
export type SenderParts = Pick<PlanParts, 'options' | 'scope' | 'skills'>

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
