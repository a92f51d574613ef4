import type { LedgerFilter, LedgerScope, LedgerState } from '../rules/entry.ts'
import type { Purge, Purged } from '../rules/ledger.ts'
import type { NewSend, SendRecord } from '../rules/record.ts'
import type { SharedPace } from '../rules/shared-pace.ts'

/**
 * A place for the sends of a ledger that several machines share. It knows no rules: {@link createLedger} reads, decides, and
 * writes only what nobody else has changed since. So a store needs no transactions over several calls. Every method is
 * atomic, and what it resolved with survives a crash.
 *
 * Every method rejects with a `CertifyError` LEDGER_UNUSABLE, outcome `not-executed`, if the store cannot be used.
 */
export interface LedgerStore {
  /** The place: a path or a URL, without secrets. */
  readonly path: string
  /** What a claim of these candidates is decided by, in the order of the questions. */
  readonly readCandidates: (scope: LedgerScope, questions: readonly CandidateQuestion[]) => Promise<CandidateFacts>
  /** What a change of a send is decided by. */
  readonly readSend: (reference: string, inviteIds: readonly string[]) => Promise<SendFacts>
  /**
   * Adds a send, and makes it the last one of its candidate. Resolves with `false`, and adds nothing, if `last` is not the
   * last one any more, or if there is a send with its reference. Also with `false` if it is not known whether it was added:
   * the caller reads again.
   */
  readonly add: (send: NewSend, last: number) => Promise<boolean>
  /**
   * Replaces a send, and makes it the owner of the invites in `facts.owners` that it names. Resolves with `false`, and
   * replaces nothing, if the send or one of these owners is not as in `facts` any more. Also with `false` if it is not known
   * whether it was replaced.
   */
  readonly replace: (send: SendRecord, facts: SendFacts) => Promise<boolean>
  /** The references of sends that are `sending` and whose lease is over, a page of them. */
  readonly readOverdue: () => Promise<readonly string[]>
  /** A page of matching sends: newest first, after the last one of the previous page. All values are in the spelling of keys. */
  readonly readPage: (query: PageQuery, last: SendRecord | undefined) => Promise<readonly SendRecord[]>
  /** Removes sends as {@link Ledger.purge} says. An e-mail address is in the spelling of keys. */
  readonly remove: (what: Purge) => Promise<Purged>
  /** The present time of the store, in milliseconds since 1970. */
  readonly now: () => Promise<number>
  /** The number of sends in each state, the scopes that have sends, and problems in words. */
  readonly check: () => Promise<StoreCheck>
  /** Makes the present time count as the latest that the store has seen. */
  readonly acceptTime: () => Promise<void>
  /** As {@link Ledger.shared}. Without it, each run has its own rate, pauses and outages. */
  readonly shared?: ((scope: LedgerScope) => SharedPace) | undefined
  readonly close: () => Promise<void>
}

/** A candidate, and the subjects of a target. */
export interface CandidateQuestion {
  readonly emailKey: string
  readonly subjects: readonly string[]
}

/** The facts of {@link LedgerStore.readCandidates}. */
export interface CandidateFacts {
  /** The present time of the store, in milliseconds since 1970. Leases and expiries are compared with it. */
  readonly now: number
  /** The latest time of a send; `undefined` if there is none. */
  readonly latest: number | undefined
  readonly candidates: readonly {
    /** The identifier of the candidate's last send, as it was added, even if it has been removed; 0 if there was none. */
    readonly last: number
    /** Its sends that are `sending`, `created` or `unknown` and share a subject with the question. The earliest first. */
    readonly sends: readonly SendRecord[]
  }[]
}

/** The facts of {@link LedgerStore.readSend}. */
export interface SendFacts {
  readonly now: number
  readonly send: SendRecord | undefined
  /** The store's own mark of this state of the send. */
  readonly version: number
  /** The other sends of its scope that own one of the invites. */
  readonly others: readonly SendRecord[]
  /** The identifier of the send that owns each invite of the question, by the identifier of the invite; 0: none. */
  readonly owners: Readonly<Record<string, number>>
}

/** Which sends a page has. */
export interface PageQuery {
  /** Times in milliseconds since 1970; `subject` is that of the filter's quiz. */
  readonly filter: Omit<LedgerFilter, 'email' | 'quizId'> & {
    readonly emailKey?: string | undefined
    readonly subject?: string | undefined
  }
  /** Only created sends that expire after `from`, and by `until`. The earliest expiry comes first, then the earliest send. */
  readonly expiring?: { readonly from: number; readonly until: number } | undefined
}

/** The facts of {@link LedgerStore.check}. */
export interface StoreCheck {
  readonly entries: Readonly<Record<LedgerState, number>>
  readonly scopes: readonly LedgerScope[]
  readonly problems: readonly string[]
  readonly schemaVersion: number
  /** What stores it, as in `pg`. */
  readonly driver: string
}
