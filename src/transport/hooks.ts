import type { CertifyErrorCode, Outcome } from '../errors.ts'

/**
 * Observers of what a client does. They are told and cannot change or slow anything: what they return is not awaited,
 * and what they throw is dropped. What they are told may be logged: no key, candidate, link or word of the service is in it.
 */
export interface Hooks {
  /** An attempt ended, well or not. */
  readonly onAttempt?: ((event: AttemptEvent) => void) | undefined
  /** An attempt failed, and another follows after a wait. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined
  /** The call ended, well or not. */
  readonly onSettled?: ((event: SettledEvent) => void) | undefined
}

/** The end of one attempt. */
export interface AttemptEvent {
  /** The method, as in `invites.create`. */
  readonly operation: string
  /** The UUID of the call, the same on every attempt. */
  readonly reference: string
  /** From 1. */
  readonly attempt: number
  readonly durationMs: number
  readonly status: number | undefined
  readonly requestId: string | undefined
  /** What failed; `undefined` where the attempt went well. */
  readonly code: CertifyErrorCode | undefined
  readonly outcome: Outcome | undefined
}

/** A failed attempt and the wait that follows it. */
export interface RetryEvent extends AttemptEvent {
  readonly waitMs: number
}

/** The end of a call. */
export interface SettledEvent extends Omit<AttemptEvent, 'attempt'> {
  readonly attempts: number
}

/** Tells an observer, if there is one, and lets nothing of it reach the call. */
export function notify<Event>(observer: ((event: Event) => unknown) | undefined, eventOf: () => Event): void {
  if (observer === undefined) return
  try {
    const returned = observer(Object.freeze(eventOf()))
    if (returned instanceof Promise) returned.catch(() => {})
  } catch {
    /* An observer's fault is its own. */
  }
}
