import { blockedBy, type RecordedSend } from '../rules/blocking.ts'
import type {
  Claim,
  ClaimRequest,
  EntryDetail,
  LedgerInvite,
  LedgerScope,
  LedgerState,
  LookedUp,
  Settlement,
  Target,
} from '../rules/entry.ts'
import { emailKey, idKey, LINK_LIFETIME_MS, quizSubject, scopeKey, subjectsOf } from '../rules/key.ts'
import type { Recorded } from '../rules/ledger.ts'
import type { Row } from './driver.ts'
import { advanceTo } from './latest-time.ts'
import { confirmNamed, settleByEvents } from './learned.ts'
import { isLeaseOver } from './owner.ts'
import { addInvites, addKey, entryOf, forgetInvites, invitesOf } from './rows.ts'
import type { Statements } from './statements.ts'

/** Records a send, or returns the recorded sends that block it. Call it inside a transaction. */
export function claim(statements: Statements, request: ClaimRequest, owner: string, now: number): Claim {
  const { target, although = {} } = request
  const scope = scopeKey(request.scope)
  const scopeId = scopeNumber(statements, scope)
  const find = () => (scopeId === undefined ? [] : recordedRows(statements, scopeId, target, 'entries'))
  const found = find()
  const over = found.filter((row) => isLeaseOver(row, now))
  for (const row of over) endLease(statements, row, now)
  /* An event may have said that it was created. */
  const recorded = over.length === 0 ? found : find()
  const blocked = blockedBy(recorded.map(asOf(now)), although)
  if (blocked !== undefined) {
    const entries = blocked.by.map(({ row, state }) => entryOf(statements, row, scope, state))
    return { kind: blocked.kind, entries }
  }

  const key = emailKey(target.email)
  const place = scopeId ?? addScope(statements, scope)
  const send = statements.insert(
    `INSERT INTO sends
      (reference, scope, email_key, quiz_id, package_id, state, input, owner, lease_until, sent_at, expires_at, campaign, row)
      VALUES (?, ?, ?, ?, ?, 'sending', ?, ?, ?, ?, ?, ?, ?)`,
    request.reference,
    place,
    key,
    target.packageId === undefined ? idOrNull(target.quizIds[0]) : null,
    idOrNull(target.packageId),
    JSON.stringify(request.input),
    owner,
    now + request.leaseMs,
    now,
    now + request.leaseMs + LINK_LIFETIME_MS,
    request.campaign ?? null,
    request.row ?? null,
  )
  for (const subject of subjectsOf(target)) addKey(statements, place, key, subject, send)
  advanceTo(statements, now)
  return { kind: 'claimed' }
}

/** What there is for each target; `undefined` if nothing. Changes nothing. */
export function lookUp<Detail extends keyof EntryDetail>(
  statements: Statements,
  wanted: LedgerScope,
  targets: readonly Target[],
  detail: Detail,
  now: number,
): (LookedUp<EntryDetail[Detail]> | undefined)[] {
  const scope = scopeKey(wanted)
  const id = scopeNumber(statements, scope)
  if (id === undefined) return targets.map(() => undefined)
  const readers: { readonly [Each in keyof EntryDetail]: (send: FoundSend) => readonly EntryDetail[Each][] } = {
    entries: ({ row, state }) => [entryOf(statements, row, scope, state)],
    invites: ({ row }) => [{ reference: row['reference'] as string, invites: invitesOf(statements, row) }],
    kinds: () => [],
  }
  const read = readers[detail]
  return targets.map((target) => {
    const sends = recordedRows(statements, id, target, detail).map(asOf(now))
    const blocked = blockedBy(sends)
    if (blocked === undefined) return sends.some(isInvite) ? { kind: 'expired', entries: [] } : undefined
    const { kind, by } = blocked
    const isLapsed = kind === 'unknown' && by.every(({ isExpired }) => isExpired)
    return { kind, entries: by.flatMap(read), ...(isLapsed && { isLapsed }) }
  })
}

/** Records how a send ended, unless something better is known. Call it inside a transaction. */
export function recordSettlement(
  statements: Statements,
  reference: string,
  settlement: Settlement,
  now: number,
): Recorded {
  const send = statements.one(
    'SELECT id, scope, email_key, quiz_id, state, expires_at FROM sends WHERE reference = ?',
    reference,
  )
  if (send === undefined) return 'not-found'
  const id = send['id'] as number
  advanceTo(statements, now)
  if (settlement.state !== 'created') {
    recordFailure(statements, id, settlement, now)
    return 'recorded'
  }
  if (isMismatched(statements, reference, settlement.invites, now)) {
    recordFailure(statements, id, { state: 'unknown', code: 'RESPONSE_MISMATCHED' }, now)
    return 'mismatched'
  }
  const { packageName = null } = settlement
  /* An unreadable expiry counts as the latest possible one. */
  const latest = send['expires_at'] as number
  const invites = settlement.invites.map((invite) =>
    Number.isNaN(Date.parse(invite.expiresAt))
      ? { ...invite, expiresAt: new Date(latest).toISOString(), expiryAssumed: true as const }
      : invite,
  )
  const expiries = invites.map(({ expiresAt }) => Date.parse(expiresAt))
  statements.run(
    "UPDATE sends SET state = 'created', code = NULL, package_name = ?, settled_at = ?, expires_at = ? WHERE id = ?",
    packageName,
    now,
    expiries.length === 0 ? latest : Math.max(...expiries),
    id,
  )
  if (send['state'] === 'created') forgetInvites(statements, id)
  addInvites(statements, id, invites)
  for (const { quizId } of invites) {
    if (quizId === undefined) continue
    addKey(statements, send['scope'] as number, send['email_key'] as string, quizSubject(quizId), id)
  }
  confirmNamed(statements, id, invites)
  settleByEvents(statements, id, now)
  return 'recorded'
}

