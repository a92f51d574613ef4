import {
  type CertificationInvite,
  type CertifyError,
  type Hooks,
  isCertifyError,
  type PackageInvite,
} from '../index.ts'
import { warn } from '../warn.ts'
import type { Claim, ClaimRequest, LedgerInvite, LedgerScope, Settlement } from './rules/entry.ts'
import { ledgerUnusable, responseMismatched } from './rules/errors.ts'
import type { Ledger, Recorded } from './rules/ledger.ts'

/** What a caller may do after its claim. */
export type Decision = Claimed | Exclude<Claim, { readonly kind: 'claimed' }>

/** It may be sent. */
export interface Claimed {
  readonly kind: 'send'
  readonly reference: string
  /** The end of its lease: see {@link SendOptions.mustEndBy}. */
  readonly mustEndBy: number
}

/** A send. */
export interface Sending extends Pick<ClaimRequest, 'input' | 'target' | 'although' | 'campaign' | 'row'> {
  /** How long the send may take. */
  readonly deadlineMs: number
  /** Default: a new UUID. */
  readonly reference?: string | undefined
}

/** The service's result of a create. */
export type Created = CertificationInvite | PackageInvite

/* A send that ends at its deadline needs some time to be recorded. */
const RECORDING_MS = 30_000

/** Records sends of one scope in a ledger: before their requests, and after they ended. */
export class SendRecorder {
  readonly #ledger: Ledger
  readonly #scope: LedgerScope
  readonly #hooks: Pick<Hooks, 'onUnrecorded' | 'onRecordedLate'>
  #hasWarnedOfExpiry = false

  /** @param hooks the observers of what neither a result nor an error can tell the caller */
  constructor(ledger: Ledger, scope: LedgerScope, hooks: Pick<Hooks, 'onUnrecorded' | 'onRecordedLate'> = {}) {
    this.#ledger = ledger
    this.#scope = scope
    this.#hooks = hooks
  }

  /** Decides whether something may be sent, and records it. @throws CertifyError LEDGER_UNUSABLE, CLOCK_SKEW */
  async claim({ deadlineMs, reference = crypto.randomUUID(), ...sending }: Sending): Promise<Decision> {
    const leaseMs = deadlineMs + RECORDING_MS
    /* Read before the claim, so that it ends before the lease does, by whichever clock. */
    const mustEndBy = Date.now() + leaseMs
    const claim = await this.#ledger.claim({ ...sending, scope: this.#scope, reference, leaseMs })
    return claim.kind === 'claimed' ? { kind: 'send', reference: claim.reference, mustEndBy } : claim
  }

  /**
   * Records how a send ended. It does not reject: the caller must still learn the outcome. If recording fails, the
   * entry becomes unknown when its lease ends, and is not sent again; the observer receives the error. An observer is
   * also told if it was recorded late. Resolves with the reason why it was not recorded, or with RESPONSE_MISMATCHED if
   * the response belongs to another send.
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

  /* Warns once: a service that returns one such expiry returns thousands. */
  #checkExpiries(reference: string, invites: readonly LedgerInvite[]): void {
    const now = this.#ledger.clock.now()
    if (this.#hasWarnedOfExpiry || !invites.some(({ expiresAt }) => Date.parse(expiresAt) <= now)) return
    this.#hasWarnedOfExpiry = true
    warn(
      `The service says that the invite of the create ${reference} expired before it was created. The ledger counts it as ` +
        'open for 14 days. Compare the clocks of this machine and of the service. Further invites like it are not reported.',
      'CERTIFY_LEDGER_EXPIRY',
    )
  }
}

function mayHaveCreated({ state }: Settlement): boolean {
  return state === 'created' || state === 'unknown'
}

/* A purge removed it after its lease, or a failover of the database lost it. Another send would not be refused. */
function entryLost(reference: string): CertifyError {
  return ledgerUnusable(
    `it has lost the entry ${reference}`,
    'It may have created an invite that the ledger does not know. After a failover or a restore, read docs/queues.md.',
  )
}

/* The default observers: without them this would be lost. */
function warnOfUnrecorded(error: CertifyError): void {
  warn(
    `A create ended and could not be recorded; the ledger will report it as unknown. ${error.message}`,
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
