import { closeSync, constants, fchownSync, fstatSync, openSync, statSync } from 'node:fs'

/**
 * What root creates beside a ledger belongs to the owner of the ledger, as SQLite's journal does: otherwise it would lock out
 * the owner. It must not be a way to get other files of root: a link is not followed, and a file with another name is left alone.
 */
export function giveToOwnerOf(ledger: string, path: string): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(ledger)
  if (uid === 0) return
  const created = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const found = fstatSync(created)
    if (found.isDirectory() || found.nlink === 1) fchownSync(created, uid, gid)
  } finally {
    closeSync(created)
  }
}
