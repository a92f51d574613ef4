import type { Outcome } from '../../src/index.ts'
import type { FetchName } from './fetches.ts'
import type { CallRecord } from './record.ts'
import type { Connection, Step } from './service.ts'

/** How a call gets to the service. */
export interface Way {
  readonly fetch: FetchName
  readonly secure: boolean
  readonly keeps: boolean
}

/** One call of `invites.create`, and what the service does with its requests. */
export interface Scenario {
  readonly name: string
  readonly way: Way
  /** For its requests one after another; the last is for all that follow. */
  readonly steps: readonly Step[]
  /** There is nothing wrong with the answer: the caller has to get the invite. */
  readonly mustSucceed?: boolean
  /** With its answer to the listing that comes before, on a connection that is kept. */
  readonly afterListing?: (connection: Connection) => void
  /** How many characters the candidate's name has: a long one is not sent in one go. */
  readonly nameLength?: number
}

/** What a caller was told at the end of a call. */
export interface Told {
  readonly outcome: 'created' | Outcome
  readonly code?: string
  readonly inviteId?: string
}

/** A call that ended, and what the service knows of it so far. */
export interface Ended {
  readonly scenario: Scenario
  readonly reference: string
  readonly record: CallRecord
  readonly told: Told
}
