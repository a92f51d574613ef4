import type { BehaviourSwitches } from '../contract/behaviour-switches.ts'
import type { MockCallback, MockCallbackAttempt } from '../contract/callbacks.ts'
import { isoTime } from '../world/clock.ts'
import type { WorldEvent } from '../world/model.ts'
import type { DeliveryResult } from './callback-sender.ts'
/** An event in the log, as it is kept and written down. */
export interface CallbackRecord extends Omit<MockCallback, 'occurredAt' | 'nextAttemptAt'> {
  readonly occurredAt: number
  readonly candidateKey: string
  status: MockCallback['status']
  /** When its next attempt is due, once it is the first of its queue. */
  nextAttemptAt: number
  attempts: readonly MockCallbackAttempt[]
  /** How many attempts there were before it was redelivered. */
  attemptsBefore: number
  /** Its place in the log. */
  readonly order: number
  /** Its place in its queue: that in the log, or behind another event where a fault has put it there. */
  rank: number
  /** Whether a fault has put the next attempt off: it is made when its turn comes, without another fault. */
  wasPutOff: boolean
  /** Whether it was to be redelivered while an attempt was under way. */
  again: boolean
}

/** An event that has just occurred, under the names that the behaviour switches give it. */
export function newRecord(
  event: WorldEvent,
  eventNames: BehaviourSwitches['eventNames'],
  order: number,
): CallbackRecord {
  const { eventId, type, callbackUrl, inviteId, candidateKey, occurredAt, data } = event
  const name = (ours: string): string => eventNames[ours] ?? ours
  const renamed = Object.fromEntries(Object.entries(data).map(([key, value]) => [name(key), value]))
  const body = { id: eventId, type: name(type), occurredAt: isoTime(occurredAt), data: renamed }
  return {
    id: eventId,
    type: name(type),
    url: callbackUrl,
    inviteId,
    candidateKey,
    body: JSON.stringify(body),
    status: 'waiting',
    occurredAt,
    nextAttemptAt: occurredAt,
    attempts: [],
    attemptsBefore: 0,
    order,
    rank: order,
    wasPutOff: false,
    again: false,
  }
}

/** Whether an event has still to arrive. */
export function isOpen({ status }: CallbackRecord): boolean {
  return status === 'waiting' || status === 'given-up'
}

/** What an event is after this attempt, as far as the attempt alone can tell. */
export function statusAfter(result: DeliveryResult | 'dropped'): CallbackRecord['status'] {
  if (result === 'dropped') return 'dropped'
  if (result.status !== undefined) return result.status >= 200 && result.status < 300 ? 'delivered' : 'waiting'
  return result.blocked ? 'blocked' : 'waiting'
}

/** An event as the log shows it; only the first one of its queue has a next attempt. */
export function callbackRow(record: CallbackRecord, isFirst: boolean): MockCallback {
  const { id, type, url, inviteId, body, status, occurredAt, attempts } = record
  return {
    id,
    type,
    url,
    inviteId,
    body,
    status,
    occurredAt: isoTime(occurredAt),
    nextAttemptAt: isFirst && status === 'waiting' ? isoTime(record.nextAttemptAt) : null,
    attempts: attempts.map((attempt) => ({ ...attempt })),
  }
}
