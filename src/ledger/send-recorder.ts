import { type AbortSignalLike, type CertificationInvite, CertifyError, type PackageInvite, settle } from '../index.ts'
import { pause } from '../pause.ts'
import type { Claim, ClaimRequest, LedgerEntry, LedgerScope, SendInput, Settlement, Target } from './rules/entry.ts'
import { type LedgerError, ledgerUnusable, referenceUsed, responseMismatched } from './rules/errors.ts'
import type { Ledger } from './rules/ledger.ts'

/** What a caller may do after its claim. */
export type Decision =
  | { readonly kind: 'send'; readonly reference: string }
  | { readonly kind: 'invited'; readonly entries: readonly LedgerEntry[] }
  | { readonly kind: 'unknown'; readonly entries: readonly LedgerEntry[] }

/** A send. */
export interface Sending extends Pick<ClaimRequest, 'although' | 'campaign' | 'row'> {
  /** As in `invites.create`. */
  readonly operation: string
  readonly input: SendInput
  readonly target: Target
  /** How long the send may take. */
  readonly deadlineMs: number
  /**
   * How long to wait for another caller's send. Default: `deadlineMs`. It never takes longer than that send's lease.
   */
  readonly maxWaitMs?: number | undefined
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

/* How often to check whether another caller's send has ended. */
const POLL_MS = 50

/** Who learns what a caller cannot be told by a result or an error. */
export interface RecordObservers {
  /** A send ended, and could not be recorded. Default: a process warning. */
  readonly onUnsettled?: ((error: CertifyError) => void) | undefined
  /** A send was recorded after its lease had ended. Default: a process warning. */
  readonly onLate?: ((reference: string) => void) | undefined
}

/** Records sends of one scope in a ledger: before their requests, and after they ended. */
export class SendRecorder {
  readonly #ledger: Ledger
  readonly #scope: LedgerScope
  readonly #onUnsettled: (error: CertifyError) => void
  readonly #onLate: (reference: string) => void

  constructor(
    ledger: Ledger,
    scope: LedgerScope,
    { onUnsettled = warnOfUnsettled, onLate = warnOfLate }: RecordObservers = {},
  ) {
    this.#ledger = ledger
    this.#scope = scope
    this.#onUnsettled = onUnsettled
    this.#onLate = onLate
  }

  /**
   * Decides whether something may be sent, and records it. If another caller is sending it now, this waits for the end
   * of that send.
   *
   * @throws CertifyError LEDGER_UNUSABLE; TIMED_OUT or ABORTED while waiting; the outcome is always `not-executed`
   */
  async claim({ operation, deadlineMs, maxWaitMs = deadlineMs, signal, ...sending }: Sending): Promise<Decision> {
    const { clock } = this.#ledger
    const { reference = crypto.randomUUID() } = sending
    const leaseMs = leaseOf(deadlineMs)
    const request: ClaimRequest = { ...sending, scope: this.#scope, reference, leaseMs, deadlineMs }
    const giveUpAt = clock.now() + maxWaitMs
    for (;;) {
      const claim = await this.#claim(operation, request, sending.reference)
      if (claim.kind === 'claimed') return { kind: 'send', reference }
      if (claim.kind !== 'in-flight') return { kind: claim.kind, entries: claim.entries }
      if (signal?.aborted === true) throw waitEnded('ABORTED', operation, claim.entries, signal.reason)
      if (clock.now() >= giveUpAt) throw waitEnded('TIMED_OUT', operation, claim.entries)
      await pause(clock, POLL_MS, signal)
    }
  }

  /* A reference is unique. Whether this one is, the claim itself decides. */
  async #claim(operation: string, request: ClaimRequest, own: string | undefined): Promise<Claim> {
    try {
      return await this.#ledger.claim(request)
    } catch (error) {
      if (own !== undefined && (await this.#ledger.find(own).catch(() => undefined)) !== undefined)
        throw referenceUsed(operation, own)
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
    const { value, error: failure } = await settle(this.#ledger.settle(reference, settlement))
    const isLate = value === 'late'
    const error = value === 'not-found' && mayHaveCreated(settlement) ? entryLost(reference) : failure
    if (error !== undefined) this.#onUnsettled(error)
    if (isLate) this.#onLate(reference)
    return {
      isLate,
      unrecorded: error,
      mismatch: value === 'mismatched' ? responseMismatched(operation, reference) : undefined,
    }
  }
}

function mayHaveCreated({ state }: Settlement): boolean {
  return state === 'created' || state === 'unknown'
}

/* A purge removed it after its lease, or a failover of a database has lost it. Another send would not be refused. */
function entryLost(reference: string): LedgerError {
  return ledgerUnusable(
    `it has lost the entry ${reference}`,
    'Its send may have created an invite that the ledger does not know. After a failover or a restore, read docs/postgres.md.',
  )
}

/** Nothing was sent, because another call is sending the same. */
export function waitEnded(
  code: 'ABORTED' | 'TIMED_OUT',
  operation: string,
  [entry]: readonly LedgerEntry[],
  cause?: unknown,
): CertifyError {
  const what = code === 'ABORTED' ? 'the call was aborted' : 'the time was up'
  return new CertifyError({
    code,
    outcome: 'not-executed',
    phase: 'not-sent',
    operation,
    reference: entry?.reference,
    message: `${operation}: ${what} while another call was sending the same invite. Nothing was sent by this one.`,
    hint: 'Call again: the ledger then knows the outcome of the other one.',
    cause,
  })
}

/* The default observers: without them this would be lost. */
function warnOfUnsettled(error: CertifyError): void {
  process.emitWarning(
    `A send ended and could not be recorded; the ledger will report it as unknown. ${error.message}`,
    {
      code: 'CERTIFY_LEDGER_UNSETTLED',
    },
  )
}

function warnOfLate(reference: string): void {
  process.emitWarning(
    `The send ${reference} ended after its lease. It is recorded now. Until then it may have counted as unknown: check ` +
      'whether somebody resolved it, or sent it again.',
    { code: 'CERTIFY_LEDGER_LATE' },
  )
}
