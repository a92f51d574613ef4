import { statSync } from 'node:fs'
import { ledgerUnusable } from '../rules/errors.ts'

/** The files of a database in WAL mode. SQLite keeps its log and the index of that log beside it, whatever the name it is opened by. */
export function filesOf(file: string): readonly [database: string, log: string, index: string] {
  return [file, `${file}-wal`, `${file}-shm`]
}

/**
 * Whether the files that were opened are still the ones that others open by their names. The log is where commits go, and the
 * index is where processes lock each other out: without either, two processes write as if each were alone.
 */
export class Place {
  readonly #path: string
  readonly #identities: readonly (readonly [file: string, identity: string | undefined])[]

  /**
   * @param file the database, which is open and stays so for longer: its real path
   * @param path what it is called
   */
  constructor(file: string, path: string) {
    this.#path = path
    this.#identities = filesOf(file).map((each) => [each, identityOf(each)])
  }

  /**
   * What is written to a file that was removed, moved or replaced is written for nobody: whoever opens that path next would
   * invite everybody again.
   *
   * @throws CertifyError LEDGER_UNUSABLE
   */
  check(): void {
    if (this.#identities.every(([file, identity]) => identityOf(file) === identity)) return
    throw ledgerUnusable(
      `${this.#path}: it was removed, moved or replaced while it was in use, or its -wal or -shm was`,
      'Put it back, with the files beside it, before anything is sent again: a new one does not know who was invited.',
    )
  }
}

/** The device and the number of a file: the same for all its names. `undefined` where there is none. */
export function identityOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}
