import type { AbortSignalLike } from '../clock.ts'
import type { CertifyError } from '../errors.ts'
import { callback, checkOptions, clockOption, closedAs, flag, milliseconds, once } from '../validation.ts'
import type { Database, Row, Tx } from './database.ts'
import { isWhole } from './sqlite-check.ts'
import { HighestId } from './highest-id.ts'
import { createLedger } from './ledger.ts'
import { checkPath, findOrCreateFile, journalSize } from './ledger-file.ts'
import { type Clock, pause, systemClock } from '../clock.ts'
import { nextTurn } from '../util/timers.ts'
import { attempt, type ProcessLock, processLockOf } from './process-lock.ts'
import { ledgerUnusable } from './rules/errors.ts'
import type { Ledger } from './rules/ledger-types.ts'
import { otherVersionHint, SCHEMA_VERSION, SQLITE_SCHEMA } from './schema.ts'
import { backUp, problemsIn } from './sqlite-pages.ts'
import { type Driver, loadDriver, rowOf, type Sqlite, type Statement } from './sqlite-driver.ts'
import { isDamage, sqliteCode, unusableBy } from './sqlite-errors.ts'

/** The options of a ledger in a file: see {@link openLedger}. */
export interface LedgerOptions {
  /** The clock; a test has its own. Default: the clock of the machine. */
  readonly clock?: Clock | undefined
  /**
   * How long to wait while another process locks the file, in milliseconds. Default: 10,000. A lock that a killed container may
   * have left is waited for until it can be taken over: 30 seconds.
   */
  readonly busyTimeoutMs?: number | undefined
  /**
   * Opens the ledger even if its last records are missing, because it was removed or an older copy was put in its place.
   * Candidates in the missing part may then be invited twice. Default: false, LEDGER_UNUSABLE.
   */
  readonly acceptLoss?: boolean | undefined
  /**
   * Called if opening takes long: the whole file is read after a crash, by this process or by one that it waits for. That takes 4
   * seconds for a million records, on a fast disk. Default: nothing is called.
   */
  readonly onCheck?: (() => void) | undefined
}

/**
 * Opens a ledger in an SQLite file. Several processes may use it at the same time. It needs Node.js 22.13 or later, or
 * the package `@photostructure/sqlite`.
 *
 * The file stores e-mail addresses, names and links unencrypted. Only its owner can read it.
 *
 * @param path the file. It is created if there is none, in a folder that exists. A path that a shell has not expanded, as in
 *   `~/invites.ledger`, is refused; `./` before it means it as it is. `:memory:` is a ledger that ends with the process, for
 *   tests: without a record nothing prevents a second invite
 * @throws CertifyError, outcome `not-executed`: CONFIG_INVALID if `path` is not a file path; LEDGER_UNUSABLE: no SQLite, no
 *   access, a file that is not a ledger or that is mounted alone, or missing last records
 * @example
 * ```ts
 * const ledger = await openLedger('invites.ledger')
 * ```
 */
export async function openLedger(path: string, options: LedgerOptions = {}): Promise<Ledger> {
  return createLedger(await openDatabase(path, options))
}

async function openDatabase(path: string, options: LedgerOptions): Promise<Database> {
  checkPath(path)
  checkOptions('openLedger', ledgerOptions, options)
  const { clock = systemClock, busyTimeoutMs = 10_000, acceptLoss = false, onCheck } = options
  const driver = loadDriver()
  const waits: Waits = { clock, busyTimeoutMs }
  try {
    if (path === ':memory:') {
      const sqlite = driver.open(path)
      await prepare(sqlite, path, waits)
      return databaseOf({ path, driver, sqlite, ...waits })
    }
    const file = findOrCreateFile(path, acceptLoss)
    /* The locks of Windows hold whatever is copied. */
    const lock = process.platform === 'win32' ? undefined : processLockOf(file)
    try {
      await lock?.take(clock, busyTimeoutMs, undefined, onCheck)
      lock?.removeDead('everywhere')
      const onSign = (signs: number) => {
        lock?.tell(String(signs))
        if (signs === 1) onCheck?.()
      }
      const { sqlite, highest } = await openFile({ driver, path, file, acceptLoss, onSign, ...waits, lock })
      lock?.tell('')
      lock?.give()
      return databaseOf({ path, driver, sqlite, highest, ...waits, lock })
    } catch (error) {
      lock?.close()
      throw error
    }
  } catch (error) {
    throw unusableBy(error, path)
  }
}

