import type { CertifyErrorCode, PriorRecord } from '../../errors.ts'
import type { CreateOptions } from '../../internals.ts'
import type { CreateInput } from '../../operations.ts'
import type { CertificationInviteStatus as InviteStatus } from '../../generated/schema.ts'

/** The state of a record: see {@link PriorRecord.state}. */
export type LedgerState = PriorRecord['state']

/**
 * The account, its service, and its world. Records of different accounts or worlds never conflict. An account belongs to one
 * service: see {@link Ledger.move}.
 */
export interface LedgerScope {
  /**
   * The URL of the service, as in `https://certify.example.com`. Different spellings are equal: case and final dot of
   * the host, repeated and trailing slashes, needless percent-encoding, `localhost` and `127.0.0.1`. Another scheme,
   * host, port or path is another service.
   */
  readonly baseUrl: string
  /**
   * Your own name for the account of the key. It is not derived from the key, because keys rotate. Trimmed, and
   * case-sensitive.
   */
  readonly account: string
  /** The world of a mock; empty for a real service. A restarted mock is another world. */
  readonly world: string
}

/** What is known about an invite from its events. */
export interface InviteResult {
  /** `passed`, `failed`, or another value of the service as received. */
  readonly result?: 'passed' | 'failed' | (string & {}) | undefined
  /** ISO 8601 in UTC: when that happened or, if the event does not say, when the event was received. */
  readonly resultAt?: string | undefined
  /** When the certification ends, as received. */
  readonly validUntil?: string | undefined
}

/**
 * An invite as the service returned it. One that a person recorded, or that is known only from an event, may have only its
 * identifier and expiry.
 */
export interface LedgerInvite extends InviteResult {
  /** Identifies the invite. */
  readonly inviteId: string
  /** ISO 8601 in UTC. */
  readonly expiresAt: string
  /**
   * The service returned no expiry, or one that is not a time or not after the create. The ledger assumes the latest
   * possible one: 14 days after the response.
   */
  readonly expiryAssumed?: true | undefined
  /** Its status in the response to the create. */
  readonly status?: InviteStatus | undefined
  /** The link that the candidate opens. With `sendInviteEmail: false` the ledger has its only copy. */
  readonly challengeUrl?: string | undefined
  /** Whether the service sent the invite e-mail. */
  readonly emailSent?: boolean | undefined
  /** Its quiz. */
  readonly quizId?: string | undefined
  /** In a package: the skill that its quiz tests. */
  readonly skillName?: string | undefined
  /** In a package: the level of that skill. */
  readonly level?: string | undefined
}

/** An invite that came from another one: the candidate claimed a retake or a level-up. Known from events. */
export interface LedgerFollowUp extends InviteResult {
  /** Identifies the follow-up. */
  readonly inviteId: string
  /** The invite that it came from; unset until an event says so. */
  readonly followUpOf?: string | undefined
  /** `retake`, `level-up`, or another value of the service as received. */
  readonly kind?: 'retake' | 'level-up' | (string & {}) | undefined
  /** ISO 8601 in UTC: when it was claimed. */
  readonly claimedAt?: string | undefined
  /** Its quiz. */
  readonly quizId?: string | undefined
}

/** One change of a record. */
export interface LedgerChange {
  /** ISO 8601 in UTC. */
  readonly at: string
  /**
   * - `sent`: recorded, just before its request. `created`, `refused`, `not-executed`, `unknown`: how that ended.
   * - `lapsed`: the process that sent it did not record how it ended in time, so it is unknown.
   * - `event`: an event named its invites.
   * - `resolved`: a person recorded a {@link LedgerChange.finding}. `undone`: a person withdrew it.
   * - `imported`: recorded by `import`, in place of `sent`.
   * - `late`: an earlier create with this reference, resolved as not created, had created something after all.
   * - `replaced`: comes first. A create with another input had this reference before, and created nothing.
   */
  readonly what:
    | Exclude<LedgerState, 'sending'>
    | ('sent' | 'lapsed' | 'event' | 'resolved' | 'undone' | 'imported' | 'late' | 'replaced')
  /** Why it is not created; with `resolved`, `undone` and `replaced`: why it was not created until then. */
  readonly code?: CertifyErrorCode | undefined
  /** With `resolved`: what the person found. */
  readonly finding?: 'created' | 'not-created' | undefined
  /** With `event`, `resolved` and `late`: the invites that it named. */
  readonly inviteIds?: readonly string[] | undefined
  /** With `resolved` and `undone`: who found it out, as given to `resolve`. */
  readonly by?: string | undefined
  /** With `resolved` and `undone`: how they know. */
  readonly note?: string | undefined
  /** With `imported`: where it came from. */
  readonly from?: string | undefined
}

