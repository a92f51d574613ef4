import timers from 'node:timers'
import { pause } from '../../pause.ts'
import type { Clock } from '../rules/clock.ts'
import type { Statement } from './driver.ts'
import type { OpenDatabase } from './open-database.ts'
import { sqliteCode, unusableBy } from './sqlite-errors.ts'

interface QueuedWrite {
  readonly write: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/* Not the global one: some test environments have none, and fake timers would replace it. */
const { setImmediate } = timers

/**
 * Writes to a database. All writes of one turn of the event loop share a transaction: the disk takes as long for one as
 * for a hundred. A write resolves when it is on the disk.
 */
export class Commits {
  readonly #open: OpenDatabase
  readonly #clock: Clock
  readonly #busyTimeoutMs: number
  readonly #begin
  readonly #commit
  readonly #changes
  readonly #count
  #queued: QueuedWrite[] = []
  #committing: Promise<void> | undefined

  /** @param busyTimeoutMs how long to wait while another process locks the file */
  constructor(open: OpenDatabase, clock: Clock, busyTimeoutMs: number) {
    const { database } = open
    this.#open = open
    this.#clock = clock
    this.#busyTimeoutMs = busyTimeoutMs
    this.#begin = database.prepare('BEGIN IMMEDIATE')
    this.#commit = database.prepare('COMMIT')
    this.#changes = database.prepare('SELECT total_changes() AS number')
    this.#count = database.prepare('UPDATE ledger SET commits = commits + 1 RETURNING commits AS number')
  }

  /** Runs a write in the next transaction. All writes of a transaction succeed or fail together. */
  write<T>(write: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queued.push({ write, resolve: resolve as (value: unknown) => void, reject })
      this.#committing ??= this.#commitAll()
    })
  }

  /** Waits until every write is on the disk, or has failed. */
  async drained(): Promise<void> {
    await this.#committing
  }

  async #commitAll(): Promise<void> {
    while (this.#queued.length > 0) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      const batch = this.#queued
      this.#queued = []
      await this.#commitTogether(batch)
    }
    this.#committing = undefined
  }

  async #commitTogether(batch: readonly QueuedWrite[]): Promise<void> {
    try {
      const values = await retryWhileBusy(() => this.#transact(batch), this.#clock, this.#busyTimeoutMs)
      for (const [index, { resolve }] of batch.entries()) resolve(values[index])
    } catch (error) {
      /* One write broke a rule of the schema: the others must not fail with it. Nothing was committed. */
      if (batch.length > 1 && sqliteCode(error) === 'CONSTRAINT') {
        for (const write of batch) await this.#commitTogether([write])
        return
      }
      const reason = unusableBy(error, this.#open.path)
      for (const { reject } of batch) reject(reason)
    }
  }

  #transact(batch: readonly QueuedWrite[]): unknown[] {
    const { database, place, lastCommit } = this.#open
    this.#begin.run()
    let [values, commits]: [unknown[], number | undefined] = [[], undefined]
    try {
      /* Not earlier: the files could be replaced while the transaction waits to begin. */
      place.check()
      const before = numberOf(this.#changes)
      values = batch.map(({ write }) => write())
      if (numberOf(this.#changes) !== before) commits = numberOf(this.#count)
      this.#commit.run()
    } catch (error) {
      /* SQLite may have rolled back already, for example on a full disk. */
      try {
        database.exec('ROLLBACK')
      } catch {}
      throw error
    }
    /* From now on, anyone who opens these files finds this commit. If they were replaced before, nobody would. */
    place.check()
    if (commits !== undefined) lastCommit.advanceTo(commits)
    return values
  }
}

function numberOf(statement: Statement): number {
  return (statement.get() as { number: number }).number
}

/** Tries until the database is not locked any more, or the time is up. The process continues meanwhile. */
export async function retryWhileBusy<T>(work: () => T, clock: Clock, timeoutMs: number): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    const beganAt = performance.now()
    try {
      return work()
    } catch (error) {
      /* The time that SQLite itself waited counts too. */
      waitedMs += performance.now() - beganAt
      const code = sqliteCode(error)
      if ((code !== 'BUSY' && code !== 'LOCKED') || waitedMs >= timeoutMs) throw error
      await pause(clock, RETRY_MS)
    }
  }
}

const RETRY_MS = 20
