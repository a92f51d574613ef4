import type { Outcome } from '../../src/index.ts'
import type { FetchName } from './fetches.ts'
import type { CallRecord } from './record.ts'
import type { Connection, Step } from './service.ts'

/** How a call reaches the service. */
export interface Way {
  readonly fetch: FetchName
  readonly secure: boolean
  readonly keeps: boolean
}

/** One call of `invites.create`, and what the service does with its requests. */
export interface Scenario {
  readonly name: string
  readonly way: Way
  /** One per request; the last applies to all that follow. */
  readonly steps: readonly Step[]
  /** The response is valid: the caller must get the invite. */
  readonly mustSucceed?: boolean
  /** Runs with the response to the preceding listing, on a kept connection. */
  readonly afterListing?: (connection: Connection) => void
  /** The length of the candidate's name: a long one is not sent in one packet. */
  readonly nameLength?: number
}

/** What a caller was told at the end of a call. */
export interface Told {
  readonly outcome: 'created' | Outcome
  readonly code?: string
  readonly inviteId?: string
}

/** A call that ended, and what the service knows about it so far. */
export interface Ended {
  readonly scenario: Scenario
  readonly reference: string
  readonly record: CallRecord
  readonly told: Told
}
