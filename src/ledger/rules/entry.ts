import type { CertifyErrorCode, InviteInput, InviteStatus, PackageInviteInput } from '../../index.ts'

/**
 * Where a send stands.
 *
 * - `sending`: it was recorded and may be on its way; the process that sends it holds a lease.
 * - `created`: the service created what was asked for.
 * - `refused`: the service said no. `not-executed`: it never got that far. Nothing was created by either.
 * - `unknown`: it may have been created; nobody saw the answer.
 */
export type LedgerState = 'sending' | 'created' | 'refused' | 'not-executed' | 'unknown'

/** Where invites belong: entries of different scopes never meet. */
export interface LedgerScope {
  /**
   * Where the service is, as in `https://certify.example.com`. Compared without what is mere spelling: the case and the final
   * dot of the host, doubled and final slashes, needless percent-encoding. Another scheme, host, port or path is another
   * service, and so is `localhost` beside `127.0.0.1`.
   */
  readonly baseUrl: string
  /**
   * A name of your own for the account that the key belongs to. Keys rotate, so it is never derived from one. Compared
   * trimmed; the case counts.
   */
  readonly account: string
  /** Which world of a mock; empty for a real service. A mock that was started anew is another world. */
  readonly world: string
}

/** An invite as the service returned it. What a person settled by hand may lack all but the first and the expiry. */
export interface LedgerInvite {
  readonly inviteId: string
  readonly expiresAt: string
  readonly status?: InviteStatus | undefined
  readonly challengeUrl?: string | undefined
  readonly emailSent?: boolean | undefined
  readonly quizId?: string | undefined
  readonly skillName?: string | undefined
  readonly level?: string | undefined
}

/** What is asked for: a single invite or one of a package. */
export type SendInput = InviteInput | PackageInviteInput

/** One send: what was asked for, and what is known of what came of it. It holds links and addresses in clear. */
export interface LedgerEntry extends LedgerScope {
  /** A UUID; the request carried it as `x-client-reference`. */
  readonly reference: string
  readonly state: LedgerState
  /** As the caller gave it. */
  readonly input: SendInput
  /** Of a single invite; trimmed. */
  readonly quizId: string | undefined
  /** Of a package invite; trimmed. */
  readonly packageId: string | undefined
  readonly packageName: string | undefined
  readonly invites: readonly LedgerInvite[]
  /** Why it was not created, or why nobody knows. */
  readonly code: CertifyErrorCode | undefined
  /** ISO 8601 in UTC: when it was recorded, just before it was sent. */
  readonly sentAt: string
  /** ISO 8601 in UTC. */
  readonly settledAt: string | undefined
  readonly campaign: string | undefined
  readonly row: number | undefined
}

/** What a send is about: the candidate, and the quiz, or the package with those of its quizzes that are known. */
export interface Target {
  /** As it is given; compared trimmed and in lower case, `+tags` kept. */
  readonly email: string
  /** Compared trimmed, as is `packageId`. */
  readonly quizIds: readonly string[]
  readonly packageId?: string | undefined
}

/** A send that wants to be recorded. */
export interface ClaimRequest {
  readonly scope: LedgerScope
  readonly target: Target
  readonly reference: string
  readonly input: SendInput
  /** How long the caller may need to send it and settle it, in milliseconds. Then its outcome counts as unknown. */
  readonly leaseMs: number
  /** Sends another one although an invite is open, or although one may be. Default: neither. */
  readonly although?: { readonly invited?: boolean | undefined; readonly unknown?: boolean | undefined } | undefined
  readonly campaign?: string | undefined
  readonly row?: number | undefined
}

/** What came of a claim. Only with `claimed` may the caller send. */
export type Claim<Entry = LedgerEntry> =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'invited' | 'in-flight' | 'unknown'; readonly entries: readonly Entry[] }

/** How much is told of entries that stand against a target. The less, the faster. */
export interface EntryDetail {
  readonly entries: LedgerEntry
  readonly invites: Pick<LedgerEntry, 'reference' | 'invites'>
  /** No entries at all. */
  readonly kinds: never
}

/** How a send ended. */
export type Settlement =
  | { readonly state: 'created'; readonly invites: readonly LedgerInvite[]; readonly packageName?: string | undefined }
  | { readonly state: 'refused' | 'not-executed' | 'unknown'; readonly code?: CertifyErrorCode | undefined }

/** Which entries to list. All that is given has to hold. */
export interface LedgerFilter extends Partial<LedgerScope> {
  readonly email?: string | undefined
  readonly quizId?: string | undefined
  readonly packageId?: string | undefined
  readonly inviteId?: string | undefined
  readonly state?: LedgerState | undefined
  /** Sent at this time or later, in milliseconds since 1970. */
  readonly since?: number | undefined
  readonly campaign?: string | undefined
}
