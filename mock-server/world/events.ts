import { isoTime } from './clock.ts'
import type { FollowUpKind } from '../generated/contract.ts'
import type { Invite } from './model.ts'
import type { World } from './world.ts'

/**
 * The types of events. The specification shows `certification.follow_up_claimed`, with both identifiers. The other type
 * and all field names are guesses, and this file is the only place that has them.
 */
const TYPES = { claimed: 'certification.follow_up_claimed', completed: 'certification.completed' } as const

/** The types of events. */
export const EVENT_TYPES = [TYPES.claimed, TYPES.completed] as const

/** What happened to an invite. */
export type EventFacts =
  | { readonly kind: 'claimed'; readonly followUp: Invite; readonly offer: FollowUpKind }
  | { readonly kind: 'completed'; readonly passed: boolean; readonly validUntil: number | null }

/** Passes an event to the world's listener, if the invite has a `callbackUrl`. */
export function announce(world: World, invite: Invite, happening: EventFacts): void {
  const { callbackUrl, inviteId, candidateKey } = invite
  if (callbackUrl === null) return
  world.listener({
    eventId: world.state.eventIds.next(),
    type: TYPES[happening.kind],
    occurredAt: world.clock.now(),
    inviteId,
    candidateKey,
    callbackUrl,
    data: dataOf(invite, happening),
  })
}

function dataOf(invite: Invite, happening: EventFacts): Readonly<Record<string, string | null>> {
  const { inviteId, quizId, externalReference } = invite
  if (happening.kind === 'claimed') {
    const { followUp, offer } = happening
    return { kind: offer, originalInviteId: inviteId, followUpInviteId: followUp.inviteId, externalReference }
  }
  const { passed, validUntil } = happening
  return {
    inviteId,
    quizId,
    result: passed ? 'PASSED' : 'FAILED',
    validUntil: validUntil === null ? null : isoTime(validUntil),
    externalReference,
  }
}