function recordFailure(
  statements: Statements,
  send: number,
  { state, code }: Exclude<Settlement, { readonly state: 'created' }>,
  now: number,
): void {
  statements.run(
    "UPDATE sends SET state = ?, code = ?, settled_at = ? WHERE id = ? AND state IN ('sending', 'unknown')",
    state,
    code ?? null,
    now,
    send,
  )
  settleByEvents(statements, send, now)
}

/**
 * Whether one of the invites is open and recorded for another candidate or quiz. A service may return an invite again,
 * but only for the same candidate and quiz.
 */
export function isMismatched(
  statements: Statements,
  reference: string,
  invites: readonly LedgerInvite[],
  now: number,
): boolean {
  return invites.some(
    ({ inviteId, quizId = null }) => statements.one(OTHER_OWNER, inviteId, reference, now, quizId) !== undefined,
  )
}

const OTHER_OWNER = `
  SELECT other.id FROM sends AS own
  JOIN invites ON invites.invite_id = ?
  JOIN sends AS other ON other.id = invites.send
  WHERE own.reference = ? AND other.id <> own.id AND other.scope = own.scope
    AND other.state = 'created' AND other.expires_at > ?
    AND (other.email_key <> own.email_key
      OR trim(coalesce(invites.quiz_id, other.quiz_id)) <> trim(coalesce(?, own.quiz_id)))`

/** A send becomes unknown if its sender is gone or its lease is over. Call it inside a transaction. */
export function endLeases(statements: Statements, now: number): void {
  const rows = statements.all("SELECT id, state, owner, lease_until FROM sends WHERE state = 'sending'")
  for (const row of rows) if (isLeaseOver(row, now)) endLease(statements, row, now)
}

/* A package and a single invite of one of its quizzes share the key of that quiz. */
function recordedRows(statements: Statements, scope: number, target: Target, detail: keyof EntryDetail): Row[] {
  const key = emailKey(target.email)
  const subjects = subjectsOf(target)
  const rows = subjects.flatMap((subject) => statements.all(RECORDED[detail], scope, key, subject))
  return subjects.length === 1 ? rows : [...new Map(rows.map((row) => [row['id'], row])).values()]
}

const recordedSql = (columns: string) => `
  SELECT ${columns} FROM keys
  JOIN sends ON sends.id = keys.send
  WHERE keys.scope = ? AND keys.email_key = ? AND keys.subject = ?
    AND sends.state IN ('sending', 'created', 'unknown')
  ORDER BY keys.send`

const RECORDED: { readonly [Detail in keyof EntryDetail]: string } = {
  kinds: recordedSql('sends.id, quiz_id, package_id, state, owner, lease_until, expires_at'),
  invites: recordedSql('sends.id, quiz_id, package_id, state, owner, lease_until, expires_at, reference'),
  entries: recordedSql('sends.*'),
}

interface FoundSend extends RecordedSend {
  readonly row: Row
}

function asOf(now: number): (row: Row) => FoundSend {
  return (row) => ({
    row,
    id: row['id'] as number,
    state: isLeaseOver(row, now) ? 'unknown' : (row['state'] as LedgerState),
    quizId: (row['quiz_id'] ?? null) as string | null,
    packageId: (row['package_id'] ?? null) as string | null,
    isExpired: (row['expires_at'] as number) <= now,
  })
}

function isInvite({ state }: FoundSend): boolean {
  return state === 'created'
}

function endLease(statements: Statements, row: Row, now: number): void {
  const id = row['id'] as number
  statements.run("UPDATE sends SET state = 'unknown' WHERE id = ? AND state = 'sending'", id)
  settleByEvents(statements, id, now)
}

function idOrNull(id: string | undefined): string | null {
  return id === undefined ? null : idKey(id)
}

function scopeNumber(statements: Statements, { baseUrl, account, world }: LedgerScope): number | undefined {
  const sql = 'SELECT id FROM scopes WHERE base_url = ? AND account = ? AND world = ?'
  return statements.one(sql, baseUrl, account, world)?.['id'] as number | undefined
}

function addScope(statements: Statements, { baseUrl, account, world }: LedgerScope): number {
  return statements.insert('INSERT INTO scopes (base_url, account, world) VALUES (?, ?, ?)', baseUrl, account, world)
}
