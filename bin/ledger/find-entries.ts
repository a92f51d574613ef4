import type { Ledger, LedgerEntry } from '../../src/ledger/index.ts'
import { CliError, notFoundError } from '../cli-error.ts'
import type { LedgerPlace } from '../config/ledger-place.ts'
import { type InviteRow, inviteRowsOf } from './invite-row.ts'

/** The creates of this invite or candidate, newest first; else the create with this reference. */
export async function entriesOf(ledger: Ledger, id: string): Promise<readonly LedgerEntry[]> {
  const found: LedgerEntry[] = []
  for await (const entry of ledger.list(isAddress(id) ? { email: id } : { inviteId: id })) found.push(entry)
  if (found.length > 0) return found
  const sent = await ledger.find(id)
  return sent === undefined ? [] : [sent]
}

export function isAddress(id: string): boolean {
  return id.includes('@')
}

/** {@link entriesOf}, if there are any. @throws CliError NOT_FOUND */
export async function existingEntriesOf(
  ledger: Ledger,
  id: string,
  place: LedgerPlace,
): Promise<readonly [newest: LedgerEntry, ...older: LedgerEntry[]]> {
  const [newest, ...older] = await entriesOf(ledger, id)
  if (newest !== undefined) return [newest, ...older]
  throw notFoundError(
    'the ledger has no invite with this id or for this address, and no create with this reference.',
    `\`certify invites list --all${place.flags}\` shows what it has.`,
  )
}

/** The row that an id names: its invite or follow-up. A reference stands for its only invite. @throws CliError */
export function rowNamed(id: string, entry: LedgerEntry, showLinks: boolean, place: LedgerPlace): InviteRow {
  const rows = inviteRowsOf(entry, showLinks)
  const row = rows.find(({ inviteId }) => inviteId === id) ?? (entry.invites.length > 1 ? undefined : rows[0])
  if (row !== undefined) return row
  throw new CliError(
    `that create made ${entry.invites.length} invites: ${entry.invites.map(({ inviteId }) => inviteId).join(', ')}.`,
    `Name one of them, as \`certify invites list --all${place.flags}\` shows it.`,
  )
}
