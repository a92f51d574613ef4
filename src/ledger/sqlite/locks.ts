import { mkdtempSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Driver } from './driver.ts'
import { sqliteCode } from './unusable.ts'

/**
 * Whether files can be locked where a ledger is. SQLite has one word for a lock that somebody else holds and for a file system
 * that has no locks; of a file that is new nobody holds one.
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
