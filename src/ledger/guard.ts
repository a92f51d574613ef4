import type { CertifyClient } from '../client.ts'
import { backOffMs, pause, timeLimit, untilAborted } from '../clock.ts'
import {
  type ClaimedCreate,
  type CreateGuard,
  type CreateOptions,
  type GuardSettings,
  partsOfClient,
  type RecordedCreate,
} from '../create-guard.ts'
import { optionsInvalid } from '../errors.ts'
import type { CertificationPackageTrack as PackageTrack } from '../generated/schema.ts'
import { CircuitBreaker } from '../transport/breaker.ts'
import { mockWorldAt } from './mock-world.ts'
import type { Blocking, LedgerRecord, LedgerScope, SendInput, Settlement } from './rules/model.ts'
import {
  alreadyInvited,
  endedBeforeSending,
  inProgress,
  priorUnknown,
  type Reuse,
  referenceConflict,
} from './rules/errors.ts'
import { scopeKey, targetOf } from './rules/key.ts'
import type { LedgerParts } from './rules/ledger.ts'
import { conflicts, differences, resultIn, settlementOf, settlementOfFailure } from './rules/outcome.ts'
import { PackageSkills } from './rules/package-skills.ts'
import { type Claimed, type Created, CreateRecorder } from './create-recorder.ts'
import { ServiceClock } from './service-clock.ts'

/** The guard of one client: a create is sent only after it was recorded, and only if no record blocks it. */
export class LedgerGuard implements CreateGuard {
  readonly ledger: LedgerParts
  readonly settings: GuardSettings
  readonly service: ServiceClock
  readonly breaker: CircuitBreaker
  readonly #skills: PackageSkills
  /* Whether something else than a mock has responded. A refused connection is no response. */
  #isReal = false

  constructor(ledger: LedgerParts, settings: GuardSettings) {
    this.ledger = ledger
    this.settings = settings
    this.service = new ServiceClock(ledger.clock, settings.runtime.elapsed)
    this.breaker = breakerOf(ledger, settings)
    this.#skills = new PackageSkills(settings.listTracks, ledger.clock)
  }

  /**
   * The scope of the client's invites. A mock is asked each time which world it serves: it may have been started again.
   *
   * @throws CertifyError LEDGER_UNUSABLE, outcome `not-executed`: a server on this machine accepts connections but does
   *   not respond
   */
  async scope(): Promise<LedgerScope> {
    const { endpoint, account, fetch } = this.settings
    const world = this.#isReal ? '' : await mockWorldAt(endpoint, fetch)
    this.#isReal = world === ''
    return scopeKey({ baseUrl: endpoint, account, world: world ?? '' })
  }

  sawResponse(header: (name: string) => string | null): void {
    this.service.saw(header('date'))
  }

  sawTracks(tracks: readonly PackageTrack[]): void {
    this.ledger.learnTitles(this.settings.endpoint, tracks)
  }

  async claim<Result extends Created>(
    operation: string,
    input: SendInput,
    options: CreateOptions,
  ): Promise<ClaimedCreate<Result> | RecordedCreate<Result>> {
    const { limits, hooks, runtime } = this.settings
    const { deadlineMs = limits.deadlineMs, signal } = options
    const { clock } = this.ledger
    const startedAt = runtime.elapsed()
    const limit = timeLimit(runtime, deadlineMs, signal, (isAborted) =>
      isAborted || call.inFlight.length === 0
        ? endedBeforeSending(operation, isAborted, options)
        : inProgress(operation, call.inFlight, clock.now(), options.reference),
    )
    const until = limit.signal
    const leftMs = () => deadlineMs - (runtime.elapsed() - startedAt)
    const call: LimitedCall = { operation, input, options, deadlineMs, until, leftMs, inFlight: [] }
    try {
      const scope = await untilAborted(this.scope(), until)
      const recorder = new CreateRecorder(this, scope, hooks)
      const claimed = await this.#claim(call, recorder, scope)
      if ('recorded' in claimed) {
        limit.stop()
        return { recorded: claimed.recorded as Result }
      }
      const { reference, mustEndBy } = claimed
      return {
        sending: { ...options, deadlineMs, reference, mustEndBy, startedAt },
        record: (sent) => this.#record(call, recorder, claimed, sent).finally(limit.stop),
      }
    } catch (error) {
      limit.stop()
      throw error
    }
  }

