import type { InviteEvent } from '../../callbacks/event.ts'
import type { Inbox, InboxRow, Learned } from '../../callbacks/inbox.ts'
import type { AbortSignalLike } from '../../clock.ts'
import type { Issue } from '../../errors.ts'
import { type ClientLedger, INTERNALS, type RecordingLedger } from '../../internals.ts'
import type {
  Claim,
  ClaimKey,
  ClaimRequest,
  LedgerRecord,
  LedgerFilter,
  LedgerGroup,
  LedgerScope,
  LedgerState,
  LookedUp,
  Settlement,
  Target,
} from './model.ts'
import type { NewRecord, StoredRecord } from './record.ts'

/**
 * The durable record of creates. In every implementation a claim is atomic across processes. Once a promise resolves, its
 * change survives a crash.
 *
 * Every method rejects with a `CertifyError` LEDGER_UNUSABLE, outcome `not-executed`, if the record cannot be read or
 * written.
 */
export interface Ledger extends ClientLedger {
  /** The time that decides leases and expiries, in Unix milliseconds, by the clock of this machine or the database. */
  readonly now: () => Promise<number>
  /** The inbox for the events of callbacks, in the same file or database. */
  readonly inbox: LedgerInbox
  /** The record of a reference. */
  readonly find: (reference: string) => Promise<LedgerRecord | undefined>
  /**
   * Records, newest first, read in pages: the list may be long.
   *
   * @throws CertifyError INPUT_INVALID for a wrong filter, or if the ledger does not have the record of `before`
   * @example
   * ```ts
   * for await (const { reference } of ledger.list({ account: 'acme', state: 'unknown', limit: 50 })) console.log(reference)
   * ```
   */
  readonly list: (filter?: LedgerFilter) => AsyncIterable<LedgerRecord>
  /**
   * How many records match; or with `by`, how many for each state, campaign and so on. A record of several quizzes or results
   * counts for each of them, and one without a campaign, package or result for none.
   *
   * @throws CertifyError INPUT_INVALID
   * @example
   * ```ts
   * const { passed = 0, failed = 0 } = await ledger.count({ campaign: 'spring' }, { by: 'result' })
   * ```
   */
  readonly count: {
    (filter?: CountFilter): Promise<number>
    (
      filter: CountFilter,
      options: {
        /** What to count by. */
        readonly by: 'state' | 'campaign' | 'package' | 'quiz' | 'result'
      },
    ): Promise<Readonly<Record<string, number>>>
  }
  /**
   * Counts records by campaign, package, quizzes, state and results. One pass over all records, in the database.
   *
   * @param withinMs what counts as expiring soon, in milliseconds
   * @throws CertifyError INPUT_INVALID
   */
  readonly progress: (withinMs: number, filter?: CountFilter) => Promise<readonly LedgerGroup[]>
  /**
   * Changes whenever something in the ledger changes, whoever changed it: a record, its state at the end of a lease, or an event in
   * the inbox. Compare it with an earlier one of the same open ledger. It is cheap, so a page can ask every second.
   *
   * @example
   * ```ts
   * const isNews = (await ledger.revision()) !== shown
   * ```
   */
  readonly revision: () => Promise<string>
  /**
   * Records what a person found out about an unknown outcome, by exactly this `reference` of a record or an error.
   * Resolves with the changed record. `notCreated` can later be corrected to `created`, and unknown ids can be added. Until
   * something else happens, `undo` makes the outcome unknown again.
   *
   * @throws CertifyError INPUT_INVALID if there is no such reference, its outcome is known, or its create is another one than `of`
   */
  readonly resolve: (reference: string, finding: Finding) => Promise<LedgerRecord>
  /**
   * Records invites that were made elsewhere: from then on they block a create like invites created here. What the ledger already has is
   * left as it is, so it can be repeated, also after it was interrupted. Resolves with what became of each, in order.
   *
   * @param scope whose invites they are, as from `scopeOf(client)`. Default: the account `default`, at its service
   * @throws CertifyError INPUT_INVALID if one of them is not valid (see `skipInvalid`), or the account has no service yet and `scope` names none;
   *   WRONG_SERVICE if the account belongs to another service. Nothing is recorded then
   * @example
   * ```ts
   * await ledger.import([{ email: 'ada@example.com', quizId, createdAt: invitedAt, from: 'our ATS' }], await scopeOf(client))
   * ```
   */
  readonly import: (
    invites: readonly InviteImport[],
    scope?: Partial<LedgerScope> & {
      /** Says what would become of each, and records nothing. */
      readonly dryRun?: boolean | undefined
      /** Leaves out what is not valid, such as a time ahead of the clock, and records the others. */
      readonly skipInvalid?: boolean | undefined
    },
  ) => Promise<readonly Imported[]>
  /**
   * Removes records for good. By e-mail: all records of that candidate, except those being sent. By age: older records
   * that no longer block a create.
   *
   * @throws CertifyError INPUT_INVALID
   */
  readonly purge: (what: Purge) => Promise<Purged>
  /**
   * Records a new base URL for an account whose service has moved. Otherwise a create for another base URL than the
   * first recorded one is refused with WRONG_SERVICE, once something was or may have been created for the
   * account: it could be another service, whose invites are not known. From then on, clients for the former URL are refused in
   * the same way: restart them. What is recorded is answered all the time.
   *
   * @throws CertifyError INPUT_INVALID if the ledger has no such account, or `to` is not an http or https URL
   */
  readonly move: (move: {
    /** The name of the account. */
    readonly account: string
    /** The new base URL of its service. */
    readonly to: string
  }) => Promise<void>
  /**
   * Copies a ledger in a file into a new file, while it is in use. Copying the file by other means may catch it in the middle of a
   * change. The copy can be read anywhere; before the first create from it, opening it with `acceptLoss` confirms that
   * later records are lost. A ledger in Postgres is backed up by the means of Postgres.
   *
   * @param path of the new file
   * @throws CertifyError LEDGER_UNUSABLE if there is a file already, or it cannot be written; INPUT_INVALID in Postgres
   */
  readonly backup: (path: string) => Promise<{
    /** How many records the copy has. */
    readonly records: number
  }>
  /** Reads the whole record and reports its problems. */
  readonly check: () => Promise<LedgerCheck>
  /**
   * Waits until everything is recorded, at most until the leases end, and closes the ledger. Do not use it afterwards, nor
   * while a create is on its way.
   */
  readonly close: () => Promise<void>
}

