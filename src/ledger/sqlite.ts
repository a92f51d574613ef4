import timers from 'node:timers'
import type { CertifyError } from '../index.ts'
import { optionsInvalid } from '../refusals.ts'
import type { Database, Row, Tx } from './database.ts'
import { HighestId } from './highest-id.ts'
import { createLedger } from './ledger.ts'
import { findOrCreateFile, hasEmptyJournal } from './ledger-file.ts'
import { type Clock, pause, systemClock } from '../clock.ts'
import { ledgerUnusable } from './rules/errors.ts'
import type { Ledger } from './rules/ledger.ts'
import { SCHEMA_VERSION, schema } from './schema.ts'
import { loadDriver, rowOf, type Sqlite, type Statement } from './sqlite-driver.ts'
import { sqliteCode, unusableBy } from './sqlite-errors.ts'

/** The options of a ledger in a file: see {@link openLedger}. */
export interface LedgerOptions {
  /** The clock; a test has its own. Default: the clock of the machine. */
  readonly clock?: Clock | undefined
  /** How long to wait while another process locks the file, in milliseconds. Default: 10,000. */
  readonly busyTimeoutMs?: number | undefined
  /**
   * Opens the ledger even if its last sends are missing, because it was removed or an older copy was put in its place.
   * Candidates in the missing part may then be invited twice. Default: false, LEDGER_UNUSABLE.
   */
  readonly acceptLoss?: boolean | undefined
}

/**
 * Opens a ledger in an SQLite file. Several processes may use it at the same time. It needs Node.js 22.13 or later, or
 * the package `@photostructure/sqlite`.
 *
 * The file stores e-mail addresses, names and links unencrypted. Only its owner can read it.
 *
 * @param path the file. It is created, with its folder, if there is none. `:memory:` is a ledger that ends with the process, for
 *   tests: without a record nothing prevents a second invite
 * @throws CertifyError, outcome `not-executed`: CONFIG_INVALID if `path` is no path; LEDGER_UNUSABLE: no SQLite, no
 *   access, a file that is not a ledger or that is mounted alone, or missing last sends
 * @example
 * ```ts
 * const ledger = await openLedger('invites.ledger')
 * ```
 */
export async function openLedger(path: string, options: LedgerOptions = {}): Promise<Ledger> {
  return createLedger(await openDatabase(path, options))
}

async function openDatabase(path: string, options: LedgerOptions): Promise<Database> {
  const { clock = systemClock, busyTimeoutMs = 10_000, acceptLoss = false } = options
  if (typeof (path as unknown) !== 'string' || path === '') throw pathInvalid()
  const driver = loadDriver()
  const whileBusy = <T>(work: () => T) => retryWhileBusy(work, clock, busyTimeoutMs)
  try {
    const file = path === ':memory:' ? path : findOrCreateFile(path, acceptLoss)
    /* SQLite empties or deletes it at the first read. */
    const wasCommitted = hasEmptyJournal(file)
    const sqlite = driver.open(file)
    try {
      await whileBusy(() => prepare(sqlite, path))
      const highest = path === ':memory:' ? IN_MEMORY : new HighestId(path, file)
      if (acceptLoss) highest.advanceTo(highestIdIn(sqlite))
      highest.check(highestIdIn(sqlite))
      if (!wasCommitted) await whileBusy(() => refuseDamaged(sqlite, path))
      return databaseOf({ path, driver: driver.name, clock, sqlite, highest, whileBusy })
    } catch (error) {
      sqlite.close()
      throw error
    }
  } catch (error) {
    throw unusableBy(error, path)
  }
}

const IN_MEMORY: OpenFile['highest'] = { check() {}, advanceTo() {} }

/* How long SQLite itself waits for another process. It blocks this process, so longer waits are done outside. */
const SHORT_WAIT_MS = 50

/* A file that is not a ledger is refused, and never written to. */
function prepare(sqlite: Sqlite, path: string): void {
  sqlite.exec(`PRAGMA busy_timeout = ${SHORT_WAIT_MS}; PRAGMA foreign_keys = ON`)
  recognise(sqlite, path)
  /*
   * With a rollback journal all is in one file once a commit has ended: no log beside the file can be lost. A commit empties the
   * journal and syncs that; a deleted journal could come back after a power loss, and undo the commit. On macOS a plain
   * fsync stops at the cache of the disk; other systems ignore `fullfsync`. Removed content is overwritten.
   */
  sqlite.exec(
    'PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA secure_delete = ON',
  )
  /* If the file cannot be written, this fails, and not the first send. */
  sqlite.exec('BEGIN IMMEDIATE')
  try {
    if (!hasTables(sqlite)) {
      for (const statement of schema({ id: 'INTEGER PRIMARY KEY AUTOINCREMENT', bytes: 'BLOB' })) sqlite.exec(statement)
    }
    sqlite.exec('COMMIT')
  } catch (error) {
    rollBack(sqlite)
    throw error
  }
}

function recognise(sqlite: Sqlite, path: string): void {
  if (!hasTables(sqlite)) return
  const isLedger = rowOf(sqlite, "SELECT 1 FROM sqlite_master WHERE name = 'certify_ledger'") !== undefined
  const version = isLedger && rowOf(sqlite, 'SELECT version FROM certify_ledger')?.['version']
  if (version === SCHEMA_VERSION) return
  throw ledgerUnusable(
    isLedger ? `${path}: another version of this package has made it` : `${path}: it is a database, but not a ledger`,
    isLedger ? 'Use that version of certify-sdk.' : 'Nothing was changed in it. Give another path.',
  )
}

