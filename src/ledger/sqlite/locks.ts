import { mkdtempSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Driver } from './driver.ts'
import { sqliteCode } from './sqlite-errors.ts'

/**
 * Whether files can be locked in the folder of a ledger. SQLite has one code for a locked file and for a file system
 * without locks. No other process has a lock on a new file.
 */
export function hasLocks(driver: Driver, path: string): boolean {
  let folder: string | undefined
  try {
    folder = mkdtempSync(join(dirname(resolve(path)), '.certify-lock-'))
    const database = driver.open(join(folder, 'probe'))
    try {
      database.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE; ROLLBACK')
    } finally {
      database.close()
    }
    return true
  } catch (error) {
    return sqliteCode(error) !== 'BUSY'
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}
