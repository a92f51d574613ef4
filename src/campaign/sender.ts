import { type CertifyError, type InviteInput, isCertifyError, type PackageInviteInput, settle } from '../index.ts'
import type { LedgerEntry, SendInput, Settlement, Target } from '../ledger/rules/entry.ts'
import { alreadyInvited, priorUnknown } from '../ledger/rules/errors.ts'
import { settlementOf, settlementOfFailure } from '../ledger/rules/outcome.ts'
import { type Created, SendRecorder } from '../ledger/send-recorder.ts'
import { readCallOptions } from '../options.ts'
import { afterFailure, isTurnedAway, type Tries, type Verdict } from './failed-send.ts'
import { OutageGate } from './outage.ts'
import { Pace } from './pace.ts'
import { type PlanParts, targetFor } from './plan.ts'
import { Probe } from './probe.ts'
import type { Found, Progress } from './progress.ts'
import type { PlannedRow, RowStatus } from './row.ts'
import type { RunOptions } from './run-options.ts'

interface RowToSend {
  readonly row: PlannedRow
  readonly input: SendInput
  readonly target: Target
}

/* The result of one send of a row. */
interface SendResult {
  readonly verdict: Verdict
  readonly sendAgain: boolean
  readonly error?: CertifyError
}

const UNSENT: SendResult = { verdict: 'neither', sendAgain: false }

/** Sends rows, each until its outcome is decided. */
export class Sender {
  readonly #parts: PlanParts
  readonly #options: RunOptions
  readonly #progress: Progress
  readonly #recorder: SendRecorder
  readonly #pace: Pace
  readonly #timeoutMs: number
  readonly #gate: OutageGate
  readonly #recording = new Set<Promise<void>>()

