import type { Row, Tx, Value } from './database.ts'
import type { LedgerScope } from './rules/model.ts'
import { inviteIdsOf, type NewRecord, type StoredRecord } from './rules/record.ts'
import { searchText } from './rules/search.ts'
import { untitledIn } from './rules/titles.ts'

/** A scope as it is stored: an account has one service, wherever that has moved. */
export function scopeText({ account, world }: LedgerScope): string {
  return JSON.stringify([account, world])
}

/** The records that match the end of a statement. */
export async function selectRecords(
  tx: Tx,
  rest: string,
  ...values: readonly Value[]
): Promise<readonly StoredRecord[]> {
  return (await tx.all(`SELECT id, record FROM certify_sends ${rest}`, ...values)).map(recordIn)
}

function recordIn({ id, record }: Row): StoredRecord {
  return { ...(JSON.parse(String(record)) as NewRecord), id: Number(id) }
}

/** The record that answers a reference: its own, or the one whose invite its create ended with. */
export async function findRecord(tx: Tx, reference: string): Promise<StoredRecord | undefined> {
  const [record] = await selectRecords(tx, `WHERE id = ${ANSWERING}`, reference, reference)
  return record
}

/** The identifier of that record, for a reference given twice. */
export const ANSWERING = `coalesce((SELECT id FROM certify_sends WHERE reference = ?),
  (SELECT send FROM certify_references WHERE reference = ?))`

export function insertRecord(tx: Tx, record: NewRecord): void {
  tx.run(
    `INSERT INTO certify_sends (reference, scope, email_key, lease_until, sent_at, account, world, base_url, campaign,
       state, expires_at, subjects, results, decided_at, untitled, search, record)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    record.reference,
    scopeText(record.scope),
    record.emailKey,
    record.leaseUntil,
    record.sentAt,
    columnText(record.scope.account),
    columnText(record.scope.world),
    columnText(record.scope.baseUrl),
    record.campaign === undefined ? null : columnText(record.campaign),
    ...changingColumns(record),
    recordText(record),
  )
  insertLinks(tx, record)
}

/** @param before what is stored now, if it may have other invites or references */
export function updateRecord(tx: Tx, record: StoredRecord, before: StoredRecord = record): void {
  tx.run(
    `UPDATE certify_sends SET state = ?, expires_at = ?, subjects = ?, results = ?, decided_at = ?, untitled = ?,
       search = ?, record = ? WHERE id = ?`,
    ...changingColumns(record),
    recordText(record),
    record.id,
  )
  insertLinks(tx, record)
  const inviteIds = inviteIdsOf(record)
  for (const inviteId of inviteIdsOf(before))
    if (!inviteIds.has(inviteId))
      tx.run('DELETE FROM certify_invites WHERE invite_id = ? AND send = ?', columnText(inviteId), record.id)
}

/* The invites of a record, and the references that it answers beside its own. By its reference: a new one has no id yet. */
function insertLinks(tx: Tx, record: NewRecord): void {
  for (const inviteId of inviteIdsOf(record)) tx.run(INSERT_INVITE, columnText(inviteId), record.reference)
  for (const reference of record.reusedBy ?? []) tx.run(INSERT_REFERENCE, reference, record.reference)
}

const INSERT_INVITE = `INSERT INTO certify_invites (invite_id, send)
  SELECT ?, id FROM certify_sends WHERE reference = ? ON CONFLICT DO NOTHING`
const INSERT_REFERENCE = `INSERT INTO certify_references (reference, send)
  SELECT ?, id FROM certify_sends WHERE reference = ? ON CONFLICT DO NOTHING`

function changingColumns(record: NewRecord): readonly Value[] {
  const untitled = untitledIn(record)
  return [
    record.state,
    record.expiresAt,
    linesOf(record.subjects),
    linesOf(record.results.flatMap(({ result }) => result ?? [])),
    record.decision?.at ?? null,
    untitled === null ? null : columnText(untitled),
    searchText(record),
  ]
}

/** A record as it is stored, for comparison: without its identifier, whose place among the keys varies. */
export function recordText(record: NewRecord & { readonly id?: number }): string {
  const replaced = record.state === 'sending' ? record.replaced : undefined
  return JSON.stringify({ ...record, id: undefined, replaced })
}

export function deleteRecord(tx: Tx, { id }: StoredRecord): void {
  tx.run('DELETE FROM certify_sends WHERE id = ?', id)
}

/** The other records, of the scope of the one that answers a reference, that have one of these invites. */
export async function othersWith(
  tx: Tx,
  reference: string,
  inviteIds: readonly string[],
): Promise<readonly StoredRecord[]> {
  if (inviteIds.length === 0) return []
  return selectRecords(
    tx,
    `WHERE id <> ${ANSWERING} AND scope = (SELECT scope FROM certify_sends WHERE id = ${ANSWERING})
      AND id IN (SELECT send FROM certify_invites WHERE invite_id IN (${listOf(inviteIds)}))`,
    reference,
    reference,
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

/** Placeholders for a list of values. Nothing equals NULL, and Postgres has no empty list. */
export function listOf(values: readonly Value[]): string {
  return values.map(() => '?').join(', ') || 'NULL'
}
