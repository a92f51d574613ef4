import type { LedgerInvite, LedgerScope } from '../rules/entry.ts'
import type { NamedRecord, NewSend, SendRecord } from '../rules/record.ts'
import type { Statements } from './statements.ts'

/** Adds a send. Call it inside a transaction. @param scope the number of its scope, if it has one */
export function addSend(statements: Statements, send: NewSend, scope: number = addScope(statements, send.scope)): void {
  const id = statements.insert(
    `INSERT INTO sends
      (reference, scope, email_key, quiz_id, package_id, state, input, owner, lease_until, sent_at, expires_at, campaign, row)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    send.reference,
    scope,
    send.emailKey,
    send.quizId ?? null,
    send.packageId ?? null,
    send.state,
    JSON.stringify(send.input),
    send.owner,
    send.leaseUntil,
    send.sentAt,
    send.expiresAt,
    send.campaign ?? null,
    send.row ?? null,
  )
  addKeys(statements, id, send.subjects)
}

/** Replaces a send by what a rule has made of it. Call it inside a transaction. */
export function replaceSend(statements: Statements, before: SendRecord, send: SendRecord): void {
  if (send === before) return
  const { id, state, code = null, packageName = null, settledAt = null, expiresAt, invites, subjects, named } = send
  statements.run(UPDATE_SEND, state, code, packageName, settledAt, expiresAt, id)
  if (subjects !== before.subjects) addKeys(statements, id, subjects)
  if (invites !== before.invites) {
    if (before.invites.length > 0) statements.run('DELETE FROM invites WHERE send = ?', id)
    for (const [number, invite] of invites.entries()) addInvite(statements, id, number, invite)
  }
  if (named !== before.named) for (const each of named) replaceNamed(statements, id, each)
}

/** The number of a scope; `undefined` if it has no sends yet. */
export function scopeNumber(statements: Statements, { baseUrl, account, world }: LedgerScope): number | undefined {
  const sql = 'SELECT id FROM scopes WHERE base_url = ? AND account = ? AND world = ?'
  return statements.one(sql, baseUrl, account, world)?.['id'] as number | undefined
}

function addScope(statements: Statements, { baseUrl, account, world }: LedgerScope): number {
  return statements.insert('INSERT INTO scopes (base_url, account, world) VALUES (?, ?, ?)', baseUrl, account, world)
}

/* Lets a send block others for these subjects. */
function addKeys(statements: Statements, send: number, subjects: readonly string[]): void {
  for (const subject of subjects) statements.run(INSERT_KEY, subject, send)
}

function addInvite(statements: Statements, send: number, number: number, invite: LedgerInvite): void {
  statements.run(
    `INSERT INTO invites
      (send, number, invite_id, expires_at, status, challenge_url, email_sent, quiz_id, skill_name, level)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    send,
    number,
    invite.inviteId,
    /* Read as that of the send. */
    invite.expiryAssumed === true ? '' : invite.expiresAt,
    invite.status ?? null,
    invite.challengeUrl ?? null,
    invite.emailSent === undefined ? null : Number(invite.emailSent),
    invite.quizId ?? null,
    invite.skillName ?? null,
    invite.level ?? null,
  )
}

function replaceNamed(statements: Statements, send: number, named: NamedRecord): void {
  statements.run(
    `INSERT OR REPLACE INTO learned
      (send, invite_id, named_by, named_at, quiz_id, follow_up_of, kind, claimed_at, result, occurred_at, received_at, valid_until)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    send,
    named.inviteId,
    named.namedBy ?? null,
    named.namedAt,
    named.quizId ?? null,
    named.followUpOf ?? null,
    named.kind ?? null,
    named.claimedAt ?? null,
    named.result ?? null,
    named.occurredAt ?? null,
    named.receivedAt ?? null,
    named.validUntil ?? null,
  )
}

const UPDATE_SEND =
  'UPDATE sends SET state = ?, code = ?, package_name = ?, settled_at = ?, expires_at = ? WHERE id = ?'

const INSERT_KEY = `
  INSERT OR IGNORE INTO keys (scope, email_key, subject, send)
  SELECT scope, email_key, ?, id FROM sends WHERE id = ?`
