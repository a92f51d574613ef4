import { backOffMs } from '../clock.ts'
import { FAILURES, type FailureKind, type FailureRule, type OperationKind } from './failures.ts'

/** Everything that decides whether a failed attempt is retried. */
export interface FailedAttempt {
  readonly kind: OperationKind
  readonly failure: FailureKind
  /** Which attempt failed, from 1. */
  readonly attempt: number
  readonly maxAttempts: number
  /** How long the service asks to wait. */
  readonly retryAfterMs: number | undefined
  /** What is left of the time for the whole call. */
  readonly remainingMs: number
  /** From 0 to less than 1. */
  readonly random: number
}

/**
 * How long to wait before the next attempt, in milliseconds; `undefined` for no further attempt.
 *
 * A create is retried only with proof that it was not executed. The call waits as long as the service asks, or ends at
 * once if its time is too short. Otherwise it backs off exponentially, with full jitter.
 */
export function waitBeforeRetry(failed: FailedAttempt): number | undefined {
  if (!isRetryable(failed.kind, failed.failure)) return undefined
  if (failed.attempt >= failed.maxAttempts) return undefined
  const { attempt, random } = failed
  const waitMs = failed.retryAfterMs ?? backOffMs(attempt, FIRST_WAIT_MS, LONGEST_WAIT_MS, random)
  return waitMs < failed.remainingMs ? waitMs : undefined
}

/** Whether a request of this kind may be retried after this failure. */
export function isRetryable(kind: OperationKind, failure: FailureKind): boolean {
  const { retry }: FailureRule = FAILURES[failure]
  return retry === 'always' || (retry === 'queries' && kind === 'query')
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8000

/**
 * Reads a Retry-After: a number of seconds or an HTTP date. Anything else is ignored.
 *
 * @param now the time of day in milliseconds, to compare a date with
 */
export function readRetryAfter(header: string | null | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  /* Within the range of dates, however long it is: to ignore it would mean to retry sooner. */
  if (/^\d+$/.test(text)) return Math.min(Number(text), 1e12) * 1000
  if (!HTTP_DATE.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/* The only form that HTTP still allows in new headers, as in Sun, 06 Nov 1994 08:49:37 GMT. */
const HTTP_DATE = /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/