/*
 * A journal that is not empty belongs to a commit that has not ended: SQLite has undone it, in whatever file is there now. If
 * the journal is missing, nobody could undo it. Reading everything takes 0.4 seconds for 50,000 sends.
 */
function refuseDamaged(sqlite: Sqlite, path: string): void {
  if (rowOf(sqlite, 'PRAGMA integrity_check(1)')?.['integrity_check'] === 'ok') return
  throw ledgerUnusable(
    `${path}: it is damaged: after a kill or a crash its journal was deleted, or the journal met an older copy of the ledger`,
    'Restore the newest copy, and delete the file that ends with -journal.',
  )
}

function hasTables(sqlite: Sqlite): boolean {
  return rowOf(sqlite, 'SELECT 1 FROM sqlite_master') !== undefined
}

function highestIdIn(sqlite: Sqlite): number {
  return Number(rowOf(sqlite, "SELECT seq FROM sqlite_sequence WHERE name = 'certify_sends'")?.['seq'] ?? 0)
}

function rollBack(sqlite: Sqlite): void {
  try {
    sqlite.exec('ROLLBACK')
  } catch {
    /* SQLite has rolled back already, for example on a full disk. */
  }
}

/* Not the global one: some test environments have none, and fake timers would replace it. */
const { setImmediate } = timers

interface OpenFile extends Pick<Database, 'path' | 'driver' | 'clock'> {
  readonly sqlite: Sqlite
  readonly highest: Pick<HighestId, 'check' | 'advanceTo'>
  readonly whileBusy: <T>(work: () => T) => Promise<T>
}

interface Queued {
  readonly work: (tx: Tx) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/*
 * Group commit: all work of a few turns of the event loop shares a transaction, with a savepoint each. The disk takes as long for
 * one commit as for a hundred. A promise is resolved only when its work is on the disk.
 *
 * A commit blocks this thread while it syncs five times, 1.3 ms on the disk of docs/benchmarks.md, so it should carry much work.
 * With six turns a campaign of 32 at once was 1.1 times as fast as with three.
 */
const TURNS = 6

function databaseOf({ path, driver, clock, sqlite, highest, whileBusy }: OpenFile): Database {
  const statements = new Map<string, Statement>()
  let queue: Queued[] = []
  let draining: Promise<void> | undefined
  let isClosed = false

  const prepared = (sql: string) => {
    const statement = statements.get(sql) ?? sqlite.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  const tx: Tx = {
    now: async () => clock.now(),
    all: async (sql, ...values) => prepared(sql).all(...values) as Row[],
    run: (sql, ...values) => void prepared(sql).run(...values),
    /* A transaction that may write has the file for itself. */
    lock: async () => {},
  }

  const drain = async () => {
    while (queue.length > 0) {
      for (let turn = 0; turn < TURNS; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
      const batch = queue
      queue = []
      await commit(batch)
    }
    draining = undefined
  }

  const commit = async (batch: readonly Queued[]) => {
    const ends: (() => void)[] = []
    let id: number
    try {
      await whileBusy(() => sqlite.exec('BEGIN IMMEDIATE'))
      highest.check(highestIdIn(sqlite))
      for (const { work, resolve, reject } of batch) {
        tx.run('SAVEPOINT work')
        try {
          const value = await work(tx)
          ends.push(() => resolve(value))
        } catch (error) {
          tx.run('ROLLBACK TO work')
          ends.push(() => reject(unusableBy(error, path)))
        }
        tx.run('RELEASE work')
      }
      id = highestIdIn(sqlite)
      await whileBusy(() => sqlite.exec('COMMIT'))
    } catch (error) {
      rollBack(sqlite)
      const reason = unusableBy(error, path)
      for (const { reject } of batch) reject(reason)
      return
    }
    highest.advanceTo(id)
    for (const end of ends) end()
  }

  const transaction = <T>(work: (tx: Tx) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      if (isClosed) throw ledgerUnusable(`${path}: it was closed`, 'Open it again.')
      queue.push({ work, resolve: resolve as (value: unknown) => void, reject })
      draining ??= drain()
    })

  return {
    path,
    driver,
    clock,
    transaction,

    problems: () =>
      transaction(async ({ all }) => {
        const findings = (await all('PRAGMA integrity_check')).map((row) => String(row['integrity_check']))
        return findings.filter((finding) => finding !== 'ok')
      }),

    async close() {
      if (isClosed) return
      isClosed = true
      await draining
      sqlite.close()
    },
  }
}

/* Tries until the database is not locked any more, or the time is up. The process continues meanwhile. */
async function retryWhileBusy<T>(work: () => T, clock: Clock, timeoutMs: number): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    const beganAt = performance.now()
    try {
      return work()
    } catch (error) {
      /* The time that SQLite itself waited counts too. */
      waitedMs += performance.now() - beganAt
      const code = sqliteCode(error)
      if ((code !== 'BUSY' && code !== 'LOCKED') || waitedMs >= timeoutMs) throw error
      await pause(clock, RETRY_MS)
    }
  }
}

const RETRY_MS = 20

function pathInvalid(): CertifyError {
  return optionsInvalid('openLedger', [
    { path: 'path', rule: 'must be the path of a file; if it comes from an environment variable, that is not set' },
  ])
}
