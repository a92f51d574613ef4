import { MOST_SKEW_MS, pause } from '../clock.ts'
import { type CertifyError, isCertifyError } from '../errors.ts'
import { clockApart } from '../ledger/rules/errors.ts'
import { isServiceResponse } from '../transport/breaker-state.ts'
import { waitAfter } from './failed-send.ts'
import type { PlanParts } from './plan.ts'
import type { Progress } from './progress.ts'

/**
 * Sends the harmless query before the first create, and again as a call would. Ends the run if nothing responds, because the
 * URL may be wrong, or if the service's clock is too far from the ledger's.
 */
export async function probeFirst(parts: PlanParts, progress: Progress, timeoutMs: number): Promise<void> {
  const { stopping } = progress
  const { maxAttempts, deadlineMs } = parts.options.client.limits
  for (let attempt = 1; !stopping.aborted; attempt += 1) {
    const error = await probe(parts, timeoutMs, stopping)
    if (error === undefined || isServiceResponse(error)) return
    const { retryAfterMs = 0, retryable } = error
    const mayTryAgain =
      error.code === 'RATE_LIMITED'
        ? attempt < MOST_LIMITS
        : retryable && attempt < maxAttempts && retryAfterMs < deadlineMs
    if (!mayTryAgain) return progress.end(error)
    const waitMs = error.retryAfterMs ?? waitAfter(attempt)
    progress.notify({ type: 'pause', waitMs, error })
    await pause(parts.recording.ledger.clock, waitMs, stopping)
  }
}

/* The same as for a create. */
const MOST_LIMITS = 10

/* Resolves with its failure, and with CLOCK_SKEW if the clocks are too far apart. */
async function probe({ options, recording: { client, ledger } }: PlanParts, timeoutMs: number, signal: AbortSignal) {
  /* No track has this slug: the response is small, and nothing changes. */
  const query = options.client.tracks.list({ trackSlug: '-' }, { retry: false, timeoutMs, signal })
  const error = await query.then(() => undefined, certifyError)
  if (client.allowClockSkew || (error !== undefined && !isServiceResponse(error))) return error
  const serviceTime = client.service.now() ?? Number.NEGATIVE_INFINITY
  if (serviceTime === Number.NEGATIVE_INFINITY) return error
  /* The clock that decides leases and expiries, which may be a database's. */
  const now = await ledger.now()
  return Math.abs(serviceTime - now) <= MOST_SKEW_MS ? error : clockApart(now, serviceTime)
}

function certifyError(error: unknown): CertifyError {
  if (!isCertifyError(error)) throw error
  return error
}
