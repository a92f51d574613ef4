import type { CertificationCompleted, FollowUpClaimed } from './event.ts'

/** An event about an invite, as a ledger records it. */
export type InviteEvent = (CertificationCompleted | FollowUpClaimed) & {
  /** The same for every delivery of the event. */
  readonly key: string
  /** The reference of the callback URL. */
  readonly reference: string
  /** Unix milliseconds. */
  readonly receivedAt: number
}

/**
 * What a ledger did with an event. `mismatched`: the event names an invite that is recorded for another candidate.
 * `not-found`: there is no record with this reference. Neither changes anything.
 */
export type Learned = 'recorded' | 'mismatched' | 'not-found'
