import { backOffMs, pause, untilAborted } from '../clock.ts'
import type { GuardSettings } from '../create-guard.ts'
import { type CertifyError, isCertifyError } from '../errors.ts'
import type { CertificationInvite, CertificationPackageInvite as PackageInvite } from '../generated/schema.ts'
import type { CallOptions } from '../transport/call.ts'
import type { Hooks } from '../transport/hooks.ts'
import { notify } from '../transport/hooks.ts'
import { warn } from '../util/runtime.ts'
import type { Claim, ClaimKey, ClaimRequest, LedgerScope, Settlement } from './rules/model.ts'
import { ledgerUnusable, PERMANENT, responseMismatched } from './rules/errors.ts'
import type { LedgerParts, Recorded } from './rules/ledger.ts'
import type { ServiceClock } from './service-clock.ts'

/** What a caller may do after its claim. */
export type Decision = Claimed | Exclude<Claim, { readonly kind: 'claimed' }>

/** It may be sent. */
export interface Claimed extends ClaimKey {
  readonly kind: 'send'
  /** The end of its lease: see {@link SendOptions.mustEndBy}. */
  readonly mustEndBy: number
  /** The same by the ledger's clock. */
  readonly leaseUntil: number
}

/** A create. */
export interface Sending extends Omit<ClaimRequest, 'scope' | 'leaseMs' | 'serviceTime'> {
  /** How long the create may take. */
  readonly deadlineMs: number
}

/** The part of a guard that recording needs. */
interface Guard {
  readonly ledger: LedgerParts
  readonly service: ServiceClock
  readonly settings: Pick<GuardSettings, 'runtime' | 'listTracks'>
}

/** The observers of what neither a result nor an error can tell the caller. */
interface Observers extends Pick<Hooks, 'onUnrecorded' | 'onRecordedLate'> {
  /** The end of a create could not be recorded at once. */
  readonly onFailure?: (error: CertifyError) => void
}

/** The service's result of a create. */
export type Created = CertificationInvite | PackageInvite

/* A create that ends at its deadline needs some time to be recorded. */
const RECORDING_MS = 30_000

/* How long to wait before recording again. */
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 2_000

/** Records creates of one scope in a ledger: before their requests, and after they ended. */
export class CreateRecorder {
  readonly #guard: Guard
  readonly #scope: LedgerScope
  readonly #observers: Observers

  constructor(guard: Guard, scope: LedgerScope, observers: Observers) {
    this.#guard = guard
    this.#scope = scope
    this.#observers = observers
  }

  /**
   * Decides whether something may be sent, and records it. If that depends on the service's time, and it is not known, the
   * service is asked first.
   *
   * @param until ends the wait: then this rejects with its reason, and a claim that still succeeds is settled as not sent
   * @param query the options of the question
   * @throws CertifyError LEDGER_UNUSABLE, CLOCK_SKEW, or the failure of the question
   */
  async claim(sending: Sending, until: AbortSignal, query: CallOptions = { signal: until }): Promise<Decision> {
    const { service, settings } = this.#guard
    const decision = await this.#claim(sending, until)
    if (decision.kind !== 'invited' || decision.hasExpired !== true || service.isCurrent()) return decision
    /* A query that changes nothing: no track has this slug. Any response tells the service's time, even a refusal. */
    const asking = settings.listTracks({ trackSlug: '-' }, query).catch((error: unknown) => {
      if (!service.isCurrent()) throw error
    })
    await untilAborted(asking, until)
    service.saw(null)
    return this.claim(sending, until, query)
  }

