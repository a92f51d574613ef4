import { type Clock, systemClock } from '../rules/clock.ts'
import { ledgerUnusable } from '../rules/errors.ts'
import { Commits, retryWhileBusy } from './commits.ts'
import { type DriverName, loadDriver } from './driver.ts'
import { openFile } from './file.ts'
import { hasLocks } from './locks.ts'
import { checkPath, type OpenDatabase, openMemory } from './open-database.ts'
import { sqliteCode, unusableBy } from './sqlite-errors.ts'
import { Statements } from './statements.ts'

/** How the file of a ledger is opened. */
export interface ConnectionOptions {
  /** The file. It is created, with its folder, if there is none. */
  readonly path: string
  /** The clock; a test has its own. Default: the clock of the machine. */
  readonly clock?: Clock | undefined
  /** How long to wait while another process locks the file, in milliseconds. Default: 10,000. */
  readonly busyTimeoutMs?: number | undefined
  /** The SQLite to use. Default: the runtime's own, else `better-sqlite3`. Both can open the same files. */
  readonly driver?: DriverName | undefined
}

/** @param acceptLoss opens the file even if its last commits are missing. @throws CertifyError CONFIG_INVALID, LEDGER_UNUSABLE */
export async function connect(options: ConnectionOptions, acceptLoss?: boolean): Promise<Connection> {
  const { path, clock = systemClock, busyTimeoutMs = 10_000, driver: name } = options
  checkPath(path)
  const driver = loadDriver(name)
  try {
    const open = await retryWhileBusy(() => openFile(driver, path, acceptLoss), clock, busyTimeoutMs)
    return new Connection(open, { clock, busyTimeoutMs, driver: driver.name })
  } catch (error) {
    const hasNoLocks = sqliteCode(error) === 'BUSY' && !hasLocks(driver, path)
    throw unusableBy(hasNoLocks ? { code: 'ENOLCK' } : error, path)
  }
}

/** A connection to a new database in memory. @throws CertifyError LEDGER_UNUSABLE */
export function connectToMemory({ clock = systemClock, driver: name }: Omit<ConnectionOptions, 'path'>): Connection {
  const driver = loadDriver(name)
  return new Connection(openMemory(driver), { clock, busyTimeoutMs: 0, driver: driver.name })
}

/** An open database with its statements. Its methods reject with LEDGER_UNUSABLE if it fails, or was closed. */
export class Connection {
  readonly path: string
  /** See {@link OpenDatabase.file}. */
  readonly file: string | undefined
  readonly clock: Clock
  readonly driver: DriverName
  readonly statements: Statements
  readonly #open: OpenDatabase
  readonly #busyTimeoutMs: number
  readonly #commits: Commits
  #isClosed = false

  constructor(open: OpenDatabase, { clock, busyTimeoutMs, driver }: Settings) {
    this.path = open.path
    this.file = open.file
    this.clock = clock
    this.driver = driver
    this.statements = new Statements(open.database)
    this.#open = open
    this.#busyTimeoutMs = busyTimeoutMs
    this.#commits = new Commits(open, clock, busyTimeoutMs)
  }

  /** Runs a write in the next transaction, and resolves when it is on the disk. */
  async write<T>(write: () => T): Promise<T> {
    this.#checkOpen()
    return this.#commits.write(write)
  }

  async read<T>(read: () => T): Promise<T> {
    this.#checkOpen()
    try {
      return await retryWhileBusy(read, this.clock, this.#busyTimeoutMs)
    } catch (error) {
      throw unusableBy(error, this.path)
    }
  }

  /** Waits for all writes. Closing it again does nothing. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#commits.drained()
    this.#open.close()
  }

  #checkOpen(): void {
    if (this.#isClosed) throw ledgerUnusable(`${this.path}: it was closed`, 'Open it again.')
  }
}

interface Settings {
  readonly clock: Clock
  readonly busyTimeoutMs: number
  readonly driver: DriverName
}