/** The record of a reference: its input and its outcome. It contains links and e-mail addresses unencrypted. */
export interface LedgerRecord extends LedgerScope, Omit<PriorRecord, 'ageMs' | 'invites'> {
  /**
   * Set if the create with this reference ended with the invite of another one (`ifInvited: 'reuse'`): the reference of that one.
   * Everything else is as that record has it.
   */
  readonly sameAs?: string | undefined
  /** The references of later creates that ended with the invite of this one. Unset if there are none. */
  readonly reusedBy?: readonly string[] | undefined
  /** The caller's input. */
  readonly input: CreateInput
  /** Empty if the service returned none. */
  readonly packageName: string | undefined
  /** The name of the package or the skill, as the service listed it. Unset until a client of this ledger has read a list. */
  readonly title: string | undefined
  /** Its level, likewise. */
  readonly level: string | undefined
  /** Some may be missing if they are known only from events. */
  readonly invites: readonly LedgerInvite[]
  /** Links that a person recorded, while it is not known which invites they belong to. Unset if there are none. */
  readonly challengeUrls?: readonly string[] | undefined
  /** What its candidate claimed later, earliest first. Unset if nothing is known. */
  readonly followUps?: readonly LedgerFollowUp[] | undefined
  /** Invites of an earlier create with this reference that was resolved as not created. Unset if there are none. */
  readonly earlierInvites?: readonly LedgerInvite[] | undefined
  /**
   * A person said that this create, or an earlier one with its reference, created nothing. That is no proof: its invite may
   * still turn up. So only a create with the same input is sent with this reference.
   */
  readonly isUnproven?: true | undefined
  /** Why it was not created, or why its outcome is unknown. */
  readonly code: CertifyErrorCode | undefined
  /** ISO 8601 in UTC: when its outcome was recorded. */
  readonly settledAt: string | undefined
  /** What a person decided last about it: `resolved`, or `undone` if that was withdrawn. Unset if there is no decision. */
  readonly decision?: LedgerChange | undefined
  /** Its changes, oldest first: the first one and the last 20. */
  readonly history: readonly LedgerChange[]
  /** How many changes are missing between these. */
  readonly changesOmitted: number
}

/** What a create is for: the candidate, and the quiz, or the package with its known quizzes. */
export interface Target {
  /** As the caller passed it. Compared by {@link emailKey}: case-insensitive, but `+tags` count. */
  readonly email: string
  /** Compared trimmed, like `packageId`. */
  readonly quizIds: readonly string[]
  readonly packageId?: string | undefined
}

/** A create to record. */
export interface ClaimRequest extends Pick<CreateOptions, 'ifInvited' | 'ifUnknown'> {
  readonly scope: LedgerScope
  readonly target: Target
  /** Default: a new UUID. Then the record is deleted if it ends as `not-executed`: no caller knows its reference. */
  readonly reference?: string | undefined
  readonly input: CreateInput
  /** How long the caller may need to send and settle it, in milliseconds. After that its outcome counts as unknown. */
  readonly leaseMs: number
  /**
   * The service's time, in Unix milliseconds: an invite has expired only if it has by this clock, too. `-Infinity`: not
   * known yet. Default: the ledger's clock decides alone.
   */
  readonly serviceTime?: number | undefined
  /** Allows a clock that is behind. Default: false. */
  readonly allowClockSkew?: boolean | undefined
  readonly campaign?: string | undefined
  readonly row?: number | undefined
}

/** One claim of a reference: settled by its own process only. */
export interface ClaimKey {
  readonly reference: string
  /** Tells it from other claims of the reference. */
  readonly owner: string
}

/**
 * The outcome of a claim. Only after `claimed` may the caller send. `taken`: the reference answers with that record, which
 * has created something or may have; or the record has another input, and a person said that it created nothing. With
 * `ifInvited: 'reuse'` it may be the record of another reference.
 */
