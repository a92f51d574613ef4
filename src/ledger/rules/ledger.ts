import type { Clock } from './clock.ts'
import type {
  Claim,
  ClaimRequest,
  EntryDetail,
  LedgerEntry,
  LedgerFilter,
  LedgerScope,
  Settlement,
  Target,
} from './entry.ts'

/**
 * The durable record of what was sent. Whatever keeps it, claiming is one atomic step over all processes, and what a
 * promise reported survives a crash.
 *
 * Every method rejects with a {@link CertifyError} LEDGER_UNUSABLE, outcome `not-executed`, where the record cannot be
 * read or written.
 */
export interface Ledger {
  /** Where the record is kept: a path or an address, without secrets. */
  readonly path: string
  /** The clock by which ages, leases and expiries go. */
  readonly clock: Clock
  /**
   * Records that something is about to be sent, unless the record speaks against it. An invite counts as open until its
   * expiry, an unknown outcome until the invite that it may have created must have expired.
   */
  readonly claim: (request: ClaimRequest) => Promise<Claim>
  /**
   * Records how a claimed send ended. `created` is always recorded, unless one of its invites belongs to another send;
   * anything else only while nothing better is known.
   */
  readonly settle: (reference: string, settlement: Settlement) => Promise<Recorded>
  /**
   * What stands against each target now, without claiming it, in the order of the targets.
   *
   * @param detail `invites` tells no more of entries than their reference and invites, `kinds` leaves them out. Default: `entries`
   */
  readonly lookUp: <Detail extends keyof EntryDetail = 'entries'>(
    scope: LedgerScope,
    targets: readonly Target[],
    detail?: Detail,
  ) => Promise<readonly (Claim<EntryDetail[Detail]> | undefined)[]>
  /** One entry by its reference. */
  readonly find: (reference: string) => Promise<LedgerEntry | undefined>
  /** Entries, newest first. Read in pages: the list may be long. */
  readonly list: (filter?: LedgerFilter) => AsyncIterable<LedgerEntry>
  /** Entries whose invites are open and expire within so many milliseconds, those that expire first before the others. */
  readonly expiring: (withinMs: number, filter?: LedgerFilter) => AsyncIterable<LedgerEntry>
  /**
   * Settles an unknown outcome by what a person found out. Gives the entry as it is then.
   *
   * @param finding the identifier of the invite, or of those of the package; or that nothing was created
   * @throws CertifyError INPUT_INVALID where there is no such reference, or its outcome is not unknown
   */
  readonly resolve: (reference: string, finding: Finding) => Promise<LedgerEntry>
  /**
   * Removes entries for good. By e-mail, all of that candidate but what is on its way; by age, what was sent before and
   * keeps nobody from being invited twice any more.
   */
  readonly purge: (what: Purge) => Promise<Purged>
  /** Reads the whole record and says what is wrong with it. */
  readonly check: () => Promise<LedgerCheck>
  /** Waits for what is being recorded, and closes. Nothing may be called afterwards. */
  readonly close: () => Promise<void>
}

/**
 * What became of a settlement. `not-found`: there is no such send. `mismatched`: one of its invites is on record as that
 * of another candidate or quiz and is still open, so it is the answer to another request; the send is `unknown` now.
 */
export type Recorded = 'recorded' | 'not-found' | 'mismatched'

/** What a person found out about a send. */
export type Finding =
  | { readonly created: string | readonly string[]; readonly notCreated?: undefined }
  | { readonly notCreated: true; readonly created?: undefined }

/** What to remove. */
export type Purge =
  | { readonly email: string; readonly olderThanMs?: undefined }
  | { readonly olderThanMs: number; readonly email?: undefined }

/** What was removed. */
export interface Purged {
  readonly removed: number
  /** Entries that were asked for, but are on their way, still open or still unknown. */
  readonly kept: number
}

/** The condition of a record. */
export interface LedgerCheck {
  /** What is wrong, in words; empty where nothing is. */
  readonly problems: readonly string[]
  /**
   * Scopes that look alike, in groups: one host under two schemes, ports or spellings of this machine, one path or account in
   * two ways of writing. Nothing is wrong with them; but where a person meant one, nobody is protected across them.
   */
  readonly lookAlikes: readonly (readonly LedgerScope[])[]
  readonly entries: Readonly<Record<LedgerEntry['state'], number>>
  readonly schemaVersion: number
  /** Which implementation answers, as in `node:sqlite`. */
  readonly driver: string
}
