import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Database, Driver } from './driver.ts'
import { ledgerUnusable } from './failures.ts'
import { migrate, recognise } from './schema.ts'

/* How long SQLite itself waits for another process, with everything in this one standing still. The rest is waited outside. */
const SHORT_WAIT_MS = 50

/**
 * Opens the file of a ledger, or makes it: for its owner alone, as is its folder where that is made too. What is no
 * ledger is refused, and never written to. Gives its real path as well: that is where SQLite keeps its other files.
 */
export function openFile(driver: Driver, path: string): { readonly database: Database; readonly file: string } {
  const named = resolve(path)
  if (!existsSync(named)) {
    refuseOrphan(named, path)
    mkdirSync(dirname(named), { recursive: true, mode: 0o700 })
    /* Made here, because SQLite would let the umask decide. Its other files get the mode of this one. */
    closeSync(openSync(named, 'a', 0o600))
  } else if (statSync(named).isDirectory()) {
    throw ledgerUnusable(`${path}: it is a folder`, 'Give the path of a file.')
  }
  /* SQLite would open it all the same, and leave files beside it that cannot be written either. */
  accessSync(named, constants.R_OK | constants.W_OK)
  const file = realpathSync(named)
  const database = driver.open(file)
  try {
    database.exec(`PRAGMA busy_timeout = ${SHORT_WAIT_MS}`)
    recognise(database, path)
    const { mode } = statSync(file)
    if ((mode & 0o077) !== 0) chmodSync(file, (mode & 0o700) | 0o600)
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
    return { database, file }
  } catch (error) {
    database.close()
    throw error
  }
}

/* SQLite would remove the log that it finds beside a new file, and with it what was recorded last. */
function refuseOrphan(file: string, path: string): void {
  if (!existsSync(`${file}-wal`)) return
  throw ledgerUnusable(
    `${path}: it is gone, but the log of its last sends, ${path}-wal, is there`,
    'Put the file back beside it. Only where it is lost for good, remove the log: then nobody knows who was invited.',
  )
}
