import { type CertifyError, isCertifyError } from '../index.ts'
import type { LedgerEntry } from './rules/entry.ts'
import type { Finding, Ledger } from './rules/ledger.ts'

/** What a person found out about one send. */
export interface Resolution {
  readonly reference: string
  readonly finding: Finding
}

/** What became of one resolution: the changed entry, or why it was not recorded. */
export type Resolved =
  | { readonly reference: string; readonly entry: LedgerEntry; readonly error?: undefined }
  | { readonly reference: string; readonly entry?: undefined; readonly error: CertifyError }

/**
 * Records what a person found out about many unknown outcomes, as `ledger.resolve` does for one. Each entry is recorded
 * or not for itself. An entry that is not unknown any more is not changed, and has an error.
 *
 * @param resolutions each reference at most once
 * @returns one result for each resolution, in the same order
 * @example
 * ```ts
 * const lost: string[] = []
 * for await (const { reference } of ledger.list({ state: 'unknown', campaign: 'spring.csv' })) lost.push(reference)
 * const results = await resolveAll(ledger, lost.map((reference) => ({ reference, finding: { notCreated: true } })))
 * const failed = results.filter(({ error }) => error !== undefined)
 * ```
 */
export async function resolveAll(
  ledger: Pick<Ledger, 'resolve'>,
  resolutions: readonly Resolution[],
): Promise<readonly Resolved[]> {
  const resolved: Resolved[] = []
  for (let at = 0; at < resolutions.length; at += TOGETHER) {
    const group = resolutions.slice(at, at + TOGETHER)
    resolved.push(...(await Promise.all(group.map((each) => resolveOne(ledger, each)))))
  }
  return resolved
}

/* A ledger may record calls of the same moment together. More would lock it for too long. */
const TOGETHER = 1000

async function resolveOne(ledger: Pick<Ledger, 'resolve'>, { reference, finding }: Resolution): Promise<Resolved> {
  try {
    return { reference, entry: await ledger.resolve(reference, finding) }
  } catch (error) {
    if (!isCertifyError(error)) throw error
    return { reference, error }
  }
}
