import type { LedgerInvite, Settlement } from './model.ts'
import { idKey, LINK_LIFETIME_MS, quizSubject } from './key.ts'
import type { Recorded } from './ledger-types.ts'
import { type ChangeRecord, hasNothing, type StoredRecord, withChange } from './record.ts'

/** A record after a settlement, and how that was recorded. */
export interface Settled {
  readonly record: StoredRecord
  readonly recorded: Recorded
}

/**
 * Settles a record whose create ended. What is already known is not replaced by something less certain.
 *
 * @param others the other records of the scope that have one of its invites
 */
export function settled(
  record: StoredRecord,
  settlement: Settlement,
  others: readonly StoredRecord[],
  now: number,
): Settled {
  const isMixedUp = settlement.state === 'created' && isMismatched(record, settlement.invites, others, now)
  const end: Settlement = isMixedUp ? { state: 'unknown', code: 'RESPONSE_MISMATCHED' } : settlement
  const code = end.state === 'created' ? undefined : end.code
  const last = record.history.at(-1)
  if (code === 'SERVICE_UNAVAILABLE' && last?.what === 'sent')
    return { record: withdrawn(record), recorded: recordedAt(record, now) }
  /* A settlement whose commit was not acknowledged is repeated. */
  const isRepeated = last?.what === end.state && last.code === code
  const change = isRepeated ? undefined : { at: now, what: end.state, ...(code !== undefined && { code }) }
  const next = end.state === 'created' ? created(record, end, now, change) : failed(record, end, now, change)
  return { record: next, recorded: isMixedUp ? 'mismatched' : recordedAt(record, now) }
}

/* As it was before its claim: while the circuit breaker is open, a queue may claim it a thousand times. */
function withdrawn(record: StoredRecord): StoredRecord {
  return record.replaced ?? { ...record, state: 'not-executed', history: [] }
}

/**
 * Whether a record is not kept: it proves that nothing was created, nothing else has happened to it, and no caller chose its
 * reference; or it was withdrawn, and there was none before.
 */
export function isForgettable({ reference, owner, state, history }: StoredRecord): boolean {
  if (state !== 'not-executed') return false
  return history.length === 0 || (reference === owner && history.length === 2)
}

/**
 * Settles an earlier claim of the reference of a record: a person had said that it created nothing, and so the reference was
 * claimed again.
 */
export function settledEarlier(
  record: StoredRecord,
  settlement: Settlement,
  others: readonly StoredRecord[],
  now: number,
): Settled {
  /* Otherwise that claim was settled before, so this changes nothing, or its record is gone. */
  if (record.isUnproven !== true) return { record, recorded: 'not-found' }
  if (settlement.state !== 'created') return { record, recorded: 'late' }
  const { invites } = settlement
  if (isMismatched(record, invites, others, now)) return { record, recorded: 'mismatched' }
  const inviteIds = invites.map(({ inviteId }) => inviteId)
  const known = record.earlierInvites?.map(({ inviteId }) => inviteId)
  if (known !== undefined && inviteIds.every((inviteId) => known.includes(inviteId)))
    return { record, recorded: 'late' }
  const kept = { ...record, earlierInvites: [...(record.earlierInvites ?? []), ...invites] }
  return { record: settledByEarlier(withChange(kept, { at: now, what: 'late', inviteIds }), now), recorded: 'late' }
}

/* If this claim created nothing, but an earlier one did, then its reference has created that. */
function settledByEarlier(record: StoredRecord, now: number): StoredRecord {
  const { earlierInvites: invites } = record
  if (invites === undefined || !hasNothing(record)) return settledByEvents(record, now)
  return created(record, { state: 'created', invites }, now)
}

/* After its lease, others may have seen it as unknown, unless it had been settled before. */
function recordedAt({ state, leaseUntil, settledAt }: StoredRecord, now: number): 'recorded' | 'late' {
  const hasLapsed = state === 'unknown' && settledAt === undefined
  const wasSettled = state !== 'unknown' && settledAt !== undefined && settledAt < leaseUntil
  return hasLapsed || (leaseUntil <= now && !wasSettled) ? 'late' : 'recorded'
}

export function created(
  record: StoredRecord,
  settlement: Extract<Settlement, { readonly state: 'created' }>,
  now: number,
  change?: ChangeRecord,
): StoredRecord {
  /* An assumed expiry is the latest possible one. The clock of the caller may be wrong, and the ledger's may have gone back. */
  const assumed = new Date(Math.max(now, record.sentAt) + LINK_LIFETIME_MS).toISOString()
  /* It was created by the end of the lease. An earlier expiry, or an invalid one, must not free the candidate. */
  const isUsable = ({ expiryAssumed, expiresAt }: LedgerInvite) =>
    expiryAssumed !== true && Date.parse(expiresAt) > record.leaseUntil
  const invites = settlement.invites.map((invite) =>
    isUsable(invite) ? invite : { ...invite, expiresAt: assumed, expiryAssumed: true as const },
  )
  /* A response that names no invites does not contradict the known ones. */
  const isKept = invites.length === 0 && record.state === 'created'
  const expiries = invites.map(({ expiresAt }) => Date.parse(expiresAt))
  return {
    ...withChange(record, change),
    state: 'created',
    code: undefined,
    packageName: isKept ? record.packageName : settlement.packageName,
    settledAt: now,
    expiresAt: expiries.length === 0 ? record.expiresAt : Math.max(...expiries),
    ...withLinks(record, isKept ? record.invites : invites, settlement.challengeUrls ?? record.challengeUrls),
    subjects: withQuizzes(record, invites),
  }
}