  async #claim({ deadlineMs, ...sending }: Sending, until: AbortSignal): Promise<Decision> {
    until.throwIfAborted()
    const { ledger, service, settings } = this.#guard
    const leaseMs = deadlineMs + RECORDING_MS
    /* Read before the claim, so that it ends before the lease does, by whichever clock. */
    const lease = { mustEndBy: settings.runtime.now() + leaseMs, leaseUntil: ledger.clock.now() + leaseMs }
    const serviceTime = sending.although?.clockSkew === true ? undefined : service.now()
    const claiming = ledger
      .claim({ ...sending, scope: this.#scope, leaseMs, serviceTime }, until)
      .then((claim) => (claim.kind === 'claimed' ? { ...claim, ...lease, kind: 'send' as const } : claim))
    ledger.keepOpen(claiming)
    return untilAborted(claiming, until, (claim) => {
      const code = isCertifyError(until.reason) ? until.reason.code : 'ABORTED'
      if (claim.kind === 'send') ledger.keepOpen(this.recordOutcome('', claim, { state: 'not-executed', code }))
    })
  }

  /**
   * Records how a create ended. It does not reject: the caller must still learn the outcome. It tries until the lease ends;
   * from then on the record is unknown, and not sent again. An observer receives the error, once, and is told if it was
   * recorded after the lease. Resolves with the reason why it was not recorded, or with RESPONSE_MISMATCHED if the response
   * belongs to another create.
   *
   * @param until ends the wait, but not the recording. The observer is told of an invite that is not recorded by then; any
   *   other create may count as unknown meanwhile
   */
  async recordOutcome(
    operation: string,
    claimed: Claimed,
    settlement: Settlement,
    until?: AbortSignal,
  ): Promise<{
    readonly unrecorded?: CertifyError | undefined
    readonly mismatch?: CertifyError | undefined
    readonly isLate: boolean
  }> {
    const { reference } = claimed
    const { onUnrecorded = warnOfUnrecorded, onRecordedLate = warnOfLate } = this.#observers
    let unrecorded: CertifyError | undefined
    const tell = (error: CertifyError) => {
      if (unrecorded === undefined) notify(onUnrecorded, () => error)
      unrecorded = error
    }
    const recording = this.#settle(claimed, settlement).then(({ value, failure }) => {
      const isLate = value === 'late'
      if (failure !== undefined) tell(failure)
      if (value === 'not-found' && mayHaveCreated(settlement)) tell(entryLost(reference))
      if (isLate) notify(onRecordedLate, () => reference)
      const mismatch = value === 'mismatched' ? responseMismatched(operation, reference) : undefined
      return { isLate, unrecorded, mismatch }
    })
    this.#guard.ledger.keepOpen(recording)
    return untilAborted(recording, until).catch((error: unknown) => {
      if (until?.aborted !== true) throw error
      if (settlement.state === 'created') tell(notRecordedYet(reference))
      return { isLate: false, unrecorded }
    })
  }

  async #settle(claimed: Claimed, settlement: Settlement): Promise<{ value?: Recorded; failure?: CertifyError }> {
    const { ledger } = this.#guard
    for (let failures = 1; ; failures += 1) {
      try {
        return { value: await ledger.settle(claimed, settlement) }
      } catch (failure) {
        if (!isCertifyError(failure)) throw failure
        if (failures === 1) this.#observers.onFailure?.(failure)
        const leftMs = claimed.leaseUntil - ledger.clock.now()
        if (leftMs <= 0 || PERMANENT.has(failure)) return { failure }
        await pause(ledger.clock, Math.min(backOffMs(failures, FIRST_WAIT_MS, LONGEST_WAIT_MS), leftMs))
      }
    }
  }
}

function mayHaveCreated({ state }: Settlement): boolean {
  return state === 'created' || state === 'unknown'
}

/* A purge removed it after its lease, or a failover of the database lost it. Another create would not be refused. */
function entryLost(reference: string): CertifyError {
  return ledgerUnusable(
    `it has lost the record ${reference}`,
    'It may have created an invite that the ledger does not know. After a failover or a restore, read docs/queues.md.',
  )
}

function notRecordedYet(reference: string): CertifyError {
  return ledgerUnusable(
    `it has not recorded yet how the create ${reference} ended`,
    'Recording is tried again until its lease ends; from then on it counts as unknown.',
  )
}

/* The default observers: without them this would be lost. */
function warnOfUnrecorded(error: CertifyError): void {
  warn(
    `A create ended and is not recorded. Unless that succeeds by the end of its lease, it counts as unknown. ${error.message}`,
    'CERTIFY_LEDGER_UNRECORDED',
  )
}

function warnOfLate(reference: string): void {
  warn(
    `The create ${reference} ended after its lease. It is recorded now. Until then it may have counted as unknown: check ` +
      'whether somebody resolved it, or sent it again.',
    'CERTIFY_LEDGER_LATE',
  )
}
