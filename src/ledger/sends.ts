import type { Row, Tx, Value } from './database.ts'
import type { LedgerScope } from './rules/entry.ts'
import { inviteIdsOf, type NewSend, type SendRecord } from './rules/record.ts'

/** A scope as it is stored: an account has one service, wherever that has moved. */
export function scopeText({ account, world }: LedgerScope): string {
  return JSON.stringify([account, world])
}

/** The sends that match the end of a statement. */
export async function selectSends(tx: Tx, rest: string, ...values: readonly Value[]): Promise<readonly SendRecord[]> {
  return (await tx.all(`SELECT id, record FROM certify_sends ${rest}`, ...values)).map(sendOf)
}

function sendOf({ id, record }: Row): SendRecord {
  return { ...(JSON.parse(String(record)) as NewSend), id: Number(id) }
}

export async function findSend(tx: Tx, reference: string): Promise<SendRecord | undefined> {
  const [send] = await selectSends(tx, 'WHERE reference = ?', reference)
  return send
}

export function insertSend(tx: Tx, send: NewSend): void {
  tx.run(
    `INSERT INTO certify_sends (reference, scope, email_key, state, lease_until, sent_at, expires_at, account, world,
       base_url, campaign, subjects, results, record)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    send.reference,
    scopeText(send.scope),
    send.emailKey,
    send.state,
    send.leaseUntil,
    send.sentAt,
    send.expiresAt,
    columnText(send.scope.account),
    columnText(send.scope.world),
    columnText(send.scope.baseUrl),
    send.campaign === undefined ? null : columnText(send.campaign),
    linesOf(send.subjects),
    resultsOf(send),
    JSON.stringify(send),
  )
  for (const inviteId of inviteIdsOf(send)) {
    tx.run(
      'INSERT INTO certify_invites (invite_id, send) SELECT ?, id FROM certify_sends WHERE reference = ?',
      columnText(inviteId),
      send.reference,
    )
  }
}

/** @param before what is stored now, if it may have other invites */
export function updateSend(tx: Tx, send: SendRecord, before: SendRecord = send): void {
  tx.run(
    'UPDATE certify_sends SET state = ?, expires_at = ?, subjects = ?, results = ?, record = ? WHERE id = ?',
    send.state,
    send.expiresAt,
    linesOf(send.subjects),
    resultsOf(send),
    recordText(send),
    send.id,
  )
  const inviteIds = inviteIdsOf(send)
  for (const inviteId of inviteIds) {
    tx.run(
      'INSERT INTO certify_invites (invite_id, send) VALUES (?, ?) ON CONFLICT DO NOTHING',
      columnText(inviteId),
      send.id,
    )
  }
  for (const inviteId of inviteIdsOf(before))
    if (!inviteIds.has(inviteId))
      tx.run('DELETE FROM certify_invites WHERE invite_id = ? AND send = ?', columnText(inviteId), send.id)
}

/** A send as it is stored, for comparison: without its identifier, whose place among the keys varies. */
export function recordText({ id: _id, ...send }: SendRecord): string {
  return JSON.stringify(send)
}

export function deleteSend(tx: Tx, { id }: SendRecord): void {
  tx.run('DELETE FROM certify_sends WHERE id = ?', id)
}

/** The other sends of the same scope that have one of these invites. */
export async function othersWith(
  tx: Tx,
  reference: string,
  inviteIds: readonly string[],
): Promise<readonly SendRecord[]> {
  if (inviteIds.length === 0) return []
  return selectSends(
    tx,
    `WHERE reference <> ? AND scope = (SELECT scope FROM certify_sends WHERE reference = ?)
      AND id IN (SELECT send FROM certify_invites WHERE invite_id IN (${listOf(inviteIds)}))`,
    reference,
    reference,
    ...inviteIds.map(columnText),
  )
}

/** Text from a caller or the service, made storable: databases refuse NUL and lone surrogates. */
export function columnText(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Texts in one column, each once. Each is a line, so that a search for a whole line finds exactly that text. */
export function linesOf(texts: readonly string[]): string {
  return ['', ...new Set(texts.map(columnText)), ''].join('\n')
}

/** The texts in a column of lines, or the text in any other one. */
export function textsIn(column: string): readonly string[] {
  const lines = column.startsWith('\n') ? column.split('\n').slice(1, -1) : [column]
  return lines.map((line) => JSON.parse(`"${line}"`) as string)
}

function resultsOf({ results }: NewSend): string {
  return linesOf(results.flatMap(({ result }) => result ?? []))
}

/** Placeholders for a list of values. Nothing equals NULL, and Postgres has no empty list. */
export function listOf(values: readonly Value[]): string {
  return values.map(() => '?').join(', ') || 'NULL'
}
