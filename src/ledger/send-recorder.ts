import {
  type AbortSignalLike,
  type CertificationInvite,
  CertifyError,
  type Hooks,
  isCertifyError,
  type PackageInvite,
} from '../index.ts'
import { pause } from '../pause.ts'
import { warn } from '../warn.ts'
import type {
  Claim,
  ClaimRequest,
  LedgerEntry,
  LedgerInvite,
  LedgerScope,
  SendInput,
  Settlement,
  Target,
} from './rules/entry.ts'
import { inProgress, ledgerUnusable, responseMismatched } from './rules/errors.ts'
import type { Ledger, Recorded } from './rules/ledger.ts'

/** What a caller may do after its claim. */
export type Decision =
  | Claimed
  | { readonly kind: 'invited'; readonly entries: readonly LedgerEntry[] }
  | { readonly kind: 'unknown'; readonly entries: readonly LedgerEntry[] }
  | InFlight
  /** The ledger has a send with this reference. */
  | { readonly kind: 'taken'; readonly entries?: undefined }

/** It may be sent. */
export interface Claimed {
  readonly kind: 'send'
  readonly reference: string
  /** The end of its lease: see {@link SendOptions.mustEndBy}. */
  readonly mustEndBy: number
}

/** Another caller is sending the same. */
interface InFlight {
  readonly kind: 'in-flight'
  readonly entries: readonly LedgerEntry[]
}

/** A send. */
export interface Sending extends Pick<ClaimRequest, 'although' | 'campaign' | 'row'> {
  /** As in `invites.create`. */
  readonly operation: string
  readonly input: SendInput
  readonly target: Target
  /** How long the send may take. */
  readonly deadlineMs: number
  /** How long to wait for another caller's send, in milliseconds. It never takes longer than that send's lease. */
  readonly waitForInProgressMs: number
  readonly signal?: AbortSignalLike | undefined
  /** Default: a new UUID. */
  readonly reference?: string | undefined
}

/** The service's result of a create. */
export type Created = CertificationInvite | PackageInvite

/** How long a send has a lease, in milliseconds. One that ends at its deadline needs some time to be recorded. */
export function leaseOf(deadlineMs: number): number {
  return deadlineMs + 30_000
}

/* Exponential backoff: how long to wait before looking again whether another caller's send has ended. */
const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 1000

/** Who learns what a caller cannot be told by a result or an error. */
type RecordHooks = Pick<Hooks, 'onUnrecorded' | 'onRecordedLate'>

/** Records sends of one scope in a ledger: before their requests, and after they ended. */
export class SendRecorder {
  readonly #ledger: Ledger
  readonly #scope: LedgerScope
  readonly #hooks: RecordHooks
  #hasWarnedOfExpiry = false

  constructor(ledger: Ledger, scope: LedgerScope, hooks: RecordHooks = {}) {
    this.#ledger = ledger
    this.#scope = scope
    this.#hooks = hooks
  }

