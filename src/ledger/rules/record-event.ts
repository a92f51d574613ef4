import type { CertificationCompleted, FollowUpClaimed } from '../../callbacks/event.ts'
import type { InviteEvent, Learned } from '../../callbacks/invite-records.ts'
import { contradicts, isNewer, quizIn, resultOf } from './learning.ts'
import type { NamedRecord, SendRecord } from './record.ts'
import { areDifferent, knownSend, settledByEvents } from './settling.ts'

/** The invites that an event names. */
export function invitesNamedBy(event: InviteEvent): readonly string[] {
  return event.type === 'certification.completed' ? [event.inviteId] : [event.originalInviteId, event.followUpInviteId]
}

/**
 * A send after an event about one of its invites, unless the event contradicts the ledger.
 *
 * @param others the other sends of the scope that have an invite of the event
 */
export function recordEvent(
  send: SendRecord | undefined,
  event: InviteEvent,
  others: readonly SendRecord[],
  now: number,
): { readonly send: SendRecord | undefined; readonly learned: Learned } {
  const ids = invitesNamedBy(event)
  if (send === undefined || ids.some((inviteId) => inviteId.trim() === '')) return { send, learned: 'not-found' }
  const known = knownSend(send)
  const isElsewhere = (inviteId: string) => {
    const quizId = quizIn(known, event, inviteId)
    return others.some((other) => hasForAnother(other, inviteId, send.emailKey, quizId))
  }
  if (contradicts(known, event) || ids.some(isElsewhere)) return { send, learned: 'mismatched' }
  const about = ids[0] ?? ''
  const isKnown = isKnownBefore(send, event, about)
  const naming = withNamed(send, about, isKnown ? undefined : event.key, event.receivedAt)
  const changed =
    event.type === 'certification.completed' ? withResult(naming, event) : withFollowUp(naming, event, isKnown)
  return { send: settledByEvents(changed, now), learned: isKnown ? 'token+ledger' : 'token' }
}

function hasForAnother(other: SendRecord, inviteId: string, emailKey: string, quizId: string | undefined): boolean {
  const named = [
    ...other.invites.map((invite) => ({ ...invite, quizId: invite.quizId ?? other.quizId })),
    ...other.named,
  ]
  return named.some(
    (each) => each.inviteId === inviteId && (other.emailKey !== emailKey || areDifferent(each.quizId, quizId)),
  )
}

/* Whether the ledger had the invite before this event: also if the event comes again. */
function isKnownBefore({ invites, named }: SendRecord, { key }: InviteEvent, inviteId: string): boolean {
  const known = named.find((each) => each.inviteId === inviteId)
  return known === undefined ? invites.some((each) => each.inviteId === inviteId) : known.namedBy !== key
}

function withNamed(send: SendRecord, inviteId: string, namedBy: string | undefined, namedAt: number): SendRecord {
  if (send.named.some((each) => each.inviteId === inviteId)) return send
  return { ...send, named: [...send.named, { inviteId, namedAt, ...(namedBy !== undefined && { namedBy }) }] }
}

function withChange(send: SendRecord, inviteId: string, change: (named: NamedRecord) => NamedRecord): SendRecord {
  return { ...send, named: send.named.map((each) => (each.inviteId === inviteId ? change(each) : each)) }
}

type Received<Event> = Event & Pick<InviteEvent, 'key' | 'receivedAt'>

function withResult(send: SendRecord, event: Received<CertificationCompleted>): SendRecord {
  const { inviteId, result, receivedAt } = event
  const occurredAt = timeOf(event)
  return withChange(send, inviteId, ({ quizId = event.quizId ?? undefined, ...rest }) => {
    const named: NamedRecord = { ...rest, ...(quizId !== undefined && { quizId }) }
    const recorded = named.result !== undefined && {
      occurredAt: named.occurredAt,
      receivedAt: named.receivedAt ?? 0,
    }
    if (result === null || (recorded && !isNewer({ occurredAt, receivedAt }, recorded))) return named
    const { occurredAt: _, validUntil: __, ...kept } = named
    return {
      ...kept,
      result: resultOf(result),
      receivedAt,
      ...(occurredAt !== undefined && { occurredAt }),
      ...(event.validUntil !== null && { validUntil: event.validUntil }),
    }
  })
}

function withFollowUp(send: SendRecord, event: Received<FollowUpClaimed>, isProven: boolean): SendRecord {
  const { originalInviteId: followUpOf, followUpInviteId, key, receivedAt } = event
  const naming = withNamed(send, followUpInviteId, isProven ? undefined : key, receivedAt)
  const changed = withChange(naming, followUpInviteId, ({ namedBy, kind = event.kind ?? undefined, ...named }) => ({
    ...named,
    ...(namedBy !== undefined && !isProven && { namedBy }),
    ...(kind !== undefined && { kind }),
    followUpOf,
    claimedAt: named.claimedAt ?? timeOf(event) ?? receivedAt,
  }))
  /* Its result came first, and it was taken for what the send created. */
  return { ...changed, invites: changed.invites.filter(({ inviteId }) => inviteId !== followUpInviteId) }
}

function timeOf({ occurredAt }: Pick<InviteEvent, 'occurredAt'>): number | undefined {
  const time = Date.parse(occurredAt ?? '')
  return Number.isNaN(time) ? undefined : time
}
