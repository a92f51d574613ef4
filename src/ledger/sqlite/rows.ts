import type { CertifyErrorCode } from '../../index.ts'
import type {
  InviteResult,
  LedgerEntry,
  LedgerFollowUp,
  LedgerInvite,
  LedgerScope,
  LedgerState,
  SendInput,
} from '../rules/entry.ts'
import type { Row, Value } from './driver.ts'
import type { Statements } from './statements.ts'

/** Selects entries; a `WHERE` may follow. */
export const SELECT_ENTRIES =
  'SELECT sends.*, base_url, account, world FROM sends JOIN scopes ON scopes.id = sends.scope'

/**
 * The entry of a row of {@link SELECT_ENTRIES}, with its invites.
 *
 * @param scope if the row does not contain it
 * @param state its current state, if that has changed since the row was written
 */
export function entryOf(
  statements: Statements,
  row: Row,
  scope: LedgerScope = scopeOf(row),
  state: LedgerState = row['state'] as LedgerState,
): LedgerEntry {
  const followUps = followUpsOf(statements, row)
  return {
    reference: textOrUndefined(row['reference']) ?? '',
    baseUrl: scope.baseUrl,
    account: scope.account,
    world: scope.world,
    state,
    input: JSON.parse(textOrUndefined(row['input']) ?? '{}') as SendInput,
    quizId: textOrUndefined(row['quiz_id']),
    packageId: textOrUndefined(row['package_id']),
    packageName: textOrUndefined(row['package_name']),
    invites: invitesOf(statements, row),
    ...(followUps.length > 0 && { followUps }),
    code: textOrUndefined(row['code']) as CertifyErrorCode | undefined,
    sentAt: isoTime(row['sent_at']) ?? '',
    settledAt: isoTime(row['settled_at']),
    campaign: textOrUndefined(row['campaign']),
    row: (row['row'] ?? undefined) as number | undefined,
  }
}

/** The entry of a reference, with its invites. */
export function findEntry(statements: Statements, reference: string): LedgerEntry | undefined {
  const row = statements.one(`${SELECT_ENTRIES} WHERE reference = ?`, reference)
  return row && entryOf(statements, row)
}

/** The invites of a send, whose row has its expiry. */
export function invitesOf(statements: Statements, send: Row): LedgerInvite[] {
  return statements.all(SELECT_INVITES, send['id'] ?? null).map((row) => inviteOf(row, send))
}

const SELECT_INVITES = `
  SELECT invite_id, expires_at, status, challenge_url, email_sent, coalesce(invites.quiz_id, learned.quiz_id) AS quiz_id,
    skill_name, level, named_at, named_by, result, occurred_at, received_at, valid_until
  FROM invites LEFT JOIN learned USING (send, invite_id) WHERE send = ? ORDER BY number`

/* What events have named, and the send did not create. */
function followUpsOf(statements: Statements, send: Row): LedgerFollowUp[] {
  return statements.all(SELECT_FOLLOW_UPS, send['id'] ?? null).map((row) => {
    const { follow_up_of: followUpOf, kind, claimed_at: claimedAt, quiz_id: quizId } = row
    return {
      inviteId: textOrUndefined(row['invite_id']) ?? '',
      ...(typeof followUpOf === 'string' && { followUpOf }),
      ...(typeof kind === 'string' && { kind }),
      ...(typeof claimedAt === 'number' && { claimedAt: isoTime(claimedAt) }),
      ...(typeof quizId === 'string' && { quizId }),
      ...resultOf(row),
    }
  })
}

const SELECT_FOLLOW_UPS = `
  SELECT * FROM learned
  WHERE send = ? AND invite_id NOT IN (SELECT invite_id FROM invites WHERE invites.send = learned.send)
  ORDER BY coalesce(claimed_at, named_at), invite_id`

/** The scope in the columns of a row. */
export function scopeOf(row: Row): LedgerScope {
  const { base_url: baseUrl, account, world } = row
  return {
    baseUrl: textOrUndefined(baseUrl) ?? '',
    account: textOrUndefined(account) ?? '',
    world: textOrUndefined(world) ?? '',
  }
}

/** Removes the recorded invites of a send. */
export function forgetInvites(statements: Statements, send: number): void {
  statements.run('DELETE FROM invites WHERE send = ?', send)
}

/** Adds invites to a send, after those that it has. */
export function addInvites(statements: Statements, send: number, invites: readonly LedgerInvite[]): void {
  for (const invite of invites) {
    statements.run(
      `INSERT INTO invites
        (send, number, invite_id, expires_at, status, challenge_url, email_sent, quiz_id, skill_name, level)
        VALUES (?, (SELECT coalesce(max(number) + 1, 0) FROM invites WHERE send = ?), ?, ?, ?, ?, ?, ?, ?, ?)`,
      send,
      send,
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
}

/** Lets a send block others for this subject. */
export function addKey(statements: Statements, scope: number, email: string, subject: string, send: number): void {
  statements.run(
    'INSERT OR IGNORE INTO keys (scope, email_key, subject, send) VALUES (?, ?, ?, ?)',
    scope,
    email,
    subject,
    send,
  )
}

function inviteOf(row: Row, send: Row): LedgerInvite {
  const { status, challenge_url: challengeUrl, email_sent: sent, quiz_id: quizId, skill_name: skillName, level } = row
  return {
    inviteId: textOrUndefined(row['invite_id']) ?? '',
    ...(row['expires_at'] === ''
      ? { expiresAt: isoTime(send['expires_at']) ?? '', expiryAssumed: true as const }
      : { expiresAt: textOrUndefined(row['expires_at']) ?? '' }),
    ...(typeof status === 'string' && { status }),
    ...(typeof challengeUrl === 'string' && { challengeUrl }),
    ...(typeof sent === 'number' && { emailSent: sent === 1 }),
    ...(typeof quizId === 'string' && { quizId }),
    ...(typeof skillName === 'string' && { skillName }),
    ...(typeof level === 'string' && { level }),
    ...(typeof row['named_at'] === 'number' && resultOf(row)),
  }
}

function resultOf(row: Row): InviteResult {
  const { result, occurred_at: occurredAt, received_at: receivedAt, valid_until: validUntil } = row
  return {
    ...(typeof result === 'string' && { result, resultAt: isoTime(occurredAt ?? receivedAt) }),
    ...(typeof validUntil === 'string' && { validUntil }),
    verified: row['named_by'] === null ? 'token+ledger' : 'token',
  }
}

/** The text in a column. */
export function textOrUndefined(value: Value | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isoTime(value: Value | undefined): string | undefined {
  return typeof value === 'number' ? new Date(value).toISOString() : undefined
}
