import type { CertifyErrorCode } from '../../index.ts'
import type { SendInput } from '../rules/entry.ts'

/**
 * The state of a wish.
 *
 * - `waiting`: a worker will send it when it is due. `sending`: a worker has taken it.
 * - `created`: it created its invites.
 * - `already_invited`: the ledger has an open invite from another send, so nothing was sent.
 * - `refused`: the service refused it. `failed`: it cannot be sent. Neither created anything.
 * - `unknown`: it may have been created, or an earlier send may have. It is not sent again by itself.
 * - `cancelled`: somebody cancelled it while it was waiting.
 */
export type WishState =
  | 'waiting'
  | 'sending'
  | 'created'
  | 'already_invited'
  | 'refused'
  | 'unknown'
  | 'failed'
  | 'cancelled'

/** A wish to invite: recorded in a transaction of yours, and sent by a worker. It contains the e-mail address. */
export interface Wish {
  /** Of the wish, and of its entry in the ledger. */
  readonly reference: string
  /** Your own name for the account, trimmed. */
  readonly account: string
  readonly state: WishState
  readonly input: SendInput
  readonly campaign: string | undefined
  /** What happens if the ledger has an open invite. */
  readonly ifInvited: 'refuse' | 'create'
  /** ISO 8601 in UTC. */
  readonly enqueuedAt: string
  /** ISO 8601 in UTC: when it may be sent. Of one that is `sending`: when another worker may take it. */
  readonly dueAt: string
  /** ISO 8601 in UTC. */
  readonly endedAt: string | undefined
  /** How often a worker has taken it. */
  readonly tries: number
  /** The reference of the entry that decided it. With `already_invited`: that of the other send. */
  readonly entry: string | undefined
  /** Why it was not created, or why it is still waiting. */
  readonly code: CertifyErrorCode | undefined
}

/** The options of a wish. */
export interface EnqueueOptions {
  /** Your own name for the account of the key, as in `acme-production`: the same as that of the worker. Not blank. */
  readonly account: string
  /** A reference of your own, as in `hire-4711`. If it is enqueued twice, it is one wish. Default: a new UUID. */
  readonly reference?: string | undefined
  /** A name for the campaign in the ledger. */
  readonly campaign?: string | undefined
  /** It is not sent before this time. Default: as soon as possible. */
  readonly notBefore?: Date | undefined
  /** What to do if the ledger has an open invite. `refuse`, the default: nothing. `create`: sends another one. */
  readonly ifInvited?: 'refuse' | 'create' | undefined
}

/** Which wishes to list. A wish has to match every field that is set. */
export interface WishFilter {
  readonly state?: WishState | undefined
  readonly account?: string | undefined
  readonly campaign?: string | undefined
  readonly email?: string | undefined
}

/** How many wishes there are in the states that need attention, and for how long the oldest one has been due. */
export interface WishCounts {
  /** Due or not. */
  readonly waiting: number
  readonly sending: number
  readonly refused: number
  readonly unknown: number
  readonly failed: number
  /** For how long the oldest waiting wish has been due, in milliseconds; 0: none is due. */
  readonly oldestDueMs: number
}

/** A wish as the database has it. Times are milliseconds since 1970. */
export type StoredWish = Omit<
  { readonly [Key in keyof Wish]: Exclude<Wish[Key], undefined> | null },
  'id' | 'enqueuedAt' | 'dueAt' | 'endedAt'
> & { readonly id: string; readonly enqueuedAt: number; readonly dueAt: number; readonly endedAt: number | null }

export function readWish(stored: StoredWish): Wish {
  const { id: _, enqueuedAt, dueAt, endedAt, campaign, entry, code, ...rest } = stored
  return {
    ...(rest as Pick<Wish, 'reference' | 'account' | 'state' | 'input' | 'ifInvited' | 'tries'>),
    campaign: campaign ?? undefined,
    enqueuedAt: isoTime(enqueuedAt),
    dueAt: isoTime(dueAt),
    endedAt: endedAt === null ? undefined : isoTime(endedAt),
    entry: entry ?? undefined,
    code: code ?? undefined,
  }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
