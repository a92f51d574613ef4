import { existsSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Replaces a file in one step: a reader finds the old one or the new one. Only its owner can read it. A link to it stays a
 * link.
 *
 * @param flush whether it must survive a power cut, which takes more time
 */
export function replaceFile(named: string, text: string, flush = true): void {
  const path = existsSync(named) ? realpathSync(named) : named
  /* In a container each process may have the same pid: a file that a killed one left must not conflict. */
  const next = `${path}.${process.pid}.${Date.now()}.new`
  try {
    /* Not by `atomically`: on a full disk it replaces the file by an incomplete one. */
    writeFileSync(next, text, { mode: 0o600, flag: 'wx', flush })
    renameSync(next, path)
  } finally {
    rmSync(next, { force: true })
  }
}
