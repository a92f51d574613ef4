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
import { ledgerUnusable } from '../rules/errors.ts'
import type { Database, Driver } from './driver.ts'
import { countsCommits, extentOf, LastCommit, lastReported } from './last-commit.ts'
import { incomplete, isIncomplete } from './loss.ts'
import { refuseLoneFile } from './mounts.ts'
import { register } from './open-files.ts'
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
  readonly lastCommit: LastCommit
  readonly close: () => void
}

/* How long SQLite itself waits for another process, with everything in this one standing still. The rest is waited outside. */
const SHORT_WAIT_MS = 50

/**
 * Opens the file of a ledger, or makes it: for its owner alone, as is its folder where that is made too. What is no
 * ledger is refused, and never written to.
 *
 * While it is open its header says so: it is in WAL mode. Whoever closes it last takes it out of that mode, with all commits
 * in the file itself.
 *
 * @param acceptLoss opens it also where commits are missing that were reported
 */
export function openFile(driver: Driver, path: string, acceptLoss = false): OpenFile {
  const file = findOrCreate(path)
  refuseLoneFile(file, path)
  const release = register(driver.library, file, path)
  let database: Database | undefined
  try {
    const [, log, index] = filesOf(file)
    const hadLog = (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0
    const hadIndex = existsSync(index)
    database = driver.open(file)
    const lastCommit = prepare(database, { file, path, hadLog, hadIndex, acceptLoss })
    return {
      database,
      path,
      file,
      place: new Place(file, path),
      lastCommit,
      close: closing(database, lastCommit, release),
    }
  } catch (error) {
    database?.close()
    release()
    throw error
  }
}

function findOrCreate(path: string): string {
  const named = targetOf(resolve(path))
  if (!existsSync(named)) {
    refuseOrphanedLog(named, path)
    mkdirSync(dirname(named), { recursive: true, mode: 0o700 })
    createFile(named)
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
function refuseOrphanedLog(file: string, path: string): void {
  if (!existsSync(`${file}-wal`)) return
  throw ledgerUnusable(
    `${path}: it is gone, but the log of its last sends, ${path}-wal, is there`,
    'Put the file back beside it. Only where it is lost for good, remove the log: then nobody knows who was invited.',
  )
}

/* Made here, because SQLite would let the umask decide. Only where there is none: closing a file drops the locks on it. */
function createFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
  }
}

interface Found {
  readonly file: string
  readonly path: string
  /** Before it was opened, which makes both. */
  readonly hadLog: boolean
  readonly hadIndex: boolean
  readonly acceptLoss: boolean
}

function prepare(database: Database, found: Found): LastCommit {
  const { file, path, hadIndex } = found
  database.exec(`PRAGMA busy_timeout = ${SHORT_WAIT_MS}`)
  recognise(database, path)
  for (const each of filesOf(file)) restrict(each)
  const wasOpen = journalModeOf(database) === 'wal'
  const { isKnown, isWhole } = compare(database, wasOpen, found)
  /*
   * Alone, and with all that is in the log carried over: whoever uses an index that was removed would not be seen, and the
   * first number is written down only when all that it counts is in the file.
   */
  if (wasOpen && (!hadIndex || !isKnown || !isWhole)) leaveWal(database)
  /* What is removed is overwritten. */
  database.exec('PRAGMA secure_delete = ON')
  database.exec('PRAGMA foreign_keys = ON')
  /* Sixteen megabytes of pages, however large the file. */
  database.exec('PRAGMA cache_size = -16384')
  migrate(database, path)
  const lastCommit = new LastCommit(file, extentOf(database), isKnown && isWhole)
  try {
    database.exec('PRAGMA journal_mode = WAL')
    /* Every commit survives a crash of the machine. */
    database.exec('PRAGMA synchronous = FULL')
    /* So much of the log, in pages, before it is carried over, which everything here has to wait for. */
    database.exec('PRAGMA wal_autocheckpoint = 4000')
    /* What cannot be written is said here, not at the first send. */
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    return lastCommit
  } catch (error) {
    lastCommit.close()
    throw error
  }
}

/* For its owner alone. */
function restrict(file: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & 0o077) !== 0) chmodSync(file, (mode & 0o700) | 0o600)
}

/* Whether there is a number of the last commit, and whether all up to it is there. A ledger of an older schema counts none. */
function compare(
  database: Database,
  wasOpen: boolean,
  { file, path, hadLog, acceptLoss }: Found,
): { readonly isKnown: boolean; readonly isWhole: boolean } {
  if (!countsCommits(database)) return { isKnown: false, isWhole: true }
  const reported = lastReported(file, extentOf(database).id)
  /* Read after that number: whoever is writing now commits first. */
  const { commits } = extentOf(database)
  const findings = { wasOpen, hadLog, commits, reported }
  /* A file whose log was being carried over when its process was killed, and is gone now, may have the number but not the rest. */
  const isWhole = !isIncomplete(findings) && (!wasOpen || hadLog || isSound(database))
  if (!isWhole && !acceptLoss) throw incomplete(database, findings, path)
  return { isKnown: reported !== undefined, isWhole }
}

function isSound(database: Database): boolean {
  const found = database.prepare('PRAGMA integrity_check(1)').get() as { readonly integrity_check: unknown }
  return found.integrity_check === 'ok'
}

function journalModeOf(database: Database): unknown {
  return Object.values(database.prepare('PRAGMA journal_mode').get() as object)[0]
}

/* It takes that nobody else has the file open, and is BUSY where somebody has. */
function leaveWal(database: Database): void {
  database.exec('PRAGMA journal_mode = DELETE')
}

function closing(database: Database, lastCommit: LastCommit, release: () => void): () => void {
  return () => {
    lastCommit.close()
    try {
      leaveWal(database)
    } catch {
      /* Others go on with it, or it cannot be written. The header says that it is open, and the number says what it has. */
    }
    try {
      database.close()
    } finally {
      release()
    }
  }
}
