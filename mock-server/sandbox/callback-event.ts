import type { MockCallback, MockCallbackAttempt } from '../generated/contract.ts'
import { isoTime } from '../world/clock.ts'
import type { WorldEvent } from '../world/model.ts'
import type { DeliveryResult } from './callback-sender.ts'

/** An event in the callback log, and in snapshots. */
export interface CallbackEvent extends Omit<MockCallback, 'occurredAt' | 'nextAttemptAt' | 'waitsBehind'> {
  readonly occurredAt: number
  candidateKey: string
  status: MockCallback['status']
  /** When its next attempt is due, once it is the first of its queue. */
  nextAttemptAt: number
  attempts: readonly MockCallbackAttempt[]
  /** How many attempts were made before it was redelivered. */
  attemptsBefore: number
  /** Its place in its queue. */
  readonly order: number
  /** Whether a fault has postponed the next attempt. That attempt then has no other fault. */
  isPostponed: boolean
}

/** An event that has just occurred. */
export function newCallbackEvent(
  { eventId, type, callbackUrl, inviteId, candidateKey, occurredAt, data }: WorldEvent,
  order: number,
): CallbackEvent {
  return {
    id: eventId,
    type,
    url: callbackUrl,
    inviteId,
    candidateKey,
    body: JSON.stringify({ id: eventId, type, occurredAt: isoTime(occurredAt), data }),
    status: 'waiting',
    occurredAt,
    nextAttemptAt: occurredAt,
    attempts: [],
    attemptsBefore: 0,
    order,
    isPostponed: false,
  }
}

/** Throws if this is not an event that can be shown and sent. */
export function assertEvent(event: CallbackEvent): void {
  callbackRow(event, {})
  if (!URL.canParse(event.url)) throw new Error('The address of a callback is not a URL.')
}

/** Whether an event is still to be delivered. */
export function isOpen({ status }: CallbackEvent): boolean {
  return status === 'waiting' || status === 'given-up'
}

/** The status after this attempt, while attempts are left. */
export function statusAfter(result: DeliveryResult): CallbackEvent['status'] {
  if (result.status !== undefined) return result.status >= 200 && result.status < 300 ? 'delivered' : 'waiting'
  return result.blocked ? 'blocked' : 'waiting'
}

/** An attempt as the log shows it. */
export function attemptOf(result: DeliveryResult, at: string): MockCallbackAttempt {
  const { status = null, error = null, requestHeaders = {} } = result
  return { at, status, error, requestHeaders, response: result.status === undefined ? null : result.response }
}

/** An event as the public log shows it. Only the next one of its queue has a next attempt. */
export function callbackRow(
  event: CallbackEvent,
  { first, paused }: { readonly first?: CallbackEvent | undefined; readonly paused?: boolean },
): MockCallback {
  const { id, type, url, inviteId, body, status } = event
  return {
    id,
    type,
    url,
    inviteId,
    body,
    status,
    occurredAt: isoTime(event.occurredAt),
    nextAttemptAt: status === 'waiting' && first === event && !paused ? isoTime(event.nextAttemptAt) : null,
    waitsBehind: status === 'waiting' && first && first !== event ? first.id : null,
    attempts: event.attempts,
  }
}
