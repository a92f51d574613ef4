import { CertifyError } from '../../index.ts'
import type { Database, Driver } from './driver.ts'
import type { Place } from './file-identity.ts'
import type { LastCommit } from './last-commit.ts'
import { migrate } from './schema.ts'

/** The open database of a ledger: of a file, or in memory. */
export interface OpenDatabase {
  readonly database: Database
  /** Its name, as the caller wrote it. */
  readonly path: string
  /** Its real path: SQLite keeps its other files beside it. None in memory. */
  readonly file: string | undefined
  readonly place: Pick<Place, 'check'>
  readonly lastCommit: Pick<LastCommit, 'advanceTo'>
  readonly close: () => void
}

/** @throws CertifyError CONFIG_INVALID if it is not the path of a file */
export function checkPath(path: unknown): void {
  const isPath = typeof path === 'string' && path !== '' && path !== MEMORY
  if (isPath) return
  const issue = { path: 'path', rule: path === MEMORY ? 'must be a file, not memory' : 'must be the path of a file' }
  throw new CertifyError({
    code: 'CONFIG_INVALID',
    outcome: 'not-executed',
    message: `The ledger cannot be opened: ${issue.path} ${issue.rule}.`,
    hint:
      path === MEMORY
        ? 'A ledger in memory forgets who was invited. For tests, use openMemoryLedger().'
        : 'If it comes from an environment variable, that variable is not set. For tests, use openMemoryLedger().',
    issues: [issue],
  })
}

/* SQLite's name for a database in memory. */
const MEMORY = ':memory:'

/** A new database in memory. No file can be lost, so nothing is checked. */
export function openMemory(driver: Driver): OpenDatabase {
  const database = driver.open(MEMORY)
  database.exec('PRAGMA foreign_keys = ON')
  migrate(database, MEMORY)
  const place = { check() {} }
  const lastCommit = { advanceTo() {} }
  return { database, path: MEMORY, file: undefined, place, lastCommit, close: () => database.close() }
}