/* The lock is held: no other ledger uses the file. */
async function openFile({ driver, path, file, acceptLoss, onSign, ...waits }: FileToOpen) {
  /* Seen before the first read, by which SQLite undoes what a crash left in the journal. */
  const wasCommitted = journalSize(file) === 0
  const sqlite = driver.open(file)
  try {
    await prepare(sqlite, path, waits)
    const highest = new HighestId(path, file)
    const id = highestIdIn(sqlite.prepare(HIGHEST_ID))
    if (acceptLoss) highest.read()
    else {
      if (id === 0) highest.begin()
      highest.check(id)
    }
    /* Nothing is sent from a backup before its loss is accepted. Until then it stays as it is, and is read without a check. */
    const isBackup = id > 0 && !highest.isKnown
    if (highest.isDamaged || (isBackup ? acceptLoss : !wasCommitted)) {
      const whole = await whileBusy(() => isWhole(sqlite, driver, file, onSign), waits)
      waits.lock?.checkOwn()
      highest.setDamaged(!whole)
      if (highest.isDamaged) throw damaged(path)
      /* What was checked is not checked again: a commit leaves an empty journal. Without it, the next opening checks again. */
      if (journalSize(file) !== 0)
        attempt(() => {
          waits.lock?.checkOwn()
          sqlite.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
        })
    }
    if (acceptLoss) highest.accept(id)
    return { sqlite, highest }
  } catch (error) {
    sqlite.close()
    waits.lock?.checkOwn()
    throw error
  }
}

/* How long SQLite itself waits for another process. It blocks this process, so longer waits are done outside. */
const SHORT_WAIT_MS = 50

/* A file that is not a ledger is refused, and never written to. */
function prepare(sqlite: Sqlite, path: string, waits: Waits): Promise<void> {
  return whileBusy(() => prepareNow(sqlite, path, waits), waits)
}

function prepareNow(sqlite: Sqlite, path: string, { lock }: Waits): void {
  sqlite.exec(`PRAGMA busy_timeout = ${SHORT_WAIT_MS}; PRAGMA foreign_keys = ON`)
  recognise(sqlite, path)
  /*
   * With a rollback journal all is in one file once a commit has ended: no log beside the file can be lost. A commit empties the
   * journal and syncs that; a deleted journal could come back after a power loss, and undo the commit. On macOS a plain
   * fsync stops at the cache of the disk; other systems ignore `fullfsync`. Removed content is overwritten.
   */
  sqlite.exec(
    'PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA secure_delete = ON;' +
      /* Before its commit, a transaction writes nothing to the file: by then the lock may be lost. */
      'PRAGMA cache_spill = OFF',
  )
  /* If the file cannot be written, this fails, and not the first create. */
  sqlite.exec('BEGIN IMMEDIATE')
  try {
    if (!hasTables(sqlite)) {
      for (const statement of SQLITE_SCHEMA) sqlite.exec(statement)
    }
    lock?.checkOwn()
    sqlite.exec('COMMIT')
  } catch (error) {
    attempt(() => sqlite.exec('ROLLBACK'))
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
    isLedger ? otherVersionHint('path') : 'Nothing was changed in it. Give another path.',
  )
}

function damaged(path: string): CertifyError {
  return ledgerUnusable(
    `${path}: it is damaged: its journal was deleted or met an older copy after a kill or a crash, another program wrote ` +
      'to it, or the disk failed',
    'Restore the newest copy, and delete the file that ends with -journal.',
    'for good',
  )
}

function hasTables(sqlite: Sqlite): boolean {
  return rowOf(sqlite, 'SELECT 1 FROM sqlite_master') !== undefined
}

function highestIdIn(statement: Statement): number {
  const [row] = statement.all() as Row[]
  return Number(row?.['seq'] ?? 0)
}

const HIGHEST_ID = "SELECT seq FROM sqlite_sequence WHERE name = 'certify_sends'"

interface Waits {
  readonly clock: Clock
  readonly busyTimeoutMs: number
  /** In memory and on Windows there is none. */
  readonly lock?: ProcessLock | undefined
}

interface FileToOpen extends Waits {
  readonly driver: Driver
  readonly path: string
  /** Its real path. */
  readonly file: string
  readonly acceptLoss: boolean
  readonly onSign: (signs: number) => void
}

interface OpenFile extends Waits {
  readonly path: string
  readonly driver: Driver
  readonly sqlite: Sqlite
  /** In memory there is none. */
  readonly highest?: HighestId
}

interface Queued {
  readonly work: (tx: Tx) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  readonly until: AbortSignalLike | undefined
}

/*
 * Group commit: all work of a few turns of the event loop shares a transaction, with a savepoint each. The disk takes as long for
 * one commit as for a hundred. A promise is resolved only when its work is on the disk.
 *
 * A commit blocks this thread while it syncs five times, 1.3 ms on the disk of docs/benchmarks.md, so it should carry much work.
 * With six turns a campaign of 32 at once was 1.1 times as fast as with three.
 */
