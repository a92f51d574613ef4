import type { CertificationCompleted, FollowUpClaimed } from '../../callbacks/event.ts'
import type { InviteEvent, Learned } from '../../callbacks/invite-records.ts'
import { LINK_LIFETIME_MS, quizSubject } from '../rules/key.ts'
import { contradicts, createdInvites, isNewer, type KnownSend, quizIn, resultOf } from '../rules/learning.ts'
import type { Row } from './driver.ts'
import { advanceTo } from './latest-time.ts'
import { isLeaseOver } from './owner.ts'
import { addInvites, addKey, textOrUndefined } from './rows.ts'
import type { Statements } from './statements.ts'

/** Records what an event says about an invite, unless it contradicts the ledger. Call it inside a transaction. */
export function learn(statements: Statements, event: InviteEvent, now: number): Learned {
  const [about, followUp] =
    event.type === 'certification.completed' ? [event.inviteId] : [event.originalInviteId, event.followUpInviteId]
  const ids = followUp === undefined ? [about] : [about, followUp]
  const row = statements.one('SELECT * FROM sends WHERE reference = ?', event.reference)
  if (row === undefined || ids.some((inviteId) => inviteId.trim() === '')) return 'not-found'
  const id = row['id'] as number
  const send = knownSend(statements, row)
  const isElsewhere = (inviteId: string) =>
    statements.one(ELSEWHERE, inviteId, inviteId, id, quizIn(send, event, inviteId) ?? null) !== undefined
  if (contradicts(send, event) || ids.some(isElsewhere)) return 'mismatched'
  advanceTo(statements, now)
  const isKnown = isKnownBefore(send, event, about)
  addNamed(statements, id, about, isKnown ? null : event.key, event.receivedAt)
  if (event.type === 'certification.completed') recordResult(statements, id, event)
  else recordFollowUp(statements, id, event, isKnown)
  settleByEvents(statements, id, now)
  return isKnown ? 'token+ledger' : 'token'
}

/**
 * Settles a send as created if events have named its invites, and adds these invites. A send that is on its way stays so.
 * Call it inside a transaction.
 */
export function settleByEvents(statements: Statements, id: number, now: number): void {
  const row = statements.one('SELECT * FROM sends WHERE id = ?', id)
  if (row === undefined || (row['state'] === 'sending' && !isLeaseOver(row, now))) return
  const created = createdInvites(knownSend(statements, row))
  if (created.length === 0) return
  const recorded = row['expires_at'] as number
  /* The latest possible expiry: no event says it. A time that has passed may come from a clock that was wrong. */
  const expiresAt = row['state'] === 'created' || recorded > now ? recorded : now + LINK_LIFETIME_MS
  statements.run(SET_CREATED, now, expiresAt, id)
  const quizId = textOrUndefined(row['quiz_id'])
  const invites = created.map((invite) => ({
    inviteId: invite.inviteId,
    expiresAt: new Date(expiresAt).toISOString(),
    expiryAssumed: true as const,
    quizId: invite.quizId ?? quizId,
  }))
  addInvites(statements, id, invites)
  for (const invite of invites) {
    if (invite.quizId === undefined) continue
    addKey(statements, row['scope'] as number, row['email_key'] as string, quizSubject(invite.quizId), id)
  }
}

/** Records that the ledger has these invites from elsewhere than an event. */
export function confirmNamed(
  statements: Statements,
  send: number,
  invites: readonly { readonly inviteId: string }[],
): void {
  for (const { inviteId } of invites) {
    statements.run('UPDATE learned SET named_by = NULL WHERE send = ? AND invite_id = ?', send, inviteId)
  }
}

function knownSend(statements: Statements, row: Row): KnownSend {
  const id = row['id'] as number
  const invites = statements.all('SELECT invite_id, quiz_id, challenge_url FROM invites WHERE send = ?', id)
  return {
    quizId: textOrUndefined(row['quiz_id']),
    packageId: textOrUndefined(row['package_id']),
    isWhole: invites.some((invite) => invite['challenge_url'] !== null),
    invites: invites.map((invite) => ({
      inviteId: invite['invite_id'] as string,
      quizId: textOrUndefined(invite['quiz_id']),
    })),
    named: statements.all(NAMED, id).map((named) => ({
      inviteId: named['invite_id'] as string,
      namedBy: textOrUndefined(named['named_by']),
      quizId: textOrUndefined(named['quiz_id']),
      followUpOf: textOrUndefined(named['follow_up_of']),
    })),
  }
}

