import { type AdminSessionClient, type CertifyError, isCertifyError } from '../index.ts'
import { clockApart } from '../ledger/rules/errors.ts'
import { MOST_SKEW_MS } from '../ledger/rules/key.ts'
import type { Ledger } from '../ledger/rules/ledger.ts'
import { isServiceResponse } from './failed-send.ts'

/** What a probe needs from its run. */
export interface ProbeOptions {
  readonly client: AdminSessionClient
  readonly ledger: Ledger
  readonly timeoutMs: number
  readonly allowClockSkew: boolean
  readonly signal: AbortSignal
}

/**
 * Sends the harmless query that shows whether the service responds. Resolves with its failure, with CLOCK_SKEW if the
 * service's clock is too far from the ledger's, or with `undefined` on success.
 */
export async function probe({ client, ledger, timeoutMs, allowClockSkew, signal }: ProbeOptions) {
  let date = ''
  const onResponse = (header: (name: string) => string | null) => {
    date = header('date') ?? ''
  }
  /* No track has this slug: the response is small, and nothing changes. */
  const query = client.tracks.list({ trackSlug: '-' }, { retry: false, timeoutMs, signal, onResponse })
  const error = await query.then(() => undefined, certifyError)
  if (allowClockSkew || (error !== undefined && !isServiceResponse(error))) return error
  const serviceTime = new Date(date)
  /* Only the format that HTTP prescribes counts. */
  if (serviceTime.toUTCString() !== date) return error
  /* The clock that decides leases and expiries, which may be a database's. */
  const now = await ledger.now()
  return Math.abs(serviceTime.getTime() - now) <= MOST_SKEW_MS ? error : clockApart(now, serviceTime.getTime())
}

function certifyError(error: unknown): CertifyError {
  if (!isCertifyError(error)) throw error
  return error
}
