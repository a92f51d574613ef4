import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder that its owner alone can look into, with those above it; one that is there stays as it is. Step by
 * step: Node's own way never ends where the system says ENOENT below a folder that is there, as under /proc.
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
