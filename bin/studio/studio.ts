import { refuse } from '../../mock-server/control/control-errors.ts'
import type { ListRequest } from '../../mock-server/pages/kit/lists.ts'
import type { Ledger, LedgerFilter, LedgerRecord } from '../../src/ledger/index.ts'
import { textFault } from '../text-fault.ts'

/** What the studio shows, and for whom. */
export interface Studio {
  readonly ledger: Ledger
  /** Only the records of this account. */
  readonly account: string | undefined
  /** Who decides: the user of this machine. */
  readonly by: string | undefined
  readonly now: () => number
}

export const SOON_MS = 3 * 24 * 60 * 60 * 1000

/** The filter that each view begins with: the account, and what is searched for. */
export function scopeOf({ account }: Studio, { q = '' }: ListRequest['query'] = {}) {
  const search = q.slice(0, MAX_SEARCH_LENGTH)
  const fault = textFault(search)
  if (fault !== undefined) refuse('BAD_REQUEST', `The search ${fault}.`)
  return { ...(account !== undefined && { account }), ...(search.trim() !== '' && { search }) }
}

const MAX_SEARCH_LENGTH = 200

/** The record with this reference, if its account is shown. */
export async function recordOf({ ledger, account }: Studio, reference: string): Promise<LedgerRecord | undefined> {
  const record = await ledger.find(reference)
  return account === undefined || record?.account === account ? record : undefined
}

/** The record that was made last. */
export async function newestRecord(studio: Studio, filter: LedgerFilter = {}): Promise<LedgerRecord | undefined> {
  for await (const record of studio.ledger.list({ ...scopeOf(studio), ...filter, limit: 1 })) return record
  return undefined
}

export const referenceOf = ({ reference }: { readonly reference: string }) => reference

/** The name of a ledger: of its file, or of its database. */
export function nameOf({ path }: Ledger): string {
  return path.split(/[\\/]/).at(-1)?.split('?')[0] || path
}
