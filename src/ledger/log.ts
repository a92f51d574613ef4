import { closeSync, fdatasync, openSync, statSync } from 'node:fs'
import { ledgerUnusable } from './failures.ts'

/**
 * The log of a database in WAL mode, as a file: what was committed is in it, and on the disk once it was synchronised. That is
 * waited for beside the event loop, while SQLite's own way of doing it would stop everything in this process.
 */
export class Log {
  readonly #descriptor: number
  readonly #path: string
  readonly #places: readonly (readonly [path: string, identity: string | undefined])[]
  #failure: { readonly error: unknown } | undefined

  /**
   * @param file the database, which is open and stays so for longer: its real path
   * @param path what it is called
   */
  constructor(file: string, path: string) {
    this.#path = path
    this.#descriptor = openSync(`${file}-wal`, 'r+')
    this.#places = [file, `${file}-wal`].map((place) => [place, identityOf(place)])
  }

  /**
   * What is written to a file that was removed, moved or replaced is written for nobody: whoever opens that path next would
   * invite everybody again.
   *
   * @throws CertifyError LEDGER_UNUSABLE
   */
  checkPlace(): void {
    if (this.#places.every(([place, identity]) => identityOf(place) === identity)) return
    throw ledgerUnusable(
      `${this.#path}: it was removed, moved or replaced while it was in use`,
      'Put it back, with the files beside it, before anything is sent again: a new one does not know who was invited.',
    )
  }

  /** Resolves when all that is committed now is on the disk. After a failure nobody knows what is: it then rejects for good. */
  async synchronise(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error
    await new Promise<void>((resolve, reject) => {
      fdatasync(this.#descriptor, (error) => {
        if (error === null) return resolve()
        this.#failure = { error }
        reject(error)
      })
    })
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

function identityOf(place: string): string | undefined {
  const found = statSync(place, { throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}