  /**
   * Decides whether something may be sent, and records it. If another caller is sending it now, this waits for the end
   * of that send.
   *
   * @throws CertifyError LEDGER_UNUSABLE; IN_PROGRESS after the wait, ABORTED while waiting; the outcome is always
   *   `not-executed`
   */
  async claim({ operation, waitForInProgressMs, signal, ...sending }: Sending): Promise<Exclude<Decision, InFlight>> {
    const { clock } = this.#ledger
    /* Counted, not read from the clock: that may be set back meanwhile. */
    let leftMs = waitForInProgressMs
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      const decision = await this.tryClaim(sending)
      if (decision.kind !== 'in-flight') return decision
      if (signal?.aborted === true) throw waitAborted(operation, decision.entries, signal.reason)
      if (leftMs <= 0) throw inProgress(operation, decision.entries, clock.now())
      waitMs = Math.min(waitMs, leftMs)
      await pause(clock, waitMs, signal)
      leftMs -= waitMs
    }
  }

  /** As {@link claim}, without waiting for another caller. @throws CertifyError LEDGER_UNUSABLE */
  async tryClaim({
    deadlineMs,
    ...sending
  }: Omit<Sending, 'operation' | 'waitForInProgressMs' | 'signal'>): Promise<Decision> {
    const { reference = crypto.randomUUID() } = sending
    const leaseMs = leaseOf(deadlineMs)
    /* Before the claim: the lease begins after it, by whichever clock. */
    const mustEndBy = Date.now() + leaseMs
    const request: ClaimRequest = { ...sending, scope: this.#scope, reference, leaseMs }
    const claim = await this.#claim(request, sending.reference)
    if (claim.kind === 'claimed') return { kind: 'send', reference, mustEndBy }
    return claim.kind === 'taken' ? claim : { kind: claim.kind, entries: claim.entries }
  }

  /* A reference is unique. Whether this one is, the claim itself decides. */
  async #claim(request: ClaimRequest, own: string | undefined): Promise<Claim | { readonly kind: 'taken' }> {
    try {
      return await this.#ledger.claim(request)
    } catch (error) {
      if (own !== undefined && (await this.#ledger.find(own).catch(() => undefined)) !== undefined)
        return { kind: 'taken' }
      throw error
    }
  }

  /**
   * Records how a send ended. It does not reject: the caller must still learn the outcome. If recording fails, the
   * entry becomes unknown when its lease ends, and is not sent again; the observer receives the error. An observer also
   * learns that it was recorded late. Resolves with the reason why it was not recorded, or with RESPONSE_MISMATCHED if the
   * response belongs to another send.
   */
  async recordOutcome(
    operation: string,
    reference: string,
    settlement: Settlement,
  ): Promise<{
    readonly unrecorded?: CertifyError | undefined
    readonly mismatch?: CertifyError | undefined
    readonly isLate: boolean
  }> {
    const { value, failure } = await this.#settle(reference, settlement)
    const isLate = value === 'late'
    const error = value === 'not-found' && mayHaveCreated(settlement) ? entryLost(reference) : failure
    const { onUnrecorded = warnOfUnrecorded, onRecordedLate = warnOfLate } = this.#hooks
    if (error !== undefined) onUnrecorded(error)
    if (isLate) onRecordedLate(reference)
    if (settlement.state === 'created') this.#checkExpiries(reference, settlement.invites)
    return {
      isLate,
      unrecorded: error,
      mismatch: value === 'mismatched' ? responseMismatched(operation, reference) : undefined,
    }
  }

  async #settle(reference: string, settlement: Settlement): Promise<{ value?: Recorded; failure?: CertifyError }> {
    try {
      return { value: await this.#ledger.settle(reference, settlement) }
    } catch (failure) {
      if (!isCertifyError(failure)) throw failure
      return { failure }
    }
  }

  /* Once: a service that returns one such expiry returns thousands. */
  #checkExpiries(reference: string, invites: readonly LedgerInvite[]): void {
    const now = this.#ledger.clock.now()
    if (this.#hasWarnedOfExpiry || !invites.some(({ expiresAt }) => Date.parse(expiresAt) <= now)) return
    this.#hasWarnedOfExpiry = true
    warnOfExpiry(reference)
  }
}

function mayHaveCreated({ state }: Settlement): boolean {
  return state === 'created' || state === 'unknown'
}

/* A purge removed it after its lease, or a failover of a database has lost it. Another send would not be refused. */
function entryLost(reference: string): CertifyError {
  return ledgerUnusable(
    `it has lost the entry ${reference}`,
    'Its send may have created an invite that the ledger does not know. After a failover or a restore, read docs/queues.md.',
  )
}

function waitAborted(operation: string, [entry]: readonly LedgerEntry[], cause: unknown): CertifyError {
  return new CertifyError({
    code: 'ABORTED',
    outcome: 'not-executed',
    phase: 'not-sent',
    operation,
    reference: entry?.reference,
    message: `${operation}: the call was aborted while another one was inviting this candidate. Nothing was sent by this one.`,
    hint: 'Call again to get the result of the other one.',
    cause,
  })
}

/* The default observers: without them this would be lost. */
function warnOfUnrecorded(error: CertifyError): void {
  warn(
    `A send ended and could not be recorded; the ledger will report it as unknown. ${error.message}`,
    'CERTIFY_LEDGER_UNRECORDED',
  )
}

function warnOfLate(reference: string): void {
  warn(
    `The send ${reference} ended after its lease. It is recorded now. Until then it may have counted as unknown: check ` +
      'whether somebody resolved it, or sent it again.',
    'CERTIFY_LEDGER_LATE',
  )
}

function warnOfExpiry(reference: string): void {
  process.emitWarning(
    `The service says that the invite of the send ${reference} expired before it was created. The ledger counts it as open ` +
      'for 14 days. Compare the clocks of this machine and of the service. Further invites like it are not reported.',
    { code: 'CERTIFY_LEDGER_EXPIRY' },
  )
}
