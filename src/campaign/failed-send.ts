import type { CertifyError, CertifyErrorCode } from '../index.ts'
import type { RowStatus } from './row.ts'

/** How a campaign goes on after a failed send. */
export interface FailedSend {
  readonly status: RowStatus
  /** How long all workers wait, in milliseconds. */
  readonly waitMs?: number | undefined
  /** Whether the same row is sent again: only with proof that it was not executed. */
  readonly sendAgain: boolean
  /** Whether the campaign ends: every other row would fail in the same way. */
  readonly endsRun: boolean
}

/**
 * Decides how a campaign goes on after a failed send.
 *
 * @param attempt how often the row was sent, from 1
 * @param hasResponded whether the service has responded in this run: if it never did, the base URL may be wrong
 */
export function afterFailure(error: CertifyError, attempt: number, hasResponded: boolean): FailedSend {
  const { code, apiCode, outcome, retryable, retryAfterMs } = error
  const backOffMs = Math.min(30_000, 500 * 2 ** (attempt - 1))
  if (outcome === 'executed') return { status: 'created', sendAgain: false, endsRun: false }
  /* A proxy that mixes up responses would do so for the next rows too. */
  if (outcome === 'unknown') {
    const waitMs = apiCode === 'RATE_LIMITED' ? (retryAfterMs ?? backOffMs) : undefined
    return { status: 'unknown', waitMs, sendAgain: false, endsRun: code === 'RESPONSE_MISMATCHED' }
  }
  if (code === 'RATE_LIMITED') {
    /* A refusal by a gateway proves that nothing happened. An error code may come from a later step. */
    return { status: 'failed', waitMs: retryAfterMs ?? backOffMs, sendAgain: retryable && attempt < 10, endsRun: false }
  }
  if (isUnreached(error)) {
    const sendAgain = attempt < 3
    const endsRun = !sendAgain && !hasResponded
    return { status: 'failed', waitMs: endsRun ? undefined : backOffMs, sendAgain, endsRun }
  }
  return { status: STATUS[code] ?? 'failed', sendAgain: false, endsRun: ENDS_RUN.has(code) }
}

/** Whether a request did not reach the service. */
export function isUnreached({ code, outcome }: CertifyError): boolean {
  return outcome === 'not-executed' && (code === 'UNREACHABLE' || code === 'TIMED_OUT')
}

const STATUS: Partial<Record<CertifyErrorCode, RowStatus>> = {
  INPUT_INVALID: 'rejected',
  BAD_USER_INPUT: 'refused',
  NOT_FOUND: 'refused',
  API_ERROR: 'refused',
}

const ENDS_RUN: ReadonlySet<CertifyErrorCode> = new Set([
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'REDIRECT_REFUSED',
  'CONFIG_INVALID',
  'LEDGER_UNUSABLE',
])