  async #record<Result extends Created>(
    { operation, input, until }: LimitedCall,
    recorder: CreateRecorder,
    claimed: Claimed,
    sent: Promise<Result>,
  ): Promise<Result> {
    const { clock } = this.ledger
    const record = async (settlement: Settlement) => {
      this.#skills.learn(input, settlement)
      const { mismatch } = await recorder.recordOutcome(operation, claimed, settlement, until)
      if (mismatch !== undefined) throw mismatch
    }
    const result = await sent.catch(async (error: unknown) => {
      await record(settlementOfFailure(error, clock.now()))
      throw error
    })
    await record(settlementOf(result, clock.now()))
    return result
  }

  async #claim(
    call: LimitedCall,
    recorder: CreateRecorder,
    scope: LedgerScope,
  ): Promise<Claimed | RecordedCreate<Created>> {
    const { operation, input, options, deadlineMs, until, leftMs } = call
    const { waitForInProgressMs = this.settings.waitForInProgressMs, ifInvited, ifUnknown, ...own } = options
    const { reference } = own
    const { clock } = this.ledger
    const query = { ...own, reference: undefined, signal: until }
    const quizIds = 'packageId' in input ? await untilAborted(this.#skills.of(input.packageId, query), until) : []
    const although = {
      invited: ifInvited === 'create',
      unknown: ifUnknown === 'create',
      clockSkew: this.settings.allowClockSkew,
    }
    const sending = { reference, input, target: targetOf(input, quizIds), deadlineMs, although }
    /* Counted, not read from the clock, which may be set back in between. */
    let waitLeftMs = Math.min(waitForInProgressMs, deadlineMs)
    for (let tries = 1; ; tries += 1) {
      const decision = await recorder.claim(sending, until, query)
      if (decision.kind === 'send') return decision
      const now = clock.now()
      if (decision.kind === 'taken') {
        const differing = conflicts({ ...scope, input }, decision.record)
        if (differing.length > 0) throw referenceConflict(operation, decision.record, differing, now)
        if (decision.record.state !== 'sending') return { recorded: recordedResult(operation, decision.record, now) }
      } else if (decision.kind !== 'in-flight') return { recorded: reused(operation, input, decision, options, now) }
      call.inFlight = decision.kind === 'taken' ? [decision.record] : decision.records
      if (waitLeftMs <= 0) throw inProgress(operation, call.inFlight, now, reference)
      const waitMs = Math.max(0, Math.min(backOffMs(tries, FIRST_WAIT_MS, LONGEST_WAIT_MS), waitLeftMs, leftMs()))
      await pause(clock, waitMs, until)
      waitLeftMs -= waitMs
    }
  }
}

const breakers = new WeakMap<LedgerParts, Map<string, CircuitBreaker>>()

/* One for each client would lose creates for each. The service may fail for one account alone. */
function breakerOf(ledger: LedgerParts, { endpoint, account }: GuardSettings): CircuitBreaker {
  const byScope = breakers.get(ledger) ?? new Map<string, CircuitBreaker>()
  const scope = JSON.stringify([endpoint, account])
  const breaker = byScope.get(scope) ?? new CircuitBreaker(ledger.clock)
  breakers.set(ledger, byScope.set(scope, breaker))
  return breaker
}

/* How long to wait before checking again whether another caller's send has ended. */
const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 1000

/* A create with its limits. */
interface LimitedCall {
  readonly operation: string
  readonly input: SendInput
  readonly options: CreateOptions
  readonly deadlineMs: number
  /** Aborted at its deadline, or by its signal. */
  readonly until: AbortSignal
  /** What is left until its deadline. */
  readonly leftMs: () => number
  /** What it waits for. */
  inFlight: readonly LedgerRecord[]
}

/* What is recorded for a caller's own reference, which has created something or may have. */
function recordedResult(operation: string, record: LedgerRecord, now: number): Created {
  const { reference } = record
  if (record.state === 'unknown') throw priorUnknown(operation, [record], now, reference)
  const result = resultIn(record)
  if (result === undefined)
    throw alreadyInvited(operation, [record], now, { canReuse: false, differing: [] }, reference)
  return result
}

/* The recorded invite of another create, if the caller wants it. */
function reused(
  operation: string,
  input: SendInput,
  { kind, records, missingQuizIds, hasExpired }: Blocking,
  { ifInvited, reference }: CreateOptions,
  now: number,
): Created {
  if (kind === 'unknown') throw priorUnknown(operation, records, now, reference)
  if (missingQuizIds.length > 0)
    throw alreadyInvited(operation, records, now, { canReuse: false, differing: [], missingQuizIds }, reference)
  const reuse = reuseOf(input, records)
  if (ifInvited === 'reuse' && reuse.result !== undefined) return reuse.result
  throw alreadyInvited(operation, records, now, { ...reuse, hasExpired }, reference)
}

/* The newest fully recorded invite with the same input, or what prevents its reuse. */
function reuseOf(input: SendInput, records: readonly LedgerRecord[]): Reuse & { readonly result: Created | undefined } {
  const same = records.filter((record) => differences(input, record.input).length === 0)
  const result = same.map(resultIn).findLast((each) => each !== undefined)
  const newest = records.at(-1)
  const differing = newest !== undefined && same.length === 0 ? differences(input, newest.input) : []
  return { result, canReuse: result !== undefined, differing }
}

/**
 * The scope of a client's invites in its ledger, for {@link Ledger.list}.
 *
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`: the client has no ledger
 */
export async function scopeOf(client: CertifyClient): Promise<LedgerScope> {
  const guard = partsOfClient(client)?.guard
  if (guard === undefined) throw optionsInvalid('scopeOf', [{ path: 'client', rule: 'must have a ledger' }])
  return (guard as LedgerGuard).scope()
}
