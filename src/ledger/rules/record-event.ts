import type { InviteEvent, Learned } from '../../callbacks/invite-records.ts'
import { inUtc } from '../../operations.ts'
import { type ResultRecord, type SendRecord, withChange } from './record.ts'
import { settledByEvents } from './settling.ts'

/** The invites that an event names: the one that it is about, and the follow-up. */
export function invitesNamedBy(event: InviteEvent): readonly string[] {
  return event.type === 'certification.completed' ? [event.inviteId] : [event.originalInviteId, event.followUpInviteId]
}

/**
 * Applies an event to the send whose token it came with: it proves that the send created something, and its result is
 * kept with the invite. The same event again, or an older one, changes nothing.
 *
 * @param others the other sends of the scope that have an invite of the event
 */
export function recordEvent(
  send: SendRecord | undefined,
  event: InviteEvent,
  others: readonly SendRecord[],
  now: number,
): { readonly send: SendRecord | undefined; readonly learned: Learned } {
  if (send === undefined || invitesNamedBy(event).some((inviteId) => inviteId.trim() === ''))
    return { send, learned: 'not-found' }
  if (others.some(({ emailKey }) => emailKey !== send.emailKey)) return { send, learned: 'mismatched' }
  const at = timeOf(event)
  const results =
    event.type === 'certification.completed'
      ? changed(send.results, event.inviteId, (said) => withResult(said, event, at))
      : changed(changed(send.results, event.originalInviteId), event.followUpInviteId, (said) => ({
          ...said,
          followUpOf: event.originalInviteId,
          ...(event.kind !== null && { kind: event.kind }),
          claimedAt: said.claimedAt ?? at,
        }))
  const isNews = JSON.stringify(results) !== JSON.stringify(send.results)
  const inviteIds = invitesNamedBy(event)
  const next = isNews ? withChange({ ...send, results }, { at: now, what: 'event', inviteIds }) : send
  return { send: settledByEvents(next, now), learned: 'recorded' }
}

function withResult(
  said: ResultRecord,
  { quizId, result, validUntil }: Extract<InviteEvent, { readonly type: 'certification.completed' }>,
  resultAt: number,
): ResultRecord {
  const named = { ...said, ...(quizId !== null && { quizId: said.quizId ?? quizId }) }
  if (result === null || (said.resultAt !== undefined && resultAt <= said.resultAt)) return named
  const plain = result.trim().toLowerCase()
  const { validUntil: _, ...kept } = named
  return {
    ...kept,
    result: plain === 'passed' || plain === 'failed' ? plain : result,
    resultAt,
    ...(validUntil !== null && { validUntil }),
  }
}

function changed(
  results: readonly ResultRecord[],
  inviteId: string,
  change: (said: ResultRecord) => ResultRecord = (said) => said,
): readonly ResultRecord[] {
  const said = results.find((each) => each.inviteId === inviteId)
  return said === undefined
    ? [...results, change({ inviteId })]
    : results.map((each) => (each === said ? change(each) : each))
}

function timeOf({ occurredAt, receivedAt }: InviteEvent): number {
  const time = Date.parse(inUtc(occurredAt ?? ''))
  return Number.isNaN(time) ? receivedAt : time
}