export type Claim =
  | ({ readonly kind: 'claimed' } & ClaimKey)
  | { readonly kind: 'taken'; readonly record: LedgerRecord }
  | Blocking

/** Why a create is refused: the records that block it. */
export interface Blocking {
  readonly kind: 'invited' | 'in-flight' | 'unknown'
  readonly records: readonly LedgerRecord[]
  /** With `invited`, for a package that was not sent itself: its quizzes without an open invite. */
  readonly missingQuizIds: readonly string[]
  /** With `invited`: by the ledger's clock they have all expired, but not by `serviceTime`. */
  readonly hasExpired?: true | undefined
}

/**
 * What the ledger has for a target. `expired`: it was invited to all of it, and only to links that have expired, which
 * block nothing.
 */
export type LookedUp =
  | (Blocking & {
      /** For an unknown outcome: the link, if one was created, has expired by now. */
      readonly isLapsed?: boolean | undefined
    })
  | {
      readonly kind: 'expired'
      /** Whether an event reported the result of one of these invites. */
      readonly hasResult: boolean
    }

/** How a create ended. */
export type Settlement =
  | {
      readonly state: 'created'
      readonly invites: readonly LedgerInvite[]
      readonly challengeUrls?: readonly string[] | undefined
      readonly packageName?: string | undefined
    }
  | { readonly state: 'refused' | 'not-executed' | 'unknown'; readonly code?: CertifyErrorCode | undefined }

/** Which records to list. A record must match every field that is set. */
export interface LedgerFilter extends Partial<LedgerScope> {
  /** The address of the candidate. Compared by {@link emailKey}. */
  readonly email?: string | undefined
  /** The quiz of an invite, alone or in a package. */
  readonly quizId?: string | undefined
  /** The package of a package invite. */
  readonly packageId?: string | undefined
  /** Of an invite, or of a follow-up. */
  readonly inviteId?: string | undefined
  /** The state now. A create whose lease has ended is `unknown`. */
  readonly state?: LedgerState | undefined
  /** One of its invites or follow-ups has this result. */
  readonly result?: string | undefined
  /** Whether one of its invites or follow-ups has any result. */
  readonly hasResult?: boolean | undefined
  /** Of creates that made an invite: whether the last of its links has expired. */
  readonly expired?: boolean | undefined
  /**
   * Only creates whose last link is open, and expires within this many milliseconds. In a list, the earliest expiry comes
   * first.
   */
  readonly expiringWithinMs?: number | undefined
  /** Sent at this time or later. */
  readonly since?: Date | string | undefined
  /** The name of the campaign that sent it. */
  readonly campaign?: string | undefined
  /**
   * Words, at most 200 characters. A record matches if each is part of its e-mail address, name, title, level, campaign, reference,
   * or an id: of its quiz, its package, or one of its invites. Case, accents, commas and brackets do not count.
   */
  readonly search?: string | undefined
  /** Whether a person has decided about it: see {@link LedgerRecord.decision}. */
  readonly decided?: boolean | undefined
  /** Any of these references, at most 1,000 at once. */
  readonly references?: readonly string[] | undefined
  /**
   * The order of a list. Default: as they were recorded, the last one first. `sent`: the last create first; it differs for imported
   * invites. `expiry`: the earliest expiry first. `decided`: only records that a person has decided about, the last decision first.
   */
  readonly orderBy?: 'sent' | 'expiry' | 'decided' | undefined
  /** The most records to list, 1 or more. Default: all. */
  readonly limit?: number | undefined
  /** For the next page: the reference of the last record of the page before it. The list continues after that record. */
  readonly before?: string | undefined
}

/** Records that have the same campaign, package, quizzes, state and results. */
export interface LedgerGroup {
  /** The name of the campaign, if they belong to one. */
  readonly campaign: string | undefined
  /** The package, if they are package invites. */
  readonly packageId: string | undefined
  /** The quiz, or the known quizzes of the package. */
  readonly quizIds: readonly string[]
  /** Their state now. */
  readonly state: LedgerState
  /** The results of their invites and follow-ups, each once. */
  readonly results: readonly string[]
  /** The number of records in the group. */
  readonly records: number
  /** How many of them have expired. */
  readonly expired: number
  /** How many of them expire within the span that was asked for. */
  readonly expiring: number
  /** The reference of one of them. */
  readonly reference: string
}
