import { lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Replaces a file in one step: a reader finds the old one or the new one. Only its owner can read it.
 *
 * @param flush whether it must survive a power cut, which takes more time
 * @throws Error as {@link refuseSpecialFile}, or of the file system
 */
export function replaceFile(path: string, text: string, flush = true): void {
  refuseSpecialFile(path)
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

/**
 * Refuses to write where something else than a regular file is. In a folder such as /tmp a symbolic link may be another user's,
 * and lead to a file of yours. Replacing a device, a pipe or a socket would remove it.
 *
 * @throws Error with a `code` for a message
 */
export function refuseSpecialFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isFile()) return
  const code = found.isSymbolicLink() ? 'it is a symbolic link' : 'it is not a regular file'
  throw Object.assign(new Error(code), { code: found.isDirectory() ? 'EISDIR' : code })
}