/* The link of the only invite is its own. In a package, a link does not say which invite it belongs to. */
function withLinks(
  { packageId }: StoredRecord,
  invites: readonly LedgerInvite[],
  challengeUrls: readonly string[] = [],
) {
  const [invite] = invites
  const [challengeUrl] = challengeUrls
  if (challengeUrl === undefined || (invite && invites.every((each) => each.challengeUrl !== undefined)))
    return { invites, challengeUrls: undefined }
  return packageId !== undefined || invite === undefined || invites.length + challengeUrls.length > 2
    ? { invites, challengeUrls }
    : { invites: [{ ...invite, challengeUrl }], challengeUrls: undefined }
}

export function failed(
  record: StoredRecord,
  { state, code }: Exclude<Settlement, { readonly state: 'created' }>,
  now: number,
  change: ChangeRecord | undefined,
): StoredRecord {
  const isOpen = record.state === 'sending' || record.state === 'unknown'
  if (!isOpen) return record
  return settledByEarlier({ ...withChange(record, change), state, code, settledAt: now }, now)
}

/**
 * Whether one of the invites is open and recorded for another candidate or quiz, or an event has named it for another candidate. A
 * service may return an invite again, but only for the same candidate and quiz.
 */
export function isMismatched(
  record: StoredRecord,
  invites: readonly LedgerInvite[],
  others: readonly StoredRecord[],
  now: number,
): boolean {
  return invites.some((invite) =>
    others.some((other) => {
      if (other.expiresAt <= now) return false
      const isForAnother = other.emailKey !== record.emailKey
      if (isForAnother && other.results.some(({ inviteId }) => inviteId === invite.inviteId)) return true
      return (
        other.state === 'created' &&
        other.invites.some(
          ({ inviteId, quizId = other.quizId }) =>
            inviteId === invite.inviteId && (isForAnother || areDifferent(quizId, invite.quizId ?? record.quizId)),
        )
      )
    }),
  )
}

/* Whether two quizzes are known, and not the same. */
function areDifferent(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && idKey(one) !== idKey(other)
}

/**
 * A record as it is now. Once its lease has ended, its outcome is unknown, unless events have named what it created: a sender
 * that died or slept may no longer send.
 */
export function current(record: StoredRecord, now: number): StoredRecord {
  if (record.state !== 'sending' || record.leaseUntil > now) return record
  return settledByEvents(withChange({ ...record, state: 'unknown' }, { at: record.leaseUntil, what: 'lapsed' }), now)
}

/**
 * A record that an event has settled as created, with the invites that events have named; follow-ups are not its own. One that is
 * being sent stays so until its response arrives, or its lease is over.
 */
export function settledByEvents(record: StoredRecord, now: number): StoredRecord {
  const { state, results, code: _code, ...rest } = record
  /* Events name the invites of a package one by one. */
  const isPartial =
    record.invites.every(({ challengeUrl }) => challengeUrl === undefined) &&
    (record.packageId !== undefined || record.invites.length === 0)
  /* After an earlier claim of the reference, the event may be about that one. */
  const isOpen = state === 'sending' || (state === 'unknown' && record.isUnproven === true)
  if (isOpen || (state === 'created' && !isPartial)) return record
  const known = new Set(record.invites.map(({ inviteId }) => inviteId))
  const found = results.filter(({ inviteId, followUpOf }) => followUpOf === undefined && !known.has(inviteId))
  if (found.length === 0) return record
  /* The latest possible expiry, because events do not state it. A time in the past may come from a wrong clock. */
  const expiresAt = record.expiresAt > now ? record.expiresAt : now + LINK_LIFETIME_MS
  const assumed = new Date(expiresAt).toISOString()
  const invites = found.map(
    ({ inviteId, quizId = record.quizId }): LedgerInvite => ({
      inviteId,
      expiresAt: assumed,
      expiryAssumed: true,
      ...(quizId !== undefined && { quizId }),
    }),
  )
  const earlier = record.invites.map((invite) =>
    invite.expiryAssumed === true ? { ...invite, expiresAt: assumed } : invite,
  )
  const all = [...earlier, ...invites]
  return {
    ...rest,
    state: 'created',
    settledAt: state === 'created' ? record.settledAt : now,
    expiresAt,
    results,
    ...withLinks(record, all, record.challengeUrls),
    subjects: withQuizzes(record, all),
  }
}

function withQuizzes({ subjects }: StoredRecord, invites: readonly LedgerInvite[]): readonly string[] {
  const quizzes = invites.flatMap(({ quizId }) => (quizId === undefined ? [] : [quizSubject(quizId)]))
  return quizzes.every((quiz) => subjects.includes(quiz)) ? subjects : [...new Set([...subjects, ...quizzes])]
}
