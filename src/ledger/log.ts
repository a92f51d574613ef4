import { closeSync, fdatasync, openSync } from 'node:fs'

/**
 * The log of a database in WAL mode, as a file: what was committed is in it, and on the disk once it was synchronised. That is
 * waited for beside the event loop, while SQLite's own way of doing it would stop everything in this process.
 */
export class Log {
  readonly #descriptor: number
  #failure: { readonly error: unknown } | undefined

  /** @param file the database, which is open: its real path */
  constructor(file: string) {
    this.#descriptor = openSync(`${file}-wal`, 'r+')
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
