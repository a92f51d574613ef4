import type { LedgerEntry, LedgerInvite, Settlement } from './entry.ts'
import { idKey, LINK_LIFETIME_MS, quizSubject } from './key.ts'
import type { Finding, Recorded } from './ledger.ts'
import { type ChangeRecord, isUnproven, type SendRecord, withChange } from './record.ts'

/** A send after a settlement, and how that was recorded. */
export interface Settled {
  readonly send: SendRecord
  readonly recorded: Recorded
}

/**
 * Settles a send that ended. What is already known is not replaced by something less certain.
 *
 * @param others the other sends of the scope that have one of its invites
 */
export function settled(send: SendRecord, settlement: Settlement, others: readonly SendRecord[], now: number): Settled {
  const isMixedUp = settlement.state === 'created' && isMismatched(send, settlement.invites, others, now)
  const end: Settlement = isMixedUp ? { state: 'unknown', code: 'RESPONSE_MISMATCHED' } : settlement
  const code = end.state === 'created' ? undefined : end.code
  const last = send.history.at(-1)
  if (code === 'SERVICE_UNAVAILABLE' && last?.what === 'sent')
    return { send: withdrawn(send), recorded: recordedAt(send, now) }
  /* A settlement whose commit was not acknowledged is repeated. */
  const isRepeated = last?.what === end.state && last.code === code
  const change = isRepeated ? undefined : { at: now, what: end.state, ...(code !== undefined && { code }) }
  const next = end.state === 'created' ? created(send, end, now, change) : failed(send, end, now, change)
  return { send: next, recorded: isMixedUp ? 'mismatched' : recordedAt(send, now) }
}

/* As it was before its claim: while the circuit breaker is open, a queue may claim it a thousand times. */
function withdrawn(send: SendRecord): SendRecord {
  const history = send.history.slice(0, -1)
  const { what, code, at } = history.at(-1) ?? { what: 'not-executed', code: undefined, at: send.sentAt }
  return {
    ...send,
    state: what === 'refused' ? what : 'not-executed',
    code: what === 'resolved' ? undefined : code,
    settledAt: at,
    sentAt: history.findLast((change) => change.what === 'sent')?.at ?? send.sentAt,
    history,
  }
}

/**
 * Whether a record is not kept: it proves that nothing was created, nothing else has happened to it, and no caller chose its
 * reference; or it was withdrawn, and there was none before.
 */
export function isForgettable({ reference, owner, state, history }: SendRecord): boolean {
  if (state !== 'not-executed') return false
  return history.every(({ what }) => what === 'replaced') || (reference === owner && history.length === 2)
}

/**
 * Settles an earlier claim of the reference of a send: a person had said that it created nothing, and so the reference was
 * claimed again.
 */
export function settledEarlier(
  send: SendRecord,
  settlement: Settlement,
  others: readonly SendRecord[],
  now: number,
): Settled {
  /* Otherwise that claim was settled before, so this changes nothing, or its record is gone. */
  if (send.isUnproven !== true) return { send, recorded: 'not-found' }
  if (settlement.state !== 'created') return { send, recorded: 'late' }
  const { invites } = settlement
  if (isMismatched(send, invites, others, now)) return { send, recorded: 'mismatched' }
  const inviteIds = invites.map(({ inviteId }) => inviteId)
  const known = send.earlierInvites?.map(({ inviteId }) => inviteId)
  if (known !== undefined && inviteIds.every((inviteId) => known.includes(inviteId))) return { send, recorded: 'late' }
  const kept = { ...send, earlierInvites: [...(send.earlierInvites ?? []), ...invites] }
  return { send: settledByEarlier(withChange(kept, { at: now, what: 'late', inviteIds }), now), recorded: 'late' }
}

/* If this claim created nothing, but an earlier one did, then its reference has created that. */
function settledByEarlier(send: SendRecord, now: number): SendRecord {
  const { state, earlierInvites: invites } = send
  if (invites === undefined || (state !== 'refused' && state !== 'not-executed')) return settledByEvents(send, now)
  return created(send, { state: 'created', invites }, now)
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
  change?: ChangeRecord,
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
    ...withChange(send, change),
    state: 'created',
    code: undefined,
    packageName: isKept ? send.packageName : settlement.packageName,
    settledAt: now,
    expiresAt: expiries.length === 0 ? send.expiresAt : Math.max(...expiries),
    ...withLinks(send, isKept ? send.invites : invites, settlement.challengeUrls ?? send.challengeUrls),
    subjects: withQuizzes(send, invites),
  }
}

