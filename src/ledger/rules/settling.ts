import type { LedgerEntry, LedgerInvite, Settlement } from './entry.ts'
import { idKey, LINK_LIFETIME_MS, quizSubject } from './key.ts'
import type { Finding, Recorded } from './ledger.ts'
import type { SendRecord } from './record.ts'

/** A send after a settlement, and how that was recorded. */
export interface Settled {
  readonly send: SendRecord
  readonly recorded: Exclude<Recorded, 'not-found'>
}

/**
 * Settles a send that ended. What is already known is not replaced by something less certain.
 *
 * @param others the other sends of the scope that have one of its invites
 */
export function settled(send: SendRecord, settlement: Settlement, others: readonly SendRecord[], now: number): Settled {
  if (settlement.state !== 'created') return { send: failed(send, settlement, now), recorded: recordedAt(send, now) }
  if (isMismatched(send, settlement.invites, others, now)) {
    return { send: failed(send, { state: 'unknown', code: 'RESPONSE_MISMATCHED' }, now), recorded: 'mismatched' }
  }
  return { send: created(send, settlement, now), recorded: recordedAt(send, now) }
}

/* After its lease, others may have seen it as unknown, unless it had been settled before. */
function recordedAt({ state, leaseUntil, settledAt }: SendRecord, now: number): 'recorded' | 'late' {
  const hasLapsed = state === 'unknown' && settledAt === undefined
  const wasSettled = state !== 'unknown' && settledAt !== undefined && settledAt < leaseUntil
  return hasLapsed || (leaseUntil <= now && !wasSettled) ? 'late' : 'recorded'
}

function created(
  send: SendRecord,
  settlement: Extract<Settlement, { readonly state: 'created' }>,
  now: number,
): SendRecord {
  /* An assumed expiry is the latest possible one. The clock of the caller may be wrong, and the ledger's may have gone back. */
  const assumed = new Date(Math.max(now, send.sentAt) + LINK_LIFETIME_MS).toISOString()
  /* It was created by the end of the lease. An earlier expiry, or an invalid one, must not free the candidate. */
  const isUsable = ({ expiryAssumed, expiresAt }: LedgerInvite) =>
    expiryAssumed !== true && Date.parse(expiresAt) > send.leaseUntil
  const invites = settlement.invites.map((invite) =>
    isUsable(invite) ? invite : { ...invite, expiresAt: assumed, expiryAssumed: true as const },
  )
  /* A response that names no invites does not contradict the known ones. */
  const isKept = invites.length === 0 && send.state === 'created'
  const expiries = invites.map(({ expiresAt }) => Date.parse(expiresAt))
  return {
    ...send,
    state: 'created',
    code: undefined,
    packageName: isKept ? send.packageName : settlement.packageName,
    settledAt: now,
    expiresAt: expiries.length === 0 ? send.expiresAt : Math.max(...expiries),
    invites: isKept ? send.invites : invites,
    subjects: withQuizzes(send, invites),
  }
}

function failed(
  send: SendRecord,
  { state, code }: Exclude<Settlement, { readonly state: 'created' }>,
  now: number,
): SendRecord {
  const isOpen = send.state === 'sending' || send.state === 'unknown'
  return settledByEvents(isOpen ? { ...send, state, code, settledAt: now } : send, now)
}

/**
 * Whether one of the invites is open and recorded for another candidate or quiz, or an event has named it for another candidate. A
 * service may return an invite again, but only for the same candidate and quiz.
 */
function isMismatched(
  send: SendRecord,
  invites: readonly LedgerInvite[],
  others: readonly SendRecord[],
  now: number,
): boolean {
  return invites.some((invite) =>
    others.some((other) => {
      if (other.expiresAt <= now) return false
      const isForAnother = other.emailKey !== send.emailKey
      if (isForAnother && other.results.some(({ inviteId }) => inviteId === invite.inviteId)) return true
      return (
        other.state === 'created' &&
        other.invites.some(
          ({ inviteId, quizId = other.quizId }) =>
            inviteId === invite.inviteId && (isForAnother || areDifferent(quizId, invite.quizId ?? send.quizId)),
        )
      )
    }),
  )
}