const TURNS = 6

function databaseOf({ path, driver, sqlite, highest, ...waits }: OpenFile): Database {
  const { clock, busyTimeoutMs, lock } = waits
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
    lockFound: async (sql, ...values) => (prepared(sql).all(...values) as Row[])[0]?.['name'],
  }

  const drain = async () => {
    while (queue.length > 0) {
      for (let turn = 0; turn < TURNS; turn += 1) await nextTurn()
      const batch = queue
      queue = []
      const isWanted = () => batch.some(({ until }) => until?.aborted !== true)
      try {
        await lock?.take(clock, busyTimeoutMs, isWanted)
        const ends = await commit(batch, isWanted)
        lock?.give()
        for (const end of ends) end()
      } catch (error) {
        lock?.give()
        const reason = isDamage(error) ? damaged(path) : unusableBy(error, path)
        for (const { reject, until } of batch) reject(until?.aborted === true ? until.reason : reason)
      }
    }
    draining = undefined
  }

  const commit = async (batch: readonly Queued[], isWanted: () => boolean) => {
    const ends: (() => void)[] = []
    try {
      await whileBusy(() => sqlite.exec('BEGIN IMMEDIATE'), waits, isWanted)
      const before = highestIdIn(prepared(HIGHEST_ID))
      let id = before
      highest?.check(id)
      /* After the first sign of damage, in whichever process, nothing is read or written any more. */
      if (highest?.isDamaged === true) throw damaged(path)
      for (const { work, resolve, reject, until } of batch) {
        if (until?.aborted === true) {
          ends.push(() => reject(until.reason))
          continue
        }
        lock?.renew()
        tx.run('SAVEPOINT work')
        try {
          const value = await work(tx)
          const added = highestIdIn(prepared(HIGHEST_ID))
          /* Once for a batch: it looks at the file. */
          if (added !== id && id === before) highest?.checkAddable()
          id = added
          ends.push(() => resolve(value))
        } catch (error) {
          if (isDamage(error)) throw error
          /* It fails if SQLite has rolled back everything, for example on a full disk. */
          if (!attempt(() => tx.run('ROLLBACK TO work'))) throw error
          ends.push(() => reject(unusableBy(error, path)))
        }
        tx.run('RELEASE work')
      }
      await whileBusy(() => {
        lock?.checkOwn()
        sqlite.exec('COMMIT')
      }, waits)
      highest?.advanceTo(id)
    } catch (error) {
      attempt(() => sqlite.exec('ROLLBACK'))
      /* Without the lock, what was read may be half of a commit of another process: it proves nothing. */
      lock?.checkOwn()
      if (isDamage(error)) highest?.setDamaged(true)
      throw error
    }
    return ends
  }

  const transaction = <T>(work: (tx: Tx) => Promise<T>, until?: AbortSignalLike) =>
    new Promise<T>((resolve, reject) => {
      if (isClosed) throw ledgerUnusable(`${path}: it was closed`, 'Open it again.', 'for good')
      queue.push({ work, resolve: resolve as (value: unknown) => void, reject, until })
      draining ??= drain()
    })

  return {
    path,
    driver: driver.name,
    clock,
    transaction,

    /* The commits of other connections, and what this one has changed. */
    revision: "SELECT data_version || ' ' || total_changes() AS revision FROM pragma_data_version",
    problems: () => problemsIn(transaction),
    backup: (to) => backUp({ transaction }, driver, to),

    async close() {
      if (isClosed) return
      isClosed = true
      await draining
      sqlite.close()
      lock?.close()
    },
  }
}

/* Tries until the database is not locked any more, or the time is up. The process continues meanwhile. */
async function whileBusy<T>(
  work: () => T | Promise<T>,
  { clock, busyTimeoutMs, lock }: Waits,
  isWanted = () => true,
): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    const beganAt = performance.now()
    try {
      return await work()
    } catch (error) {
      /* The time that SQLite itself waited counts too. */
      waitedMs += performance.now() - beganAt
      const code = sqliteCode(error)
      if ((code !== 'BUSY' && code !== 'LOCKED') || waitedMs >= busyTimeoutMs || !isWanted()) throw error
      await pause(clock, RETRY_MS)
      lock?.renew()
    }
  }
}

const RETRY_MS = 20

const ledgerOptions = once(() =>
  closedAs<LedgerOptions>()({
    clock: clockOption(),
    busyTimeoutMs: milliseconds(0),
    acceptLoss: flag(),
    onCheck: callback(),
  }),
)
