import type { CertifyClient } from '../client.ts'
import { type CertifyError, isCertifyError } from '../errors.ts'
import { clockApart } from '../ledger/rules/errors.ts'
import { MOST_SKEW_MS } from '../ledger/rules/key.ts'
import type { LedgerGuard } from '../ledger/guard.ts'
import { isServiceResponse } from './failed-send.ts'

/** What a probe needs from its run. */
export interface ProbeOptions {
  readonly client: CertifyClient
  readonly guard: LedgerGuard
  readonly timeoutMs: number
  readonly allowClockSkew: boolean
  readonly signal: AbortSignal
}

/**
 * Sends the harmless query that shows whether the service responds. Resolves with its failure, with CLOCK_SKEW if the
 * service's clock is too far from the ledger's, or with `undefined` on success.
 */
export async function probe({ client, guard, timeoutMs, allowClockSkew, signal }: ProbeOptions) {
  /* No track has this slug: the response is small, and nothing changes. */
  const query = client.tracks.list({ trackSlug: '-' }, { retry: false, timeoutMs, signal })
  const error = await query.then(() => undefined, certifyError)
  if (allowClockSkew || (error !== undefined && !isServiceResponse(error))) return error
  const serviceTime = guard.service.now() ?? Number.NEGATIVE_INFINITY
  if (serviceTime === Number.NEGATIVE_INFINITY) return error
  /* The clock that decides leases and expiries, which may be a database's. */
  const now = await guard.ledger.now()
  return Math.abs(serviceTime - now) <= MOST_SKEW_MS ? error : clockApart(now, serviceTime)
}

function certifyError(error: unknown): CertifyError {
  if (!isCertifyError(error)) throw error
  return error
}
