import type { Ledger, LedgerRecord } from '../../src/ledger/index.ts'
import { CliError, notFoundError } from '../cli-error.ts'
import type { LedgerPlace } from '../config/ledger-place.ts'
import { type InviteRow, inviteRowsOf } from './invite-row.ts'

/** The creates of this invite or candidate, newest first; else the create with this reference. */
export async function recordsOf(ledger: Ledger, id: string): Promise<readonly LedgerRecord[]> {
  const found: LedgerRecord[] = []
  for await (const record of ledger.list(isAddress(id) ? { email: id } : { inviteId: id })) found.push(record)
  if (found.length > 0) return found
  const sent = await ledger.find(id)
  return sent === undefined ? [] : [sent]
}

export function isAddress(id: string): boolean {
  return id.includes('@')
}

/** {@link recordsOf}, if there are any. @throws CliError NOT_FOUND */
export async function existingRecordsOf(
  ledger: Ledger,
  id: string,
  place: LedgerPlace,
): Promise<readonly [newest: LedgerRecord, ...older: LedgerRecord[]]> {
  const [newest, ...older] = await recordsOf(ledger, id)
  if (newest !== undefined) return [newest, ...older]
  throw notFoundError(
    'the ledger has no invite with this id or for this address, and no create with this reference.',
    `\`certify invites list --all${place.flags}\` shows what it has.`,
  )
}

/** The row that an id names: its invite or follow-up. A reference stands for its only invite. @throws CliError */
export function rowNamed(id: string, record: LedgerRecord, showLinks: boolean, place: LedgerPlace): InviteRow {
  const rows = inviteRowsOf(record, showLinks)
  const row = rows.find(({ inviteId }) => inviteId === id) ?? (record.invites.length > 1 ? undefined : rows[0])
  if (row !== undefined) return row
  throw new CliError(
    `that create made ${record.invites.length} invites: ${record.invites.map(({ inviteId }) => inviteId).join(', ')}.`,
    `Name one of them, as \`certify invites list --all${place.flags}\` shows it.`,
  )
}
