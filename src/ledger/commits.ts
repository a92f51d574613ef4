import { type Clock, pause } from './clock.ts'
import type { Database } from './driver.ts'
import { unusableBy } from './failures.ts'
import { sqliteWord } from './sqlite-word.ts'

interface Waiting {
  readonly write: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Writes to a database, many at a time: whatever is asked for in one turn of the event loop shares one transaction, and
 * is reported when that is on the disk. A disk takes as long for one row as for a hundred.
 */
export class Commits {
  readonly #database: Database
  readonly #path: string
  readonly #clock: Clock
  readonly #busyTimeoutMs: number
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined
  #begin
  #commit

  /** @param busyTimeoutMs how long to wait for another process that keeps the file locked */
  constructor(database: Database, path: string, clock: Clock, busyTimeoutMs: number) {
    this.#database = database
    this.#path = path
    this.#clock = clock
    this.#busyTimeoutMs = busyTimeoutMs
    this.#begin = database.prepare('BEGIN IMMEDIATE')
    this.#commit = database.prepare('COMMIT')
  }

  /** Runs a write in the next transaction. All of a transaction succeed or fail together. */
  write<T>(write: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ write, resolve: resolve as (value: unknown) => void, reject })
      this.#running ??= this.#drain()
    })
  }

  /** Waits until everything that was asked for is on the disk, or failed. */
  async settled(): Promise<void> {
    await this.#running
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve))
      const batch = this.#waiting
      this.#waiting = []
      try {
        const values = await patiently(() => this.#transact(batch), this.#clock, this.#busyTimeoutMs)
        for (const [index, { resolve }] of batch.entries()) resolve(values[index])
      } catch (error) {
        const reason = unusableBy(error, this.#path)
        for (const { reject } of batch) reject(reason)
      }
    }
    this.#running = undefined
  }

  #transact(batch: readonly Waiting[]): unknown[] {
    this.#begin.run()
    try {
      const values = batch.map(({ write }) => write())
      this.#commit.run()
      return values
    } catch (error) {
      /* SQLite may have rolled back already, as on a full disk. */
      try {
        this.#database.exec('ROLLBACK')
      } catch {}
      throw error
    }
  }
}

/** Tries until nobody keeps the database locked any more, or the time is up; meanwhile this process goes on. */
export async function patiently<T>(work: () => T, clock: Clock, timeoutMs: number): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    const beganAt = performance.now()
    try {
      return work()
    } catch (error) {
      /* SQLite waits by itself as well, and that counts. */
      waitedMs += performance.now() - beganAt
      const word = sqliteWord(error)
      if ((word !== 'BUSY' && word !== 'LOCKED') || waitedMs >= timeoutMs) throw error
      await pause(clock, RETRY_MS)
    }
  }
}

const RETRY_MS = 20
