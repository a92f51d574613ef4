import { CertifyError, type CertifyErrorCode } from '../index.ts'
import type { Clock } from '../ledger/rules/clock.ts'
import type { SharedPace } from '../ledger/rules/shared-pace.ts'
import type { OutageEvent, PauseEvent } from './row.ts'

/** What the gate needs from its run. */
export interface OutageOptions {
  readonly clock: Clock
  /** How many creates may be on their way. */
  readonly concurrency: number
  /** How long an outage may last, in milliseconds. */
  readonly maxOutageMs: number
  /** The longest Retry-After to wait for, in milliseconds. */
  readonly maxWaitMs: number
  /** How often the first probe may be tried, and how long it may be asked to wait. */
  readonly first: { readonly maxAttempts: number; readonly deadlineMs: number }
  /** Sends the harmless query once. Resolves with its failure, and with `undefined` if it went well. */
  readonly probe: () => Promise<CertifyError | undefined>
  readonly notify: (event: OutageEvent | PauseEvent) => void
  /** Ends the run. */
  readonly end: (error: CertifyError) => void
  /** Aborted when the run ends. */
  readonly stopping: AbortSignal
  /**
   * Shared with other runs: then one of them probes for all. `leaseMs`: the most time from a probe or a create to the next
   * one, without waits.
   */
  readonly ofAll?: { readonly pace: SharedPace; readonly leaseMs: number } | undefined
}

/** The right to send one create. */
export interface Ticket {
  /** How many creates had been inconclusive when this one began. */
  readonly after: number
}

/** The failure of an outage that another run has found. */
export function foundByAnother(code: CertifyErrorCode): CertifyError {
  return new CertifyError({
    code,
    outcome: 'not-executed',
    message: `Another process that shares the ledger found that the service does not respond (${code}).`,
    hint: 'Run the same again when it responds: what was sent is recorded.',
  })
}
