import { blockedBy } from './blocking.ts'
import type { Claim, ClaimRequest } from './entry.ts'
import { emailKey, idKey, LINK_LIFETIME_MS, scopeKey, subjectsOf } from './key.ts'
import { entryOf, type NewSend, type SendRecord } from './record.ts'
import { lapsed } from './settling.ts'

/** What a claim finds. */
export interface ClaimDecision {
  /** Sends whose lease is over, as they are now: to be recorded, whatever is decided. */
  readonly lapsed: readonly SendRecord[]
  /** Why it is refused; `undefined` if nothing blocks it. */
  readonly blocked: Exclude<Claim, { readonly kind: 'claimed' }> | undefined
}

/**
 * Decides whether a send may be recorded.
 *
 * @param recorded the sends of its candidate that share a subject with it, the earliest first
 * @param isLeaseOver whether a send is `sending`, and nobody sends it any more
 */
export function decideClaim(
  { although }: Pick<ClaimRequest, 'although'>,
  recorded: readonly SendRecord[],
  isLeaseOver: (send: SendRecord) => boolean,
  now: number,
): ClaimDecision {
  const ended = new Map(recorded.filter(isLeaseOver).map((send) => [send.id, lapsed(send, now)]))
  const sends = recorded.map((send) => ended.get(send.id) ?? send)
  const blocked = blockedBy(
    sends.map((send) => viewOf(send, now)),
    although,
  )
  return {
    lapsed: [...ended.values()],
    blocked: blocked && { kind: blocked.kind, entries: blocked.by.map(({ send }) => entryOf(send)) },
  }
}

/** A send as {@link blockedBy} sees it. */
export function viewOf<Send extends Pick<SendRecord, 'id' | 'state' | 'quizId' | 'packageId' | 'expiresAt'>>(
  send: Send,
  now: number,
) {
  const { id, state, quizId = null, packageId = null } = send
  return { send, id, state, quizId, packageId, isExpired: send.expiresAt <= now }
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