type ForClients = RecordingLedger[typeof INTERNALS]

/** What only this SDK itself calls of a ledger. */
export interface LedgerInternals extends ForClients {
  /**
   * Records a create before its request, unless a record blocks it. An invite blocks until its expiry. An unknown outcome
   * blocks until it is resolved. A reference with which nothing was created is claimed again: by the same create, which
   * continues its record, or by another one, which replaces it.
   *
   * @param until if it is aborted before that has begun, nothing is recorded, and this rejects with its reason
   * @throws CertifyError CLOCK_SKEW, outcome `not-executed`, if the clock is more than five minutes behind the time of the
   *   newest record
   */
  readonly claim: (request: ClaimRequest, until?: AbortSignalLike) => Promise<Claim>
  /**
   * Records how a claimed create ended. `created` is always recorded, unless one of its invites belongs to another create.
   * Anything else is recorded only if the record is still `sending` or `unknown`. Settlements are recorded even after
   * the lease of the create: then this resolves with `late`. If its reference was claimed again since, that claim is left as it
   * is, and what was created is kept beside it.
   *
   * @param claim the result of {@link claim}
   */
  readonly settle: (claim: ClaimKey, settlement: Settlement) => Promise<Recorded>
  /**
   * What the ledger has for each target now, in the order of the targets; `undefined` if nothing. It claims nothing.
   */
  readonly lookUp: (scope: LedgerScope, targets: readonly Target[]) => Promise<readonly (LookedUp | undefined)[]>
  /** All records as recorded, in pages, earliest first: for a copy into another ledger. */
  readonly records: () => AsyncIterable<readonly StoredRecord[]>
  /** Adds records from another ledger. Resolves with those already there by reference, which are left unchanged. */
  readonly add: (records: readonly NewRecord[]) => Promise<readonly StoredRecord[]>
  /** Lets {@link Ledger.close} wait for this work. */
  readonly trackPending: (work: Promise<unknown>) => void
}

/** The internals of a ledger, perhaps from another copy of this package. */
export function internalsOfLedger(ledger: ClientLedger): LedgerInternals {
  return (ledger as ClientLedger & { readonly [INTERNALS]: LedgerInternals })[INTERNALS]
}

/**
 * How a settlement was recorded. `late`: it is recorded, but the lease of the create had ended, so others may have seen
 * the create as unknown meanwhile. `not-found`: there is no record of that claim. `mismatched`: one of its invites is open and
 * recorded for another candidate or quiz, so the response belongs to another request, and the create is now `unknown`.
 */
export type Recorded = 'recorded' | 'late' | 'not-found' | 'mismatched'

/** What a person found out about a create, who it was, and how they know. */
export type Finding = {
  /**
   * The create that it is about, by the `sentAt` of the record that the person saw. If its reference was sent again meanwhile,
   * nothing is changed. Always give it: a decision may be hours old when it is recorded.
   */
  readonly of?: Date | string | undefined
  /** Who found it out. It is kept in the history, as is `note`. */
  readonly by?: string | undefined
  /** How they know. */
  readonly note?: string | undefined
} & (
  | {
      /** The identifier of the invite, or all identifiers of a package invite. An empty list if they are not known. */
      readonly created: string | readonly string[]
      /** Its link, or its links, if they are known: whoever has one can take the quiz. */
      readonly challengeUrls?: readonly string[] | undefined
      readonly notCreated?: undefined
      readonly undo?: undefined
    }
  | {
      /** That nothing was created. */
      readonly notCreated: true
      readonly created?: undefined
      readonly challengeUrls?: undefined
      readonly undo?: undefined
    }
  | {
      /** Withdraws the finding that was recorded last. */
      readonly undo: true
      readonly created?: undefined
      readonly challengeUrls?: undefined
      readonly notCreated?: undefined
    }
)

