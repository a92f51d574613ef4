import type { CertifyError, CertifyErrorCode, Outcome } from '../errors.ts'

/**
 * Observers of a client. They cannot change or delay anything: the client does not await what they return, and ignores
 * what they throw. Events may be logged: they contain no key, candidate, link or text of the service.
 */
export interface Hooks {
  /** An attempt ended, with or without success. */
  readonly onAttempt?: ((event: AttemptEvent) => void) | undefined
  /** An attempt failed. Another one follows after a wait. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined
  /** The call ended, with or without success. */
  readonly onSettled?: ((event: SettledEvent) => void) | undefined
  /**
   * With a ledger: an invite could not be recorded by the deadline of its create, or the end of any create by the end of its
   * lease. The caller still gets the result. The ledger goes on trying until the lease ends; if that fails, it reports the
   * create as unknown. Called once for a create. Default: a process warning.
   */
  readonly onUnrecorded?: ((error: CertifyError) => void) | undefined
  /**
   * With a ledger: the create of this reference was recorded after its lease had ended. Until then other callers may have seen
   * it as unknown, and somebody may have resolved it or sent it again. Default: a process warning.
   */
  readonly onRecordedLate?: ((reference: string) => void) | undefined
  /**
   * The circuit breaker opened: no create had a clear response any more. Until it closes, creates fail with SERVICE_UNAVAILABLE.
   * Clients with the same ledger and endpoint share it; the client whose create opened it calls this.
   */
  readonly onBreakerOpened?: ((event: BreakerEvent) => void) | undefined
  /** The circuit breaker closed: a create had a clear response. The client of that create calls this. */
  readonly onBreakerClosed?: ((event: BreakerEvent) => void) | undefined
}

/** An outage of the service, as the circuit breaker sees it. */
export interface BreakerEvent extends Pick<CertifyError, 'code' | 'status'> {
  /** When the first create had no clear response: ISO 8601 in UTC. */
  readonly since: string
  /** How many creates have become `unknown` since then. */
  readonly unknown: number
}

/** An attempt that is about to be sent. */
export interface RequestEvent {
  /** The method, as in `invites.create`. */
  readonly operation: string
  /** The reference of the call, the same for all its attempts. */
  readonly reference: string
  /** From 1. */
  readonly attempt: number
}

/** The end of one attempt. */
export interface AttemptEvent extends RequestEvent, Pick<CertifyError, 'status' | 'requestId'> {
  /** How long it took, in milliseconds. */
  readonly durationMs: number
  /** The code of the failure; `undefined` after a success. */
  readonly code: CertifyErrorCode | undefined
  /** What became of the request at the service; `undefined` after a success. */
  readonly outcome: Outcome | undefined
}

/** A failed attempt and the wait after it. */
export interface RetryEvent extends AttemptEvent {
  /** How long until the next attempt, in milliseconds. */
  readonly waitMs: number
}

/** The end of a call. */
export interface SettledEvent extends Omit<AttemptEvent, 'attempt'> {
  /** How many attempts the call made. */
  readonly attempts: number
}

/** Calls an observer, if there is one. It cannot affect the call. */
export function notify<Event>(observer: ((event: Event) => unknown) | undefined, eventOf: () => Event): void {
  try {
    const returned = observer?.(Object.freeze(eventOf()))
    if (returned instanceof Promise) returned.catch(() => {})
  } catch {
    /* The observer's own bug. */
  }
}
