import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder that only its owner can read, with its parents. An existing folder stays as it is. Not by mkdir's
 * `recursive`: that never returns under /proc, where the system says ENOENT below a folder that exists.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    /* Another process was faster. */
    if (!existsSync(path)) throw error
  }
}
