import { type AbortSignalLike, type CertificationInvite, CertifyError, type PackageInvite, settle } from '../index.ts'
import { pause } from './rules/clock.ts'
import type { Claim, ClaimRequest, LedgerEntry, LedgerScope, SendInput, Settlement, Target } from './rules/entry.ts'
import { responseMismatched } from './rules/errors.ts'
import type { Ledger } from './rules/ledger.ts'

/** What a caller may do once its claim was decided. */
export type Decision =
  | { readonly kind: 'send'; readonly reference: string }
  | { readonly kind: 'invited'; readonly entries: readonly LedgerEntry[] }
  | { readonly kind: 'unknown'; readonly entries: readonly LedgerEntry[] }

/** What is to be sent. */
export interface Sending extends Pick<ClaimRequest, 'although' | 'campaign' | 'row'> {
  /** As in `invites.create`. */
  readonly operation: string
  readonly input: SendInput
  readonly target: Target
  /** How long sending it may take. */
  readonly deadlineMs: number
  /** How long to wait for somebody else who sends it. Default: `deadlineMs`. It never takes longer than their lease. */
  readonly patienceMs?: number | undefined
  readonly signal?: AbortSignalLike | undefined
}

/** What the service returns for a create. */
export type Created = CertificationInvite | PackageInvite

/* The settling of a send that ended at its deadline takes a moment as well. */
const LEASE_MARGIN_MS = 30_000
/* How often one looks whether somebody else's send has ended. */
const LOOK_MS = 50

/** Records sends in a ledger, within one scope: before they leave, and after they ended. */
export class SendRecorder {
  readonly #ledger: Ledger
  readonly #scope: LedgerScope
  readonly #onUnsettled: (error: CertifyError) => void

  constructor(ledger: Ledger, scope: LedgerScope, onUnsettled: (error: CertifyError) => void = warn) {
    this.#ledger = ledger
    this.#scope = scope
    this.#onUnsettled = onUnsettled
  }

  /**
   * Decides whether something may be sent, and records that it will be. Where somebody else is sending it right now, their
   * end is waited for.
   *
   * @throws CertifyError LEDGER_UNUSABLE; TIMED_OUT or ABORTED while waiting; the outcome is always `not-executed`
   */
  async claim({ operation, deadlineMs, patienceMs = deadlineMs, signal, ...sending }: Sending): Promise<Decision> {
    const { clock } = this.#ledger
    const reference: string = crypto.randomUUID()
    const leaseMs = deadlineMs + LEASE_MARGIN_MS
    const request: ClaimRequest = { ...sending, scope: this.#scope, reference, leaseMs }
    const giveUpAt = clock.now() + patienceMs
    for (;;) {
      const claim: Claim = await this.#ledger.claim(request)
      if (claim.kind === 'claimed') return { kind: 'send', reference }
      if (claim.kind !== 'in-flight') return { kind: claim.kind, entries: claim.entries }
      if (signal?.aborted === true) throw gaveUp('ABORTED', operation, claim.entries, signal.reason)
      if (clock.now() >= giveUpAt) throw gaveUp('TIMED_OUT', operation, claim.entries)
      await pause(clock, LOOK_MS, signal as AbortSignal | undefined)
    }
  }

  /**
   * Records how a send ended. It does not reject: what happened has happened, and the caller has to learn of it. Where it
   * cannot be recorded, the entry becomes unknown when its lease ends, and is not sent again; the observer gets the error.
   * Resolves with why it was not recorded, or with a RESPONSE_MISMATCHED where the answer is that of another send.
   */
  async recordOutcome(
    operation: string,
    reference: string,
    settlement: Settlement,
  ): Promise<{ readonly unrecorded?: CertifyError | undefined; readonly mismatch?: CertifyError | undefined }> {
    const { value, error } = await settle(this.#ledger.settle(reference, settlement))
    if (error !== undefined) this.#onUnsettled(error)
    return {
      unrecorded: error,
      mismatch: value === 'mismatched' ? responseMismatched(operation, reference) : undefined,
    }
  }
}

function gaveUp(
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
    hint: 'Call again: the ledger then knows what came of the other one.',
    cause,
  })
}

/* Somebody has to be told, and nobody asked to be. */
function warn(error: CertifyError): void {
  process.emitWarning(`A send ended and could not be recorded; the ledger will call it unknown. ${error.message}`, {
    code: 'CERTIFY_LEDGER_UNSETTLED',
  })
}
