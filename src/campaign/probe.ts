import { pause } from '../clock.ts'
import { type CertifyError, isCertifyError } from '../errors.ts'
import { NO_TRACK } from '../operations.ts'
import { isServiceResponse } from '../transport/failures.ts'
import { waitAfter } from './failed-create.ts'
import type { PlanParts } from './plan.ts'
import type { Progress } from './progress.ts'

/**
 * Sends the harmless query before the first create, and again as a call would. Ends the run if nothing responds, because the
 * URL may be wrong.
 */
export async function probeFirst(parts: PlanParts, progress: Progress): Promise<void> {
  const { stopping } = progress
  const { limits, query } = parts.recording.client
  const { maxAttempts, deadlineMs } = limits
  for (let attempt = 1; !stopping.aborted; attempt += 1) {
    const probe = query(NO_TRACK, { retry: false, signal: stopping })
    const error = await probe.then(() => undefined, certifyError)
    if (error === undefined || isServiceResponse(error)) return
    const { retryAfterMs = 0, retryable } = error
    const mayTryAgain =
      error.code === 'RATE_LIMITED'
        ? attempt < MAX_LIMITS
        : retryable && attempt < maxAttempts && retryAfterMs < deadlineMs
    if (!mayTryAgain) return progress.end(error)
    const waitMs = error.retryAfterMs ?? waitAfter(attempt)
    progress.notify({ type: 'pause', waitMs, error })
    await pause(parts.recording.ledger.clock, waitMs, stopping)
  }
}

/* The same as for a create. */
const MAX_LIMITS = 10

function certifyError(error: unknown): CertifyError {
  if (!isCertifyError(error)) throw error
  return error
}
