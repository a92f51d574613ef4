import type { CertificationCompleted, FollowUpClaimed } from './event.ts'

/** An event about an invite, as a ledger records it. */
export type InviteEvent = (CertificationCompleted | FollowUpClaimed) & {
  /** The same for every delivery of the event. */
  readonly key: string
  /** The reference of the callback URL. */
  readonly reference: string
  /** Milliseconds since 1970. */
  readonly receivedAt: number
}

/**
 * What a ledger did with an event.
 *
 * - `token+ledger`: it is recorded, and the ledger had the invite, or the one that led to it.
 * - `token`: it is recorded, and nothing but this event names the invite.
 * - `mismatched`: the ledger has an invite of the event for another candidate or quiz, or in another place. Nothing was changed.
 * - `not-found`: the ledger has no entry of this reference. Nothing was changed.
 */
export type Learned = 'token+ledger' | 'token' | 'mismatched' | 'not-found'

/** The part of a ledger that a handler uses. */
export interface InviteRecords {
  readonly find: (reference: string) => Promise<InviteRecord | undefined>
  /** Records what an event says about an invite. The same event again, or an older one, changes nothing. */
  readonly learn?: ((event: InviteEvent) => Promise<Learned>) | undefined
}

/** The invites of one create, as far as they are known. */
export interface InviteRecord {
  readonly invites: readonly { readonly inviteId: string; readonly challengeUrl?: string | undefined }[]
  readonly followUps?: readonly { readonly inviteId: string }[] | undefined
  /** A package without any link was recorded without its response: some of its invites may be missing. */
  readonly packageId?: string | undefined
}
