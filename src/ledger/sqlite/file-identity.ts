import { statSync } from 'node:fs'
import { ledgerUnusable } from '../rules/errors.ts'

/** The files of a database in WAL mode. SQLite keeps its log and the index of the log beside the real file. */
export function filesOf(file: string): readonly [database: string, log: string, index: string] {
  return [file, `${file}-wal`, `${file}-shm`]
}

/**
 * Checks that the open files are still the files with these names. Commits go to the log. The index is where processes
 * lock each other out. Without either, two processes write as if each were alone.
 */
export class Place {
  readonly #path: string
  readonly #identities: readonly (readonly [file: string, identity: string | undefined])[]

  /**
   * @param file the real path of the database, which stays open for longer
   * @param path its name, as the caller wrote it
   */
  constructor(file: string, path: string) {
    this.#path = path
    this.#identities = filesOf(file).map((each) => [each, identityOf(each)])
  }

  /**
   * Writes to a removed, moved or replaced file are lost. The next process would open another file at that path, and
   * invite everybody again.
   *
   * @throws CertifyError LEDGER_UNUSABLE
   */
  check(): void {
    if (this.#identities.every(([file, identity]) => identityOf(file) === identity)) return
    throw ledgerUnusable(
      `${this.#path}: it was removed, moved or replaced while it was in use, or its -wal or -shm was`,
      'Restore it, with the files beside it, before you send anything: a new one does not know who was invited.',
    )
  }
}

/** The device and the inode of a file, the same for all its names; `undefined` if there is no file. */
export function identityOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}
