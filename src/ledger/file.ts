import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Database, Driver } from './driver.ts'
import { ledgerUnusable } from './failures.ts'
import { register } from './libraries.ts'
import { refuseLoneFile } from './mounts.ts'
import { filesOf, Place } from './place.ts'
import { migrate, recognise } from './schema.ts'

/** A ledger whose file is open. */
export interface OpenFile {
  readonly database: Database
  /** What it is called. */
  readonly path: string
  /** Its real path: that is where SQLite keeps its other files. */
  readonly file: string
  readonly place: Place
  readonly close: () => void
}

/* How long SQLite itself waits for another process, with everything in this one standing still. The rest is waited outside. */
const SHORT_WAIT_MS = 50

/**
 * Opens the file of a ledger, or makes it: for its owner alone, as is its folder where that is made too. What is no
 * ledger is refused, and never written to.
 */
export function openFile(driver: Driver, path: string): OpenFile {
  const file = findOrMake(path)
  refuseLoneFile(file, path)
  const release = register(driver.library, file, path)
  let database: Database | undefined
  try {
    const [, , index] = filesOf(file)
    const hadIndex = existsSync(index)
    database = driver.open(file)
    prepare(database, file, path, hadIndex)
    return { database, path, file, place: new Place(file, path), close: closing(database, release) }
  } catch (error) {
    database?.close()
    release()
    throw error
  }
}

function findOrMake(path: string): string {
  const named = targetOf(resolve(path))
  if (!existsSync(named)) {
    refuseOrphan(named, path)
    mkdirSync(dirname(named), { recursive: true, mode: 0o700 })
    makeFile(named)
  } else if (statSync(named).isDirectory()) {
    throw ledgerUnusable(`${path}: it is a folder`, 'Give the path of a file.')
  }
  /* SQLite would open it all the same, and leave files beside it that cannot be written either. */
  accessSync(named, constants.R_OK | constants.W_OK)
  return realpathSync(named)
}

/* Also of a link whose target is not there. */
function targetOf(file: string): string {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isLink && !existsSync(file) ? targetOf(resolve(dirname(file), readlinkSync(file))) : file
}

/* SQLite would remove the log that it finds beside a new file, and with it what was recorded last. */
function refuseOrphan(file: string, path: string): void {
  if (!existsSync(`${file}-wal`)) return
  throw ledgerUnusable(
    `${path}: it is gone, but the log of its last sends, ${path}-wal, is there`,
    'Put the file back beside it. Only where it is lost for good, remove the log: then nobody knows who was invited.',
  )
}

/* Made here, because SQLite would let the umask decide. Only where there is none: closing a file drops the locks on it. */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
  }
}

function prepare(database: Database, file: string, path: string, hadIndex: boolean): void {
  database.exec(`PRAGMA busy_timeout = ${SHORT_WAIT_MS}`)
  recognise(database, path)
  for (const each of filesOf(file)) restrict(each)
  /* Alone: whoever uses an index that was removed would not be seen. */
  if (!hadIndex && journalModeOf(database) === 'wal') database.exec('PRAGMA journal_mode = DELETE')
  database.exec('PRAGMA journal_mode = WAL')
  /* A commit survives this process by itself, and the machine once the log was synchronised; see log.ts. */
  database.exec('PRAGMA synchronous = NORMAL')
  /* So much of the log, in pages, before it is carried over, which everything here has to wait for. */
  database.exec('PRAGMA wal_autocheckpoint = 4000')
  /* What is removed is overwritten. */
  database.exec('PRAGMA secure_delete = ON')
  database.exec('PRAGMA foreign_keys = ON')
  /* Sixteen megabytes of pages, however large the file. */
  database.exec('PRAGMA cache_size = -16384')
  migrate(database, path)
  /* What cannot be written is said here, not at the first send. */
  database.exec('BEGIN IMMEDIATE; ROLLBACK')
}

/* For its owner alone. */
function restrict(file: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & 0o077) !== 0) chmodSync(file, (mode & 0o700) | 0o600)
}

function journalModeOf(database: Database): unknown {
  return Object.values(database.prepare('PRAGMA journal_mode').get() as object)[0]
}

function closing(database: Database, release: () => void): () => void {
  return () => {
    try {
      database.close()
    } finally {
      release()
    }
  }
}
