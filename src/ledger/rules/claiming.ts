import type { CertifyErrorCode } from '../../index.ts'
import { type Blocked, blockedBy, isExpired } from './blocking.ts'
import type { Blocking, ClaimRequest, LookedUp, Target } from './entry.ts'
import { emailKey, idKey, LINK_LIFETIME_MS, packageSubject, quizSubject, scopeKey, subjectsOf } from './key.ts'
import { differences } from './outcome.ts'
import { entryOf, type NewSend, type SendRecord } from './record.ts'
import { lapsed } from './settling.ts'

/** What a claim finds. */
export interface ClaimDecision {
  /** Sends whose lease is over, as they are now: to be recorded, whatever is decided. */
  readonly lapsed: readonly SendRecord[]
  /** Why it is refused; `undefined` if nothing blocks it. */
  readonly blocked: Blocking | undefined
}

/**
 * Decides whether a send may be recorded.
 *
 * @param recorded the sends of its candidate that share a subject with it, the earliest first
 * @param isLeaseOver whether a send is still `sending` although its sender is gone
 */
export function decideClaim(
  { target, although, serviceTime }: Pick<ClaimRequest, 'target' | 'although' | 'serviceTime'>,
  recorded: readonly SendRecord[],
  isLeaseOver: (send: SendRecord) => boolean,
  now: number,
): ClaimDecision {
  const ended = new Map(recorded.filter(isLeaseOver).map((send) => [send.id, lapsed(send, now)]))
  const sends = recorded.map((send) => ended.get(send.id) ?? send)
  /* A clock that is ahead makes open invites seem expired. */
  const blocked = blockedBy(sends, Math.min(now, serviceTime ?? now), although)
  const hasExpired = blocked?.kind === 'invited' && blocked.by.every((send) => isExpired(send, now))
  return {
    lapsed: [...ended.values()],
    blocked: blocked && { ...blockingOf(blocked, target), ...(hasExpired && { hasExpired }) },
  }
}

/**
 * What recorded sends mean for a target; `undefined` if there is nothing.
 *
 * @param recorded the sends that share a subject with it, as they are now
 */
export function lookedUp(target: Target, recorded: readonly SendRecord[], now: number): LookedUp | undefined {
  const blocked = blockedBy(recorded, now)
  if (blocked === undefined) return expiredFor(target, recorded)
  const isLapsed = blocked.kind === 'unknown' && blocked.by.every((send) => isExpired(send, now))
  return { ...blockingOf(blocked, target), ...(isLapsed && { isLapsed }) }
}

/* A package counts if it was invited to as a whole, or to each of its quizzes. */
function expiredFor({ packageId, quizIds }: Target, recorded: readonly SendRecord[]): LookedUp | undefined {
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
    entries: by.map(entryOf),
    missingQuizIds: isPartial ? quizIds.filter((quizId) => !isTaken(quizSubject(quizId))) : [],
  }
}

/*
 * A create that created nothing, for a reason that may pass, can be sent again with its reference. Each time it gets a record
 * of its own: `hire-4711`, `hire-4711+2`, `hire-4711+3`. Callers cannot choose a reference with a `+`.
 */

/**
 * The record that counts for a reference, among the sends of its candidate: the one that may have created something, or
 * else the newest.
 */
export function recordFor(reference: string, sends: readonly SendRecord[]): SendRecord | undefined {
  const all = sends.filter((send) => send.reference === reference || send.reference.startsWith(`${reference}+`))
  return all.find((send) => !hasCreatedNothing(send)) ?? all.at(-1)
}

/** Whether a create may be sent again with the reference of this record. */
export function isRepeatable(send: SendRecord, { input }: Pick<ClaimRequest, 'input'>): boolean {
  return hasCreatedNothing(send) && differences(send.input, input).length === 0
}

/* Nothing, for a reason that may pass. */
function hasCreatedNothing({ state, code }: SendRecord): boolean {
  return state === 'not-executed' || (state === 'refused' && (code === undefined || !ANSWERS.has(code)))
}

/* With these the service answered the create itself. With UNAUTHENTICATED and FORBIDDEN it refused the key. */
const ANSWERS: ReadonlySet<CertifyErrorCode> = new Set(['BAD_USER_INPUT', 'NOT_FOUND', 'API_ERROR'])

/** The reference of the record after this one. */
export function nextReference(reference: string): string {
  const [own, count = '1'] = reference.split('+')
  return `${own}+${Number(count) + 1}`
}

/** The record of a claim that nothing blocks. */
export function newSend(request: ClaimRequest, owner: string, now: number): NewSend {
  const { reference, target, input, leaseMs, campaign, row } = request
  const [quizId] = target.quizIds
  return {
    reference,
    scope: scopeKey(request.scope),
    emailKey: emailKey(target.email),
    /* A package may name a quiz twice. */
    subjects: [...new Set(subjectsOf(target))],
    ...(target.packageId === undefined
      ? quizId !== undefined && { quizId: idKey(quizId) }
      : { packageId: idKey(target.packageId) }),
    state: 'sending',
    input,
    owner,
    leaseUntil: now + leaseMs,
    sentAt: now,
    expiresAt: now + leaseMs + LINK_LIFETIME_MS,
    ...(campaign !== undefined && { campaign }),
    ...(row !== undefined && { row }),
    invites: [],
    results: [],
  }
}
