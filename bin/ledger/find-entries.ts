import type { Ledger, LedgerEntry } from '../../src/ledger/index.ts'

/** The sends that created this invite, newest first; else the send of this reference. */
export async function entriesOf(ledger: Ledger, id: string): Promise<readonly LedgerEntry[]> {
  const found: LedgerEntry[] = []
  for await (const entry of ledger.list({ inviteId: id })) found.push(entry)
  if (found.length > 0) return found
  const sent = await ledger.find(id)
  return sent === undefined ? [] : [sent]
}
