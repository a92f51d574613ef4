import { backOffMs } from '../clock.ts'
import type { CertifyError, CertifyErrorCode } from '../errors.ts'
import type { RowStatus } from './row.ts'

/**
 * What a create says about the service. `inconclusive`: it may be down. `neither`: nothing, as with HTTP 429, which
 * pauses the run separately.
 */
export type Verdict = 'conclusive' | 'inconclusive' | 'neither'

/** How a campaign goes on after a failed send. */
export interface FailedSend {
  readonly status: RowStatus
  /** What it says about the service. */
  readonly verdict: Verdict
  /** How long all workers wait, in milliseconds. */
  readonly waitMs?: number | undefined
  /** Whether the same row is sent again: only with proof that it was not executed. */
  readonly sendAgain?: boolean
  /** Whether the campaign ends: every other row would fail in the same way. */
  readonly endsRun?: boolean
}

/** The failed sends of one row so far. */
export interface Tries {
  /** How often the row was rate limited. */
  limited: number
  /** How often it was turned away by something in front of the service, with a response of the service in between. */
  turnedAway: number
  /** How often the service had responded when the row was last turned away. */
  responses: number
}

/**
 * Decides how a campaign goes on after a failed send.
 *
 * @param tries the failed sends of the row so far, with this one
 */
export function afterFailure(error: CertifyError, { limited, turnedAway }: Tries): FailedSend {
  const { code, apiCode, outcome, retryable, retryAfterMs } = error
  if (outcome === 'executed') return { status: 'created', verdict: 'conclusive' }
  /* A proxy that mixes up responses would mix up the next ones too, so that ends the run. */
  if (outcome === 'unknown') {
    const waitMs = apiCode === 'RATE_LIMITED' ? (retryAfterMs ?? waitAfter(limited)) : undefined
    return { status: 'unknown', verdict: 'inconclusive', waitMs, endsRun: code === 'RESPONSE_MISMATCHED' }
  }
  if (code === 'RATE_LIMITED') {
    /*
     * HTTP 429 from a gateway proves that nothing happened. An error code may come from a later step: see `retryable`.
     */
    const waitMs = retryAfterMs ?? waitAfter(limited)
    return { status: 'failed', verdict: 'neither', waitMs, sendAgain: retryable && limited < 10 }
  }
  /* If the service responds to other rows but keeps turning this one away, the row is the reason. */
  if (isTurnedAway(error) && turnedAway >= 3) return { status: 'failed', verdict: 'neither' }
  if (UNSENT.has(code)) return { status: 'failed', verdict: 'inconclusive', sendAgain: true }
  return {
    status: STATUS[code] ?? 'failed',
    verdict: isServiceResponse(error) ? 'conclusive' : 'neither',
    endsRun: ENDS_RUN.has(code),
  }
}

/** Whether a failure is a response of the service: a GraphQL result, or a refusal of the credentials. */
export function isServiceResponse({ code, apiCode, apiMessages }: CertifyError): boolean {
  if (code === 'SERVER_FAULT' || code === 'RATE_LIMITED' || code === 'RESPONSE_MISMATCHED') return false
  return RESPONSES.has(code) || apiCode !== undefined || apiMessages.length > 0
}

/** Whether something in front of the service turned it away: a wrong URL, or a gateway whose backend is gone. */
export function isTurnedAway({ code, status }: CertifyError): boolean {
  return code === 'UNREACHABLE' && status !== undefined
}

/** How long all workers wait after this many failures, in milliseconds. */
export function waitAfter(failures: number): number {
  return backOffMs(failures, 500, 30_000)
}

const UNSENT: ReadonlySet<CertifyErrorCode> = new Set(['CREDENTIALS_UNAVAILABLE', 'UNREACHABLE', 'TIMED_OUT'])

const RESPONSES: ReadonlySet<CertifyErrorCode> = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'RESPONSE_UNEXPECTED'])

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
