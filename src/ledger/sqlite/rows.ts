import type { CertifyErrorCode } from '../../index.ts'
import type { LedgerInvite, LedgerScope, LedgerState, SendInput } from '../rules/entry.ts'
import type { NamedRecord, SendRecord } from '../rules/record.ts'
import type { Row, Value } from './driver.ts'
import type { Statements } from './statements.ts'

/** Selects sends; a `WHERE` may follow. */
export const SELECT_SENDS = 'SELECT sends.*, base_url, account, world FROM sends JOIN scopes ON scopes.id = sends.scope'

/** The record of a reference. */
export function findSend(statements: Statements, reference: string): SendRecord | undefined {
  const row = statements.one(`${SELECT_SENDS} WHERE reference = ?`, reference)
  return row && recordOf(statements, row)
}

/** The other sends of the scope that have one of these invites, also as a follow-up. */
export function othersWith(statements: Statements, { id }: SendRecord, inviteIds: readonly string[]): SendRecord[] {
  const ids = inviteIds.flatMap((inviteId) => statements.all(SELECT_OWNERS, inviteId, inviteId))
  /* Most invites are new. */
  const others = new Set(ids.map(({ send }) => send as number).filter((send) => send !== id))
  return [...others].flatMap((other) => statements.all(SELECT_OTHER, other, id).map((row) => recordOf(statements, row)))
}

const SELECT_OWNERS = `
  SELECT send FROM invites WHERE invite_id = ? UNION ALL SELECT send FROM learned WHERE invite_id = ?`

const SELECT_OTHER = `${SELECT_SENDS} WHERE sends.id = ? AND sends.scope = (SELECT scope FROM sends WHERE id = ?)`

/**
 * The record of a row of {@link SELECT_SENDS}.
 *
 * @param scope if the row does not contain it
 */
export function recordOf(statements: Statements, row: Row, scope: LedgerScope = scopeOf(row)): SendRecord {
  const [id, expiresAt] = [row['id'] as number, row['expires_at'] as number]
  return {
    id,
    reference: row['reference'] as string,
    scope,
    emailKey: row['email_key'] as string,
    subjects: statements.all('SELECT subject FROM keys WHERE send = ?', id).map(({ subject }) => subject as string),
    quizId: textOrUndefined(row['quiz_id']),
    packageId: textOrUndefined(row['package_id']),
    packageName: textOrUndefined(row['package_name']),
    state: row['state'] as LedgerState,
    input: JSON.parse(row['input'] as string) as SendInput,
    code: textOrUndefined(row['code']) as CertifyErrorCode | undefined,
    owner: textOrUndefined(row['owner']) ?? '',
    leaseUntil: row['lease_until'] as number,
    sentAt: row['sent_at'] as number,
    settledAt: numberOrUndefined(row['settled_at']),
    expiresAt,
    campaign: textOrUndefined(row['campaign']),
    row: numberOrUndefined(row['row']),
    invites: invitesIn(statements, id, expiresAt),
    named: namedIn(statements, id),
  }
}

/** What decides whether a send blocks another one. */
export interface SendState
  extends Pick<SendRecord, 'id' | 'state' | 'quizId' | 'packageId' | 'owner' | 'leaseUntil' | 'expiresAt'> {
  readonly row: Row
}

/** The state of a send, by the columns of its row. */
export function stateOf(row: Row): SendState {
  return {
    id: row['id'] as number,
    state: row['state'] as LedgerState,
    quizId: textOrUndefined(row['quiz_id']),
    packageId: textOrUndefined(row['package_id']),
    owner: textOrUndefined(row['owner']) ?? '',
    leaseUntil: row['lease_until'] as number,
    expiresAt: row['expires_at'] as number,
    row,
  }
}

/** The invites of a send. @param expiresAt its expiry, for those whose own is assumed */
export function invitesIn(statements: Statements, send: number, expiresAt: number): LedgerInvite[] {
  return statements.all(SELECT_INVITES, send).map((row) => inviteOf(row, expiresAt))
}

/** What events have named of a send. */
export function namedIn(statements: Statements, send: number): NamedRecord[] {
  return statements.all('SELECT * FROM learned WHERE send = ?', send).map(namedOf)
}

const SELECT_INVITES = `
  SELECT invite_id, expires_at, status, challenge_url, email_sent, quiz_id, skill_name, level
  FROM invites WHERE send = ? ORDER BY number`

function inviteOf(row: Row, expiry: number): LedgerInvite {
  const { status, challenge_url: challengeUrl, email_sent: sent, quiz_id: quizId, skill_name: skillName, level } = row
  return {
    inviteId: row['invite_id'] as string,
    ...(row['expires_at'] === ''
      ? { expiresAt: new Date(expiry).toISOString(), expiryAssumed: true as const }
      : { expiresAt: row['expires_at'] as string }),
    ...(typeof status === 'string' && { status }),
    ...(typeof challengeUrl === 'string' && { challengeUrl }),
    ...(typeof sent === 'number' && { emailSent: sent === 1 }),
    ...(typeof quizId === 'string' && { quizId }),
    ...(typeof skillName === 'string' && { skillName }),
    ...(typeof level === 'string' && { level }),
  }
}

function namedOf(row: Row): NamedRecord {
  return {
    inviteId: row['invite_id'] as string,
    namedBy: textOrUndefined(row['named_by']),
    namedAt: row['named_at'] as number,
    quizId: textOrUndefined(row['quiz_id']),
    followUpOf: textOrUndefined(row['follow_up_of']),
    kind: textOrUndefined(row['kind']),
    claimedAt: numberOrUndefined(row['claimed_at']),
    result: textOrUndefined(row['result']),
    occurredAt: numberOrUndefined(row['occurred_at']),
    receivedAt: numberOrUndefined(row['received_at']),
    validUntil: textOrUndefined(row['valid_until']),
  }
}

/** The scope in the columns of a row. */
export function scopeOf(row: Row): LedgerScope {
  const { base_url: baseUrl, account, world } = row
  return {
    baseUrl: textOrUndefined(baseUrl) ?? '',
    account: textOrUndefined(account) ?? '',
    world: textOrUndefined(world) ?? '',
  }
}

function textOrUndefined(value: Value | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function numberOrUndefined(value: Value | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}