/* Whether the ledger had the invite before this event: also if the event comes again. */
function isKnownBefore({ invites, named }: KnownSend, { key }: InviteEvent, inviteId: string): boolean {
  const known = named.find((each) => each.inviteId === inviteId)
  return known === undefined ? invites.some((each) => each.inviteId === inviteId) : known.namedBy !== key
}

function addNamed(statements: Statements, send: number, inviteId: string, by: string | null, at: number): void {
  const sql = 'INSERT OR IGNORE INTO learned (send, invite_id, named_by, named_at) VALUES (?, ?, ?, ?)'
  statements.run(sql, send, inviteId, by, at)
}

type Recorded<Event> = Event & Pick<InviteEvent, 'key' | 'receivedAt'>

function recordResult(statements: Statements, send: number, event: Recorded<CertificationCompleted>): void {
  const { inviteId, quizId, result, validUntil, receivedAt } = event
  statements.run(SET_QUIZ, quizId, send, inviteId)
  if (result === null) return
  const occurredAt = timeOf(event)
  const row = statements.one(RECORDED_RESULT, send, inviteId)
  const recorded = row && {
    occurredAt: numberOrUndefined(row['occurred_at']),
    receivedAt: row['received_at'] as number,
  }
  if (recorded !== undefined && !isNewer({ occurredAt, receivedAt }, recorded)) return
  statements.run(SET_RESULT, resultOf(result), occurredAt ?? null, receivedAt, validUntil, send, inviteId)
}

function recordFollowUp(
  statements: Statements,
  send: number,
  event: Recorded<FollowUpClaimed>,
  isProven: boolean,
): void {
  const { originalInviteId, followUpInviteId, kind, key, receivedAt } = event
  addNamed(statements, send, followUpInviteId, isProven ? null : key, receivedAt)
  if (isProven) confirmNamed(statements, send, [{ inviteId: followUpInviteId }])
  const claimedAt = timeOf(event) ?? receivedAt
  statements.run(SET_FOLLOW_UP, originalInviteId, kind, claimedAt, send, followUpInviteId)
  /* Its result came first, and it was taken for what the send created. */
  statements.run('DELETE FROM invites WHERE send = ? AND invite_id = ?', send, followUpInviteId)
}

function timeOf({ occurredAt }: InviteEvent | Recorded<CertificationCompleted | FollowUpClaimed>): number | undefined {
  const time = Date.parse(occurredAt ?? '')
  return Number.isNaN(time) ? undefined : time
}

function numberOrUndefined(value: Row[string] | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}

const SET_CREATED = `
  UPDATE sends SET state = 'created', code = NULL, settled_at = ?, expires_at = ? WHERE id = ? AND state <> 'created'`

const NAMED = 'SELECT * FROM learned WHERE send = ? ORDER BY named_at, invite_id'

const SET_QUIZ = 'UPDATE learned SET quiz_id = coalesce(quiz_id, ?) WHERE send = ? AND invite_id = ?'

const RECORDED_RESULT =
  'SELECT occurred_at, received_at FROM learned WHERE send = ? AND invite_id = ? AND result IS NOT NULL'

const SET_RESULT = `
  UPDATE learned SET result = ?, occurred_at = ?, received_at = ?, valid_until = ? WHERE send = ? AND invite_id = ?`

const SET_FOLLOW_UP = `
  UPDATE learned SET follow_up_of = ?, kind = coalesce(kind, ?), claimed_at = coalesce(claimed_at, ?)
  WHERE send = ? AND invite_id = ?`

/* Whether another send of the scope has the invite, for another candidate or quiz. */
const ELSEWHERE = `
  SELECT 1 FROM sends AS own
  JOIN (
    SELECT invites.send, coalesce(invites.quiz_id, sends.quiz_id) AS quiz_id
    FROM invites JOIN sends ON sends.id = invites.send WHERE invite_id = ?
    UNION ALL SELECT send, quiz_id FROM learned WHERE invite_id = ?
  ) AS named
  JOIN sends AS other ON other.id = named.send
  WHERE own.id = ? AND other.id <> own.id AND other.scope = own.scope
    AND (other.email_key <> own.email_key OR trim(named.quiz_id) <> trim(?))`
