import { existsSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Replaces a file in one step: whoever reads it finds the old one or the new one. Its owner alone can read it. A link to
 * it stays a link. What must survive a power cut is flushed to the disk first, which takes its time.
 */
export function replaceFile(named: string, text: string, flush = true): void {
  const path = existsSync(named) ? realpathSync(named) : named
  /* A process in a container has the same number each time: what a killed one left must not be in the way. */
  const next = `${path}.${process.pid}.${Date.now()}.new`
  try {
    /* Not by `atomically`: on a full disk it replaces the file by as much as there was room for. */
    writeFileSync(next, text, { mode: 0o600, flag: 'wx', flush })
    renameSync(next, path)
  } finally {
    rmSync(next, { force: true })
  }
}
