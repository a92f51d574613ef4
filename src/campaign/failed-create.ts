import { backOffMs } from '../clock.ts'
import type { CertifyError, CertifyErrorCode } from '../errors.ts'
import type { RowStatus } from './row.ts'

/** How a campaign goes on after a failed create. */
export interface FailedCreate {
  readonly status: RowStatus
  /** How long all workers wait, in milliseconds. */
  readonly waitMs?: number | undefined
  /** Whether the same row is sent again: only with proof that it was not executed. */
  readonly sendAgain?: boolean
  /** Whether the campaign ends: every other row would fail in the same way. */
  readonly endsRun?: boolean
}

/** The failed creates of one row so far. */
export interface Tries {
  /** How often the row was rate limited, or there were no credentials. */
  limited: number
  /** How often it was turned away by something in front of the service, with a response of the service in between. */
  turnedAway: number
  /** How often the service had responded when the row was last turned away. */
  responses: number
}

/**
 * Decides how a campaign goes on after a failed create.
 *
 * @param tries the failed creates of the row so far, with this one
 */
export function afterFailure(error: CertifyError, { limited, turnedAway }: Tries): FailedCreate {
  const { code, apiCode, outcome, retryable, retryAfterMs } = error
  const limitedFailure = { status: 'failed', waitMs: retryAfterMs ?? waitAfter(limited) } as const
  if (outcome === 'executed') return { status: 'created' }
  /* A proxy that mixes up responses would mix up the next ones too, so that ends the run. */
  if (outcome === 'unknown') {
    const waitMs = apiCode === 'RATE_LIMITED' ? limitedFailure.waitMs : undefined
    return { status: 'unknown', waitMs, endsRun: code === 'RESPONSE_MISMATCHED' }
  }
  /* HTTP 429 from a gateway proves that nothing happened. An error code may come from a later step: see `retryable`. */
  if (code === 'RATE_LIMITED') return { ...limitedFailure, sendAgain: retryable && limited < 10 }
  if (code === 'CREDENTIALS_UNAVAILABLE')
    return { ...limitedFailure, sendAgain: limited < MAX_UNAVAILABLE, endsRun: limited >= MAX_UNAVAILABLE }
  /* If the service responds to other rows but keeps turning this one away, the row is the reason. */
  if (isTurnedAway(error) && turnedAway >= 3) return { status: 'failed' }
  if (UNSENT.has(code)) return { status: 'failed', sendAgain: true }
  return {
    status: STATUS[code] ?? 'failed',
    endsRun: ENDS_RUN.has(code),
  }
}

/* About ten minutes. */
const MAX_UNAVAILABLE = 24

/** Whether the row is sent again after a wait, some times. */
export function isLimited({ code, apiCode }: CertifyError): boolean {
  return code === 'RATE_LIMITED' || apiCode === 'RATE_LIMITED' || code === 'CREDENTIALS_UNAVAILABLE'
}

/** Whether something in front of the service turned it away: a wrong URL, or a gateway whose backend is gone. */
export function isTurnedAway({ code, status }: CertifyError): boolean {
  return code === 'UNREACHABLE' && status !== undefined
}

/** How long all workers wait after this many failures, in milliseconds. */
export function waitAfter(failures: number): number {
  return backOffMs(failures, 500, 30_000)
}

const UNSENT: ReadonlySet<CertifyErrorCode> = new Set(['UNREACHABLE', 'TIMED_OUT'])

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
  'WRONG_SERVICE',
  'LEDGER_UNUSABLE',
])
