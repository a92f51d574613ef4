import {
  chmodSync,
  closeSync,
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
import { filesOf, Place } from './file-identity.ts'
import { commitStateOf, countsCommits, LastCommit, lastCommitOf, lastReported } from './last-commit.ts'
import { incomplete, isIncomplete, removed } from './missing-commits.ts'
import { refuseLoneFile } from './mounts.ts'
import type { OpenDatabase } from './open-database.ts'
import { register } from './open-files.ts'
import { migrate, recognise } from './schema.ts'
import { checkAccess } from './sqlite-errors.ts'

/* How long SQLite itself waits for another process. It blocks this process, so longer waits are done outside. */
const SHORT_WAIT_MS = 50

/**
 * Opens the file of a ledger, or creates it. Only its owner can read the file, and the folder if that is created too. A
 * file that is not a ledger is refused, and never written to.
 *
 * While it is open, its header says so: it is in WAL mode. The last process that closes it ends that mode, with all
 * commits in the file itself.
 *
 * @param acceptLoss opens it even if reported commits are missing
 */
export function openFile(driver: Driver, path: string, acceptLoss = false): OpenDatabase {
  const file = findOrCreate(path, acceptLoss)
  refuseLoneFile(file, path)
  const release = register(driver.library, file, path)
  let database: Database | undefined
  try {
    const [, log, index] = filesOf(file)
    const hadLog = (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0
    const hadIndex = existsSync(index)
    const hadLast = existsSync(lastCommitOf(file))
    /* SQLite would remove the log beside an empty file. The size is read last: both exist only after the schema. */
    const isLeft = hadLast ? lastCommitOf(file) : hadLog ? log : undefined
    if (isLeft !== undefined && !acceptLoss && statSync(file).size === 0) throw removed(path, isLeft)
    database = driver.open(file)
    const lastCommit = prepare(database, { file, path, hadLog, hadIndex, hadLast, acceptLoss })
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

function findOrCreate(path: string, acceptLoss: boolean): string {
  const named = targetOf(resolve(path))
  if (!existsSync(named)) {
    refuseOrphanedLog(named, path)
    if (!acceptLoss && isOrphaned(lastCommitOf(named), named)) throw removed(path, lastCommitOf(named))
    mkdirSync(dirname(named), { recursive: true, mode: 0o700 })
    createFile(named)
  } else if (!statSync(named).isFile()) {
    /* SQLite would open a device, and its permissions would be changed. */
    const what = statSync(named).isDirectory() ? 'it is a folder' : 'it is a device or a pipe'
    throw ledgerUnusable(`${path}: ${what}`, 'Give the path of a file.')
  }
  /* SQLite would open it anyway, and leave files beside it that cannot be written either. */
  checkAccess(named)
  return realpathSync(named)
}

/* Works for a link without a target too. */
function targetOf(file: string): string {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isLink && !existsSync(file) ? targetOf(resolve(dirname(file), readlinkSync(file))) : file
}

/* SQLite would remove the log beside a new file, and with it the last recorded sends. */
function refuseOrphanedLog(file: string, path: string): void {
  if (!isOrphaned(`${file}-wal`, file)) return
  throw ledgerUnusable(
    `${path}: it is missing, but the log of its last sends, ${path}-wal, exists`,
    'Restore the file beside its log. If it is lost for good, remove the log: the invited candidates are then unknown.',
  )
}

/* Looks for the ledger last: another process may be creating it, and then what is beside it. */
function isOrphaned(beside: string, file: string): boolean {
  return existsSync(beside) && !existsSync(file)
}

/* SQLite would use the umask. Only if there is no file: closing a file releases the locks on it. */
function createFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
  }
}

interface OpeningFile {
  readonly file: string
  readonly path: string
  /** Before it was opened: opening creates them. */
  readonly hadLog: boolean
  readonly hadIndex: boolean
  readonly hadLast: boolean
  readonly acceptLoss: boolean
}

function prepare(database: Database, found: OpeningFile): LastCommit {
  const { file, path, hadIndex } = found
  database.exec(`PRAGMA busy_timeout = ${SHORT_WAIT_MS}`)
  recognise(database, path)
  for (const each of filesOf(file)) restrict(each)
  const wasOpen = journalModeOf(database) === 'wal'
  const { isKnown, isWhole } = checkCommits(database, wasOpen, found)
  /*
   * This needs exclusive access, and moves the log into the file. A process with a removed index would not be noticed
   * otherwise. And the first number may be written only when all its commits are in the file.
   */
  if (wasOpen && (!hadIndex || !isKnown || !isWhole)) leaveWal(database)
  /* Removed content is overwritten. */
  database.exec('PRAGMA secure_delete = ON')
  database.exec('PRAGMA foreign_keys = ON')
  /* Sixteen megabytes of pages, for a file of any size. */
  database.exec('PRAGMA cache_size = -16384')
  migrate(database, path)
  const lastCommit = new LastCommit(file, commitStateOf(database), isKnown && isWhole)
  try {
    database.exec('PRAGMA journal_mode = WAL')
    /* Every commit survives a crash of the machine. */
    database.exec('PRAGMA synchronous = FULL')
    /* On macOS a plain fsync stops at the cache of the disk. Other systems ignore this. */
    database.exec('PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON')
    /* The size of the log, in pages, before it is moved into the file: four megabytes. Everything waits for that. */
    database.exec('PRAGMA wal_autocheckpoint = 1000')
    /* If the file cannot be written, this fails, and not the first send. */
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    return lastCommit
  } catch (error) {
    lastCommit.close()
    throw error
  }
}

/* Only the owner may read it. */
function restrict(file: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & 0o077) !== 0) chmodSync(file, (mode & 0o700) | 0o600)
}

/*
 * Whether the number of the last commit is known, and whether all commits up to it exist. An older schema has no
 * number.
 */
function checkCommits(
  database: Database,
  wasOpen: boolean,
  { file, path, hadLog, hadLast, acceptLoss }: OpeningFile,
): { readonly isKnown: boolean; readonly isWhole: boolean } {
  if (!countsCommits(database)) {
    if (hadLast && !acceptLoss) throw removed(path, lastCommitOf(file))
    return { isKnown: false, isWhole: true }
  }
  const reported = lastReported(file, commitStateOf(database).id)
  /* Read after that number: a running writer commits before it reports. */
  const { commits } = commitStateOf(database)
  const findings = { wasOpen, hadLog, commits, reported }
  /*
   * A process may be killed while it moves the log into the file. If the log is then lost, the file may have the number
   * but not the rest.
   */
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

/* Needs exclusive access. It fails with BUSY if another process has the file open. */
function leaveWal(database: Database): void {
  database.exec('PRAGMA journal_mode = DELETE')
}

function closing(database: Database, lastCommit: LastCommit, release: () => void): () => void {
  return () => {
    lastCommit.close()
    try {
      leaveWal(database)
    } catch {
      /*
       * Another process has it open, or it cannot be written. Its header says that it is open, and the number is
       * correct.
       */
    }
    try {
      database.close()
    } finally {
      release()
    }
  }
}