/** An invite that was made elsewhere. Without times it counts as made now. */
export interface InviteImport {
  /** The address of the candidate. */
  readonly email: string
  /** The name of the candidate. */
  readonly name?: string | undefined
  /** Its quiz; for a package, leave it out. */
  readonly quizId?: string | undefined
  /** Its package. */
  readonly packageId?: string | undefined
  /** The quizzes of the package, as the service lists them. Without them, only the package as a whole is known as invited to. */
  readonly quizIds?: readonly string[] | undefined
  /** The identifier of the invite, or all identifiers of a package invite. */
  readonly inviteIds?: readonly string[] | undefined
  /** When it was made. */
  readonly createdAt?: Date | string | undefined
  /** Until when its link can be opened. Default: 14 days after it was made. */
  readonly expiresAt?: Date | string | undefined
  /** The reference of its create, if it had one. Default: a new one. */
  readonly reference?: string | undefined
  /** Its link: whoever has it can take the quiz. It needs the id of its invite. */
  readonly challengeUrl?: string | undefined
  /** Where this is known from, for the history. */
  readonly from: string
}

/** What became of an import. */
export type Imported =
  | {
      /**
       * `imported`; `known`: the ledger has that invite, or another open one of the candidate and the quiz, or a create whose outcome
       * is unknown; `conflict`: its reference belongs to another create, or its invite to another candidate.
       */
      readonly status: 'imported' | 'known' | 'conflict'
      /** The reference of the record that has it, or that conflicts. */
      readonly reference: string
      /** The state of that record. */
      readonly state: LedgerState
      /** With `imported`: its link has expired already, so it blocks no create. */
      readonly hasExpired?: true | undefined
    }
  | {
      /** With `skipInvalid`: it was left out. */
      readonly status: 'invalid'
      /** What is wrong with it. */
      readonly issues: readonly Issue[]
      readonly reference?: undefined
      readonly state?: undefined
      readonly hasExpired?: undefined
    }

/** Which records to remove. */
export type Purge = {
  /** Says how many would be removed, and removes nothing. */
  readonly dryRun?: boolean | undefined
} & (
  | { readonly email: string; readonly olderThanMs?: undefined }
  | { readonly olderThanMs: number; readonly email?: undefined }
)

/** Which records to count. */
type CountFilter = Omit<LedgerFilter, 'orderBy' | 'limit' | 'before'>

/** How many records were removed. */
export interface Purged {
  /** Records that are gone. */
  readonly removed: number
  /** Matching records that are being sent, still open or still unknown. */
  readonly kept: number
}

/** The inbox of a ledger. */
export interface LedgerInbox extends Inbox {
  /**
   * Records what an event says about an invite: its result, or the follow-up that was claimed. An event that names the invite
   * of a record also settles that record as created, unless it is being sent. The same event again, or an older one, changes
   * nothing.
   */
  readonly learn: (event: InviteEvent) => Promise<Learned>
  readonly referencesOf: (reference: string) => Promise<readonly string[]>
  /** The event with this key; `undefined` if there is none. */
  readonly find: (key: string) => Promise<InboxRow | undefined>
  /** The newest events, the last one first. With `account` or `search`: only events about a record that matches these. */
  readonly newest: (
    filter: Partial<Pick<InboxRow, 'state'>> &
      Pick<LedgerFilter, 'account' | 'search'> & {
        /** The most events, 1 or more. */
        readonly limit: number
        /** For the next page: the key of the last event of the page before it. */
        readonly before?: string | undefined
      },
  ) => Promise<readonly InboxRow[]>
  /** How many events there are in each state. With `account` or `search`: only events about a record that matches these. */
  readonly count: (
    filter?: Pick<LedgerFilter, 'account' | 'search'>,
  ) => Promise<Readonly<Record<InboxRow['state'], number>>>
}

/** The health of a ledger. */
export interface LedgerCheck {
  /** The problems, in words; empty if there are none. */
  readonly problems: readonly string[]
  /** The base URL of the service of each account. */
  readonly accounts: Readonly<Record<string, string>>
  /** The number of records by state. */
  readonly records: Readonly<Record<LedgerRecord['state'], number>>
  /** The version of the ledger's tables. */
  readonly schemaVersion: number
  /** What runs it: `node:sqlite`, `@photostructure/sqlite` or `postgres`. */
  readonly driver: string
}
