import { type Blocked, blockedBy, isExpired } from './blocking.ts'
import type { Blocking, ClaimRequest, LookedUp, Target } from './model.ts'
import { emailKey, idKey, LINK_LIFETIME_MS, packageSubject, quizSubject, scopeKey, subjectsOf } from './key.ts'
import { conflicts, isSameTarget, resultIn } from './outcome.ts'
import { hasNothing, recordOf, isUnproven, type NewRecord, type StoredRecord, withChange } from './record.ts'

/**
 * Why a create may not be recorded; `undefined` if nothing blocks it.
 *
 * @param recorded the records of its candidate that share a subject with it, as they are now, the earliest first
 */
export function blockingClaim(
  { target, serviceTime, ...options }: Pick<ClaimRequest, 'target' | 'ifInvited' | 'ifUnknown' | 'serviceTime'>,
  recorded: readonly StoredRecord[],
  now: number,
): Blocking | undefined {
  /* A clock that is ahead makes open invites seem expired. */
  const blocked = blockedBy(recorded, Math.min(now, serviceTime ?? now), options)
  const hasExpired = blocked?.kind === 'invited' && blocked.by.every((record) => isExpired(record, now))
  return blocked && { ...blockingOf(blocked, target), ...(hasExpired && { hasExpired }) }
}

/**
 * What records mean for a target; `undefined` if there is nothing.
 *
 * @param recorded the records that share a subject with it, as they are now
 */
export function lookedUp(target: Target, recorded: readonly StoredRecord[], now: number): LookedUp | undefined {
  const blocked = blockedBy(recorded, now)
  if (blocked === undefined) return expiredFor(target, recorded)
  const isLapsed = blocked.kind === 'unknown' && blocked.by.every((record) => isExpired(record, now))
  return { ...blockingOf(blocked, target), ...(isLapsed && { isLapsed }) }
}

/* A package counts if it was invited to as a whole, or to each of its quizzes. */
function expiredFor({ packageId, quizIds }: Target, recorded: readonly StoredRecord[]): LookedUp | undefined {
  const created = recorded.filter(({ state }) => state === 'created')
  const has = (subject: string) => created.some(({ subjects }) => subjects.includes(subject))
  const isWhole = packageId !== undefined && has(packageSubject(packageId))
  if (!isWhole && (quizIds.length === 0 || !quizIds.map(quizSubject).every(has))) return undefined
  const hasResult = created.some(({ results }) => results.some(({ result }) => result !== undefined))
  return { kind: 'expired', hasResult }
}

function blockingOf({ kind, by }: Blocked, { packageId, quizIds }: Target): Blocking {
  const isTaken = (subject: string) => by.some(({ subjects }) => subjects.includes(subject))
  const isPartial = kind === 'invited' && packageId !== undefined && !isTaken(packageSubject(packageId))
  return {
    kind,
    records: by.map((record) => recordOf(record)),
    missingQuizIds: isPartial ? quizIds.filter((quizId) => !isTaken(quizSubject(quizId))) : [],
  }
}

/**
 * Whether a create may be sent with the reference of this record: nothing was created with it. A person's word is no proof, so
 * after that only the same create may be sent.
 */
export function isFree(own: StoredRecord, request: Pick<ClaimRequest, 'scope' | 'input'>): boolean {
  return hasNothing(own) && (!isUnproven(own) || isSameCreate(own, request))
}

function isSameCreate(own: StoredRecord, { scope, input }: Pick<ClaimRequest, 'scope' | 'input'>): boolean {
  return conflicts({ ...scopeKey(scope), input }, { ...own.scope, input: own.input }).length === 0
}

/**
 * The open invite that a create with `ifInvited: 'reuse'` ends with: the newest to the same quiz or package whose link is
 * recorded. None while only the service's clock can tell whether it is open.
 *
 * @param blocked why the create is refused
 * @param recorded the records that blocked it, among others
 */
export function reusable(
  { ifInvited, input, serviceTime }: Pick<ClaimRequest, 'ifInvited' | 'input' | 'serviceTime'>,
  { kind, records, hasExpired }: Blocking,
  recorded: readonly StoredRecord[],
): StoredRecord | undefined {
  if (ifInvited !== 'reuse' || kind !== 'invited' || (hasExpired === true && serviceTime === Number.NEGATIVE_INFINITY))
    return undefined
  const same = records.findLast((record) => isSameTarget(record.input, input) && resultIn(record) !== undefined)
  return recorded.find(({ reference }) => reference === same?.reference)
}

/**
 * The record of a claim that nothing blocks.
 *
 * @param before the record that its reference had until now, if it had one
 */
export function newRecord(request: ClaimRequest, owner: string, now: number, before?: StoredRecord): NewRecord {
  const { reference = owner, target, input, leaseMs, campaign, row } = request
  const [quizId] = target.quizIds
  const same = before !== undefined && isSameCreate(before, request) ? before : undefined
  /* A create is told from an earlier one with its reference by its time, although the clock may have gone back. */
  const sentAt = Math.max(now, (before?.sentAt ?? 0) + 1)
  const record: NewRecord = {
    reference,
    scope: scopeKey(request.scope),
    emailKey: emailKey(target.email),
    /* A package may name a quiz twice. */
    subjects: [...new Set(subjectsOf(target))],
    ...(target.packageId === undefined
      ? quizId !== undefined && { quizId: idKey(quizId) }
      : { packageId: idKey(target.packageId) }),
    ...(same?.title !== undefined && { title: same.title }),
    ...(same?.level !== undefined && { level: same.level }),
    state: 'sending',
    input,
    owner,
    leaseUntil: now + leaseMs,
    sentAt,
    expiresAt: now + leaseMs + LINK_LIFETIME_MS,
    ...(campaign !== undefined && { campaign }),
    ...(row !== undefined && { row }),
    invites: [],
    results: [],
    ...(same !== undefined && isUnproven(same) && { isUnproven: true }),
    ...(same?.reusedBy !== undefined && { reusedBy: same.reusedBy }),
    ...(same?.decision !== undefined && { decision: same.decision }),
    /* Another create begins a new history: the earlier one may be about someone else. */
    history: same?.history ?? (before === undefined ? [] : [{ at: now, what: 'replaced', code: before.code }]),
    changesOmitted: same?.changesOmitted,
  }
  return { ...withChange(record, { at: now, what: 'sent' }), replaced: before }
}
