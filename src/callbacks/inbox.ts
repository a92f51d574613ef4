import type { InviteEvent } from './event.ts'

/** A received event. */
export interface InboxEvent {
  /** The same for every delivery of an event. */
  readonly key: string
  /** The reference of the callback URL. Events of one reference are handled in order. */
  readonly reference: string
  /** The identifier in the delivery's headers. */
  readonly deliveryId: string | null
  /** The body as received. */
  readonly body: Uint8Array
  /** Unix milliseconds. */
  readonly receivedAt: number
}

/**
 * What becomes of an event. Times are Unix milliseconds.
 *
 * - `handled`: it is done. Its key is kept, so that no later delivery is handled again.
 * - `waiting`: it is due at `dueAt`. Later events of its reference wait for it.
 * - `failed`: a dead letter, which failed too often. It is kept for a replay, and no later event waits for it.
 *
 * `error`: the first 200 characters of the message of the last failure, for whoever looks after the inbox.
 */
export type InboxResult =
  | { readonly state: 'handled' }
  | { readonly state: 'waiting'; readonly dueAt: number; readonly error?: string | undefined }
  | { readonly state: 'failed'; readonly error?: string | undefined }

/** An event to handle. */
export interface DueEvent extends InboxEvent {
  /** How often handling it has failed. */
  readonly failures: number
}

/** An event in a list of the inbox. */
export interface InboxRow extends DueEvent {
  /** What became of it. */
  readonly state: InboxResult['state']
  /** The first 200 characters of the error with which `onEvent` failed last; `null` if it has not, or has succeeded since. */
  readonly error: string | null
}

/**
 * What a ledger did with an event. `mismatched`: the event names an invite that is recorded for another candidate.
 * `not-found`: there is no record with this reference. Neither changes anything.
 */
export type Learned = 'recorded' | 'mismatched' | 'not-found'

/**
 * A durable store of received events, such as `ledger.inbox`. Every method is atomic, even across processes that share
 * the store.
 */
export interface Inbox {
  /**
   * Stores an event, resolving once it is durable. `known`: an event with its key is stored already. `full`: it is not stored,
   * because its reference has too many. Rejects if it cannot be stored.
   */
  readonly append: (event: InboxEvent) => Promise<'stored' | 'known' | 'full'>
  /**
   * Takes the oldest due event that need not wait for an earlier one of its reference. No one else gets it until it is
   * settled or `leaseMs` have passed.
   */
  readonly take: (now: number, leaseMs: number) => Promise<DueEvent | undefined>
  /** Records what became of an event that was taken. */
  readonly settle: (key: string, result: InboxResult) => Promise<void>
  /** Records what an event says about an invite; a ledger's inbox has it. The same event again changes nothing. */
  readonly learn?: ((event: InviteEvent) => Promise<Learned>) | undefined
  /**
   * All references that the record of a reference answers, the one that was sent first; a ledger's inbox has it. Others belong to
   * creates that ended with its invite (`ifInvited: 'reuse'`).
   */
  readonly referencesOf?: ((reference: string) => Promise<readonly string[]>) | undefined
  /** When the next event that cannot be taken yet is due, in Unix milliseconds; `undefined` if there is none. */
  readonly nextDueAt: () => Promise<number | undefined>
  /** The stored events, oldest first. */
  readonly list: (filter?: Partial<Pick<InboxRow, 'state'>>) => AsyncIterable<InboxRow>
  /** Makes an event due again, whatever became of it. Resolves with `false` if there is no such event. */
  readonly replay: (key: string, now: number) => Promise<boolean>
}