/* The link of the only invite is its own. Of a package, nobody knows which invite a link belongs to. */
function withLinks({ packageId }: SendRecord, invites: readonly LedgerInvite[], challengeUrls: readonly string[] = []) {
  const [invite] = invites
  const [challengeUrl] = challengeUrls
  if (challengeUrl === undefined || (invite && invites.every((each) => each.challengeUrl !== undefined)))
    return { invites, challengeUrls: undefined }
  return packageId !== undefined || invite === undefined || invites.length + challengeUrls.length > 2
    ? { invites, challengeUrls }
    : { invites: [{ ...invite, challengeUrl }], challengeUrls: undefined }
}

function failed(
  send: SendRecord,
  { state, code }: Exclude<Settlement, { readonly state: 'created' }>,
  now: number,
  change: ChangeRecord | undefined,
): SendRecord {
  const isOpen = send.state === 'sending' || send.state === 'unknown'
  if (!isOpen) return send
  return settledByEarlier({ ...withChange(send, change), state, code, settledAt: now }, now)
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
  if (send.state !== 'sending') return send
  return settledByEvents(withChange({ ...send, state: 'unknown' }, { at: send.leaseUntil, what: 'lapsed' }), now)
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
  /* After an earlier claim of the reference, the event may be about that one. */
  const isOpen = state === 'sending' || (state === 'unknown' && send.isUnproven === true)
  if (isOpen || (state === 'created' && !isPartial)) return send
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
    ...withLinks(send, all, send.challengeUrls),
    subjects: withQuizzes(send, all),
  }
}

function withQuizzes({ subjects }: SendRecord, invites: readonly LedgerInvite[]): readonly string[] {
  const quizzes = invites.flatMap(({ quizId }) => (quizId === undefined ? [] : [quizSubject(quizId)]))
  return quizzes.every((quiz) => subjects.includes(quiz)) ? subjects : [...new Set([...subjects, ...quizzes])]
}

/**
 * A send after a finding, or why it cannot be recorded: its state, an invite of another candidate or quiz, or there is no finding
 * to withdraw.
 */
export type Resolution =
  | { readonly send: SendRecord }
  | { readonly state: LedgerEntry['state'] | undefined }
  | { readonly isMismatch: true }
  | { readonly hasNoFinding: true }

/**
 * Records what a person found out about an unknown outcome. A person who found no invite may still find one later, and a finding
 * can be withdrawn until something else happens.
 *
 * @param others as for {@link settled}
 */
export function resolved(
  send: SendRecord | undefined,
  finding: Finding,
  others: readonly SendRecord[],
  now: number,
): Resolution {
  if (send === undefined) return { state: undefined }
  const { created: found, challengeUrls, undo, by, note } = finding
  /* With the reason why it was unknown, also if a person has decided since. */
  const decision = { at: now, code: send.code ?? send.history.at(-1)?.code, by, note }
  if (undo === true) return undone(send, { ...decision, what: 'undone' })
  if (!isOpenTo(send, finding)) return { state: send.state }
  if (found === undefined) {
    const change = { ...decision, what: 'resolved', finding: 'not-created' } as const
    return { send: failed(send, { state: 'not-executed' }, now, change) }
  }
  /* As if the links were made when it was sent: the person does not know when. */
  const expiresAt = send.sentAt + LINK_LIFETIME_MS
  const { quizId } = send
  const invite = { expiresAt: new Date(expiresAt).toISOString(), ...(quizId !== undefined && { quizId }) }
  const inviteIds = [found].flat()
  const invites = inviteIds.map((inviteId) => ({ inviteId, ...invite }))
  if (isMismatched(send, invites, others, now)) return { isMismatch: true }
  const change = { ...decision, what: 'resolved', finding: 'created', inviteIds } as const
  return { send: created({ ...send, expiresAt }, { state: 'created', invites, challengeUrls }, now, change) }
}

/* What the service said, or what is known in full, is not for a person to decide. */
function isOpenTo(send: SendRecord, { created: found, challengeUrls = [] }: Finding): boolean {
  const { state, invites } = send
  if (state === 'unknown' || found === undefined) return state === 'unknown'
  if (state === 'created') return invites.length === 0 && found.length + challengeUrls.length > 0
  return state !== 'sending' && isUnproven(send)
}

function undone(send: SendRecord, change: ChangeRecord): Resolution {
  const [before, last] = send.history.slice(-2)
  if (last?.what !== 'resolved') return { hasNoFinding: true }
  /* The finding may have been the ids of what the service had created. */
  const state = before?.what === 'created' ? 'created' : 'unknown'
  const expiresAt = send.leaseUntil + LINK_LIFETIME_MS
  const { at: settledAt, code } = change
  const nothing = { invites: [], challengeUrls: undefined }
  return { send: withChange({ ...send, ...nothing, state, code, expiresAt, settledAt }, change) }
}
