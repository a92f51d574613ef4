import type { InviteEvent } from '../../callbacks/event.ts'
import type { Learned } from '../../callbacks/inbox.ts'
import { inUtc } from '../../operations.ts'
import { type ResultRecord, type StoredRecord, withChange } from './record.ts'
import { settledByEvents } from './settling.ts'

/** The invites that an event names: the one that it is about, and the follow-up. */
export function invitesNamedBy(event: InviteEvent): readonly string[] {
  return event.type === 'certification.completed' ? [event.inviteId] : [event.originalInviteId, event.followUpInviteId]
}

/**
 * Applies an event to the record whose token it came with: it proves that something was created, and its result is
 * kept with the invite. The same event again, or an older one, changes nothing.
 *
 * @param others the other records of the scope that have an invite of the event
 */
export function recordEvent(
  record: StoredRecord | undefined,
  event: InviteEvent,
  others: readonly StoredRecord[],
  now: number,
): { readonly record: StoredRecord | undefined; readonly learned: Learned } {
  if (record === undefined || invitesNamedBy(event).some((inviteId) => inviteId.trim() === ''))
    return { record, learned: 'not-found' }
  if (others.some(({ emailKey }) => emailKey !== record.emailKey)) return { record, learned: 'mismatched' }
  const at = timeOf(event)
  const results =
    event.type === 'certification.completed'
      ? changed(record.results, event.inviteId, (said) => withResult(said, event, at))
      : changed(changed(record.results, event.originalInviteId), event.followUpInviteId, (said) => ({
          ...said,
          followUpOf: event.originalInviteId,
          ...(event.kind !== null && { kind: event.kind }),
          claimedAt: said.claimedAt ?? at,
        }))
  const isNews = JSON.stringify(results) !== JSON.stringify(record.results)
  const inviteIds = invitesNamedBy(event)
  const next = isNews ? withChange({ ...record, results }, { at: now, what: 'event', inviteIds }) : record
  return { record: settledByEvents(next, now), learned: 'recorded' }
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
