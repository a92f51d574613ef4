import { type Clock, pause } from './clock.ts'
import type { Statement } from './driver.ts'
import { unusableBy } from './failures.ts'
import type { OpenFile } from './file.ts'
import { Load } from './load.ts'
import type { Log } from './log.ts'
import { sqliteWord } from './sqlite-word.ts'

interface Waiting {
  readonly write: () => unknown
  readonly durable: boolean
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Writes to a database, many at a time: whatever is asked for before anything else happens shares one transaction. From then
 * on it survives the end of this process. What has to survive that of the machine is reported when it is on the disk, which
 * takes as long for one row as for a hundred, and happens while the next transactions are made.
 */
export class Commits {
  readonly #open: OpenFile
  readonly #log: Log
  readonly #clock: Clock
  readonly #busyTimeoutMs: number
  #waiting: Waiting[] = []
  #committing: Promise<void> | undefined
  #committed: (() => void)[] = []
  #failed: ((reason: unknown) => void)[] = []
  #synchronising: Promise<void> | undefined
  /* The number of the last commit of this process. */
  #number = 0
  readonly #load = new Load()
  readonly #begin
  readonly #commit
  readonly #changes
  readonly #count

  /** @param busyTimeoutMs how long to wait for another process that keeps the file locked */
  constructor(open: OpenFile, log: Log, clock: Clock, busyTimeoutMs: number) {
    const { database } = open
    this.#open = open
    this.#log = log
    this.#clock = clock
    this.#busyTimeoutMs = busyTimeoutMs
    this.#begin = database.prepare('BEGIN IMMEDIATE')
    this.#commit = database.prepare('COMMIT')
    this.#changes = database.prepare('SELECT total_changes() AS number')
    this.#count = database.prepare('UPDATE ledger SET commits = commits + 1 RETURNING commits AS number')
  }

  /**
   * Runs a write in the next transaction. All of a transaction succeed or fail together.
   *
   * @param durable whether to wait until it survives a crash of the machine, and not only of the process
   */
  write<T>(write: () => T, durable = true): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ write, durable, resolve: resolve as (value: unknown) => void, reject })
      this.#committing ??= this.#commitAll()
    })
  }

  /** Waits until everything that was asked for is on the disk, or failed. */
  async settled(): Promise<void> {
    await this.#committing
    await this.#synchronising
  }

  async #commitAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather()
      const batch = this.#waiting
      this.#waiting = []
      try {
        const values = await patiently(() => this.#transact(batch), this.#clock, this.#busyTimeoutMs)
        for (const [index, { durable, resolve, reject }] of batch.entries()) {
          if (!durable) {
            resolve(values[index])
            continue
          }
          this.#committed.push(() => resolve(values[index]))
          this.#failed.push(reject)
        }
        if (this.#committed.length > 0) this.#synchronising ??= this.#synchroniseAll()
      } catch (error) {
        const reason = unusableBy(error, this.#open.path)
        for (const { reject } of batch) reject(reason)
      }
    }
    this.#committing = undefined
  }

  /*
   * What is asked for at once shares a transaction. Nothing more is waited for, or what has been answered in one turn of
   * the event loop would leave together, return together, and wait for each other. Only where the loop has no idle time,
   * so that everything waits for the processor anyway, all of a turn share one: that takes half of the work.
   */
  async #gather(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#load.isFull()) setImmediate(resolve)
      else process.nextTick(resolve)
    })
  }

  /* Also what wrote nothing waits: what it read may be another process's, and not on the disk yet. */
  async #synchroniseAll(): Promise<void> {
    while (this.#committed.length > 0) {
      const [committed, failed] = [this.#committed, this.#failed]
      this.#committed = []
      this.#failed = []
      const number = this.#number
      try {
        await this.#log.synchronise()
        this.#open.lastCommit.reach(number)
        for (const report of committed) report()
      } catch (error) {
        const reason = unusableBy(error, this.#open.path)
        for (const fail of failed) fail(reason)
      }
    }
    this.#synchronising = undefined
  }

  #transact(batch: readonly Waiting[]): unknown[] {
    const { database, place } = this.#open
    this.#begin.run()
    let [values, number]: [unknown[], number | undefined] = [[], undefined]
    try {
      /* Not before: the files could be exchanged while the transaction waits to begin. */
      place.check()
      const before = numberOf(this.#changes)
      values = batch.map(({ write }) => write())
      if (numberOf(this.#changes) !== before) number = numberOf(this.#count)
      this.#commit.run()
    } catch (error) {
      /* SQLite may have rolled back already, as on a full disk. */
      try {
        database.exec('ROLLBACK')
      } catch {}
      throw error
    }
    /* Whoever opens these files from now on finds this commit. Had they been exchanged before it, nobody would. */
    place.check()
    this.#number = number ?? this.#number
    return values
  }
}

function numberOf(statement: Statement): number {
  return (statement.get() as { number: number }).number
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