  /** @param concurrency the most creates on their way */
  constructor(parts: PlanParts, options: RunOptions, progress: Progress, concurrency: number) {
    this.#parts = parts
    this.#options = options
    this.#progress = progress
    this.#recorder = new SendRecorder(parts.options.ledger, parts.scope, (error) => progress.end(error))
    this.#timeoutMs = options.timeoutMs ?? parts.options.client.limits.timeoutMs
    readCallOptions('runCampaign', { timeoutMs: this.#timeoutMs })
    const { client, ledger } = parts.options
    const { clock } = ledger
    const end = (error: CertifyError) => progress.end(error)
    const { stopping } = progress
    const { allowClockSkew = false } = options
    const isMock = parts.scope.world !== ''
    const probe = new Probe({ client, ledger, timeoutMs: this.#timeoutMs, allowClockSkew, isMock, stopping, end })
    this.#pace = new Pace(clock, options.ratePerSecond)
    this.#gate = new OutageGate({
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

  /** Sends a row. Resolves when the next one may be sent. The outcome of this one may not be recorded yet. */
  async send(row: PlannedRow): Promise<void> {
    const tries: Tries = { limited: 0, turnedAway: 0, responses: 0 }
    for (;;) {
      const ticket = await this.#gate.enter()
      if (ticket === undefined) return
      let result = UNSENT
      try {
        result = await this.#sendOnce(row, tries)
      } finally {
        this.#gate.leave(ticket, result.verdict, result.error)
      }
      if (!result.sendAgain) return
    }
  }

  /** Waits until all sends are recorded. */
  async recorded(): Promise<void> {
    await Promise.all(this.#recording)
  }

  async #sendOnce(row: PlannedRow, tries: Tries): Promise<SendResult> {
    const { input } = row
    const target = await targetFor(row, this.#parts.skills)
    if (input === undefined || target === undefined) return UNSENT
    if (!(await this.#pace.waitForTurn(this.#progress.stopping))) return UNSENT
    const reference = await this.#claim({ row, input, target })
    if (reference === undefined) return UNSENT
    /* A claim may have waited for another process. Meanwhile the run may have stopped, or paused. */
    const { aborted } = this.#progress.stopping
    if (!aborted && !this.#pace.isPaused()) return this.#attempt(row, input, reference, tries)
    await this.#record(row, reference, { state: 'not-executed', code: 'ABORTED' })
    return { ...UNSENT, sendAgain: !aborted }
  }

  /* Returns the reference for the request; `undefined` if the row is finished, or remains for another run. */
  async #claim({ row, input, target }: RowToSend): Promise<string | undefined> {
    const { options } = this.#parts
    const operation = operationOf(input)
    const { value, error } = await settle(
      this.#recorder.claim({
        operation,
        input,
        target,
        deadlineMs: this.#timeoutMs,
        /* Another process is sending this row: its outcome is reported here. */
        maxWaitMs: Number.POSITIVE_INFINITY,
        signal: this.#progress.stopping,
        although: { unknown: this.#options.ifUnknown === 'create', clockSkew: this.#options.allowClockSkew },
        campaign: options.campaign,
        row: row.row,
      }),
    )
    const now = options.ledger.clock.now()
    if (value?.kind === 'send') return value.reference
    if (value !== undefined) {
      const { kind, entries } = value
      if (kind === 'invited') {
        this.#progress.done(row, 'already_invited', { entries, error: alreadyInvited(operation, entries, now) })
      } else this.#progress.done(row, 'unknown', { entries, error: unknownError(row, entries, now) })
    } else this.#failed(row, error)
    return undefined
  }

  /* Nothing was sent, because of the ledger. */
  #failed(row: PlannedRow, error: CertifyError): void {
    if (error.code === 'LEDGER_UNUSABLE' || error.code === 'CLOCK_SKEW') this.#progress.end(error)
    else if (error.code !== 'ABORTED') {
      this.#progress.countFailure('failed')
      this.#progress.done(row, 'failed', { error })
    }
  }

  async #attempt(row: PlannedRow, input: SendInput, reference: string, tries: Tries): Promise<SendResult> {
    try {
      const settlement = settlementOf(await this.#create(input, reference), this.#parts.options.ledger.clock.now())
      void this.#record(row, reference, settlement, 'created')
      return { verdict: 'conclusive', sendAgain: false }
    } catch (error) {
      const settlement = settlementOfFailure(error, this.#parts.options.ledger.clock.now())
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

  #pause(waitMs: number, error: CertifyError): void {
    const { maxWaitMs = Number.POSITIVE_INFINITY } = this.#options
    if ((error.retryAfterMs ?? 0) > maxWaitMs) {
      this.#progress.end(error)
      return
    }
    this.#pace.pauseFor(waitMs)
    this.#progress.events.push({ type: 'pause', waitMs, error })
  }

  #create(input: SendInput, reference: string): Promise<Created> {
    const { client } = this.#parts.options
    /* Always set: the lease in the ledger uses it. */
    const call = { reference, retry: false as const, timeoutMs: this.#timeoutMs }
    /* In a session the client itself refuses a callbackUrl. */
    return 'packageId' in input
      ? client.packageInvites.create(input as PackageInviteInput<never>, call)
      : client.invites.create(input as InviteInput<never>, call)
  }

  /*
   * A row is reported only after it is recorded: a report then survives a crash. If recording fails, the report has the
   * error.
   */
  #record(
    row: PlannedRow,
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
    row: PlannedRow,
    reference: string,
    settlement: Settlement,
    status: RowStatus | undefined,
    found: Found,
  ): Promise<void> {
    const { unrecorded, mismatch } = await this.#recorder.recordOutcome(operationOf(row.input), reference, settlement)
    if (status === undefined) return
    if (mismatch !== undefined) {
      this.#progress.end(mismatch)
      this.#progress.countFailure('unknown')
      this.#progress.done(row, 'unknown', { reference, error: mismatch })
      return
    }
    const invites = settlement.state === 'created' ? settlement.invites : []
    const error = status === 'created' ? unrecorded : found.error
    this.#progress.done(row, status, { reference, invites, ...found, ...(error && { error }) })
  }
}

/** The error of a row that is unknown in the ledger. */
export function unknownError({ input }: PlannedRow, entries: readonly LedgerEntry[], now: number) {
  return input === undefined || entries.length === 0 ? undefined : priorUnknown(operationOf(input), entries, now)
}

function operationOf(input: SendInput | undefined): string {
  return input !== undefined && 'packageId' in input ? 'packageInvites.create' : 'invites.create'
}