/* Whether two quizzes are known, and not the same. */
function areDifferent(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && idKey(one) !== idKey(other)
}

/** A send whose lease is over: its outcome is unknown, unless events have named what it created. */
export function lapsed(send: SendRecord, now: number): SendRecord {
  return send.state === 'sending' ? settledByEvents({ ...send, state: 'unknown' }, now) : send
}

/**
 * A send that an event has settled as created, with the invites that events have named; follow-ups are not its own. One that is
 * being sent stays so until its response arrives, or its lease is over.
 */
export function settledByEvents(send: SendRecord, now: number): SendRecord {
  const { state, results, code: _code, ...rest } = send
  /* Events name the invites of a package one by one. */
  const isPartial =
    send.invites.every(({ challengeUrl }) => challengeUrl === undefined) &&
    (send.packageId !== undefined || send.invites.length === 0)
  if (state === 'sending' || (state === 'created' && !isPartial)) return send
  const known = new Set(send.invites.map(({ inviteId }) => inviteId))
  const found = results.filter(({ inviteId, followUpOf }) => followUpOf === undefined && !known.has(inviteId))
  if (found.length === 0) return send
  /* The latest possible expiry, because events do not state it. A time in the past may come from a wrong clock. */
  const expiresAt = send.expiresAt > now ? send.expiresAt : now + LINK_LIFETIME_MS
  const assumed = new Date(expiresAt).toISOString()
  const invites = found.map(
    ({ inviteId, quizId = send.quizId }): LedgerInvite => ({
      inviteId,
      expiresAt: assumed,
      expiryAssumed: true,
      ...(quizId !== undefined && { quizId }),
    }),
  )
  const earlier = send.invites.map((invite) =>
    invite.expiryAssumed === true ? { ...invite, expiresAt: assumed } : invite,
  )
  const all = [...earlier, ...invites]
  return {
    ...rest,
    state: 'created',
    settledAt: state === 'created' ? send.settledAt : now,
    expiresAt,
    results,
    invites: all,
    subjects: withQuizzes(send, all),
  }
}

function withQuizzes({ subjects }: SendRecord, invites: readonly LedgerInvite[]): readonly string[] {
  const quizzes = invites.flatMap(({ quizId }) => (quizId === undefined ? [] : [quizSubject(quizId)]))
  return quizzes.every((quiz) => subjects.includes(quiz)) ? subjects : [...new Set([...subjects, ...quizzes])]
}

/** A send after a finding, or why it cannot be recorded: its state, or an invite of another candidate or quiz. */
export type Resolution =
  | { readonly send: SendRecord }
  | { readonly state: LedgerEntry['state'] | undefined }
  | { readonly isMismatch: true }

/**
 * Records what a person found out about an unknown outcome. A person who found no invite may still find one later.
 *
 * @param others as for {@link settled}
 */
export function resolved(
  send: SendRecord | undefined,
  finding: Finding,
  others: readonly SendRecord[],
  now: number,
): Resolution {
  if (send === undefined || !isOpenTo(send, finding)) return { state: send?.state }
  const result = settled(send, settlementOfFinding(send, finding), others, now)
  return result.recorded === 'mismatched' ? { isMismatch: true } : { send: result.send }
}

/* A send that failed, rather than being resolved by a person, has a code. */
function isOpenTo({ state, code }: SendRecord, { created: ids }: Finding): boolean {
  return state === 'unknown' || (ids !== undefined && state === 'not-executed' && code === undefined)
}

function settlementOfFinding({ sentAt, quizId }: SendRecord, { created: ids }: Finding): Settlement {
  if (ids === undefined) return { state: 'not-executed' }
  const expiresAt = new Date(sentAt + LINK_LIFETIME_MS).toISOString()
  const invites = [ids].flat().map((inviteId) => ({ inviteId, expiresAt, ...(quizId !== undefined && { quizId }) }))
  return { state: 'created', invites }
}
