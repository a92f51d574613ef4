import type { AbortSignalLike, Clock } from '../clock.ts'

/** What a column can contain. */
export type Value = string | number | Uint8Array | null

export type Row = Readonly<Record<string, unknown>>

/** One transaction. Its SQL is what SQLite and Postgres have in common, with `?` for values. */
export interface Tx {
  /** The time by the clock of the database, in Unix milliseconds: when it took the last lock, if there is one. */
  readonly now: () => Promise<number>
  readonly all: (sql: string, ...values: readonly Value[]) => Promise<readonly Row[]>
  /** Writes. If it fails, the transaction fails, at once or at its commit. */
  readonly run: (sql: string, ...values: readonly Value[]) => void
  /** Waits until no other transaction holds this lock, and holds it until the end. */
  readonly lock: (name: string) => Promise<void>
  /** The same for the lock that a query names, in the column `name`. Resolves with that name, if the query found one. */
  readonly lockFound: (sql: string, ...values: readonly Value[]) => Promise<unknown>
}

/** Where a ledger is kept. */
export interface Database {
  /** The place, without secrets. */
  readonly path: string
  /** Its implementation, as in `node:sqlite`. */
  readonly driver: string
  /** The clock of the ledger's callers, for their waits. */
  readonly clock: Clock
  /**
   * Runs work in a transaction. Once it resolves, its changes survive a crash. If it is unknown whether the transaction
   * was committed, the work runs again: it must recognise what it has already done.
   *
   * @param until if it is aborted before the work has begun, the work never begins, and the promise rejects with its
   *   reason
   * @throws CertifyError LEDGER_UNUSABLE, or what the work throws
   */
  readonly transaction: <T>(work: (tx: Tx) => Promise<T>, until?: AbortSignalLike) => Promise<T>
  /** The query of one text, `revision`, that changes with each change of the database. */
  readonly revision: string
  /** Copies a file into a new one. Resolves with the number of its records. Not for a database server. */
  readonly backup?: (to: string) => Promise<number>
  /** Problems of the file or the tables, in words; empty if there are none. */
  readonly problems: () => Promise<readonly string[]>
  /** Waits until everything is recorded. Closing it again does nothing. */
  readonly close: () => Promise<void>
}
