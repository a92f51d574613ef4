import type { CertifyErrorCode } from '../../index.ts'
import type { LedgerEntry, LedgerInvite, LedgerScope, LedgerState, SendInput } from '../rules/entry.ts'
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
  return {
    reference: text(row['reference']) ?? '',
    baseUrl: scope.baseUrl,
    account: scope.account,
    world: scope.world,
    state,
    input: JSON.parse(text(row['input']) ?? '{}') as SendInput,
    quizId: text(row['quiz_id']),
    packageId: text(row['package_id']),
    packageName: text(row['package_name']),
    invites: invitesOf(statements, row),
    code: text(row['code']) as CertifyErrorCode | undefined,
    sentAt: isoTime(row['sent_at']) ?? '',
    settledAt: isoTime(row['settled_at']),
    campaign: text(row['campaign']),
    row: (row['row'] ?? undefined) as number | undefined,
  }
}

/** The invites of a send, whose row has its expiry. */
export function invitesOf(statements: Statements, send: Row): LedgerInvite[] {
  return statements.all(SELECT_INVITES, send['id'] ?? null).map((row) => inviteOf(row, send))
}

const SELECT_INVITES = `
  SELECT invite_id, expires_at, status, challenge_url, email_sent, quiz_id, skill_name, level
  FROM invites WHERE send = ? ORDER BY number`

/** The scope in the columns of a row. */
export function scopeOf(row: Row): LedgerScope {
  const { base_url: baseUrl, account, world } = row
  return { baseUrl: text(baseUrl) ?? '', account: text(account) ?? '', world: text(world) ?? '' }
}

/** Removes the recorded invites of a send. */
export function forgetInvites(statements: Statements, send: number): void {
  statements.run('DELETE FROM invites WHERE send = ?', send)
}

/** Adds the invites of a send that has none. */
export function addInvites(statements: Statements, send: number, invites: readonly LedgerInvite[]): void {
  for (const [number, invite] of invites.entries()) {
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
}

function inviteOf(row: Row, send: Row): LedgerInvite {
  const { status, challenge_url: challengeUrl, email_sent: sent, quiz_id: quizId, skill_name: skillName, level } = row
  return {
    inviteId: text(row['invite_id']) ?? '',
    ...(row['expires_at'] === ''
      ? { expiresAt: isoTime(send['expires_at']) ?? '', expiryAssumed: true as const }
      : { expiresAt: text(row['expires_at']) ?? '' }),
    ...(typeof status === 'string' && { status }),
    ...(typeof challengeUrl === 'string' && { challengeUrl }),
    ...(typeof sent === 'number' && { emailSent: sent === 1 }),
    ...(typeof quizId === 'string' && { quizId }),
    ...(typeof skillName === 'string' && { skillName }),
    ...(typeof level === 'string' && { level }),
  }
}

function text(value: Value | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isoTime(value: Value | undefined): string | undefined {
  return typeof value === 'number' ? new Date(value).toISOString() : undefined
}
