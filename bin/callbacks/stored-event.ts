import type { InboxRow } from '../../src/callbacks/index.ts'
import type { LedgerInbox } from '../../src/ledger/index.ts'
import { notFoundError } from '../cli-error.ts'
import type { LedgerPlace } from '../config/ledger-place.ts'

/** The event with this key. @throws CliError NOT_FOUND */
export async function storedEvent(inbox: LedgerInbox, key: string, place: LedgerPlace): Promise<InboxRow> {
  const stored = await inbox.find(key)
  if (stored !== undefined) return stored
  const hint = `\`certify callbacks list${place.flags}\` shows what it has.`
  throw notFoundError('the inbox has no event with this key. Nothing was changed.', hint)
}
