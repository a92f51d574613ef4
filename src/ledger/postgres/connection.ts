import { pause } from '../../pause.ts'
import { type Clock, systemClock } from '../rules/clock.ts'
import { ledgerUnusable } from '../rules/errors.ts'
import type { PostgresClient } from './client.ts'
import { Listener } from './listener.ts'
import { type OwnPool, openPool } from './own-pool.ts'
import { placeOf, quotedSchema, refuseSingleClient, schemaIn } from './place.ts'
import { type Failure, failureOf, READ_ONLY, unusableBy } from './postgres-errors.ts'
import { runOn } from './run-statement.ts'

/** How a database is used. Either `url` or `client` has to be set. */
export interface PostgresOptions {
  /** As `pg` reads it: postgres://user@host:5432/database?sslmode=verify-full. The package `pg` has to be installed. */
  readonly url?: string | undefined
  /** Your own pool, or a client of another kind; a single client of `pg` is refused. Closing the ledger does not close it. */
  readonly client?: PostgresClient | undefined
  /** The schema with the tables. Default: `schema` in the query of the URL, else `certify`. */
  readonly schema?: string | undefined
  /** The clock; a test has its own. Default: the clock of the database, and the timers of this machine. */
  readonly clock?: Clock | undefined
  /** How long a statement may take, in milliseconds. With `url` only. Default: 10,000. */
  readonly statementTimeoutMs?: number | undefined
  /** How long to try again while the database cannot be reached, in milliseconds. Default: 10,000. */
  readonly unreachableTimeoutMs?: number | undefined
}

/** Text of a statement. It gets the quoted schema. `$1::text` is its argument as JSON; its one result column is JSON as text. */
export type Statement = (schema: string) => string

/** The connections to one schema. No statement needs a session, so that a pooler may be between. */
export class PostgresConnection {
  /** The URL without user and password, with the schema. */
  readonly path: string
  /** The quoted name of the schema. */
  readonly schema: string
  readonly clock: Clock
  /** The time of an injected clock; `undefined`: the database has the time. */
  readonly ownTime: () => number | undefined
  readonly #client: PostgresClient
  readonly #scanClient: PostgresClient
  readonly #pool: OwnPool | undefined
  readonly #unreachableTimeoutMs: number
  /* When writes began to be unclear without one that succeeded, and when the last one was. */
  #unclear: { readonly since: number; readonly last: number } | undefined
  #isClosed = false

  /** Connects at the first statement. @throws CertifyError CONFIG_INVALID; LEDGER_UNUSABLE if `pg` is missing */
  static async open(options: PostgresOptions): Promise<PostgresConnection> {
    const { url, statementTimeoutMs = 10_000 } = options
    const schema = options.schema ?? schemaIn(url) ?? 'certify'
    const path = placeOf(url, schema)
    if (options.client !== undefined) {
      refuseSingleClient(options.client)
      return new PostgresConnection({ ...options, schema }, path, undefined, options.client)
    }
    const pool = await openPool(url ?? '', statementTimeoutMs)
    return new PostgresConnection({ ...options, schema }, path, pool, pool.client)
  }

  private constructor(options: Settings, path: string, pool: OwnPool | undefined, client: PostgresClient) {
    const { schema, clock, unreachableTimeoutMs = 10_000 } = options
    this.path = path
    this.schema = quotedSchema(schema)
    this.clock = clock ?? systemClock
    this.ownTime = () => clock?.now()
    this.#client = client
    this.#scanClient = pool?.scanClient ?? client
    this.#pool = pool
    this.#unreachableTimeoutMs = unreachableTimeoutMs
  }

  /**
   * Runs a statement that may be repeated. While the database cannot be reached, it tries again.
   *
   * @param isScan it may read the whole table, so it has more time
   * @throws CertifyError LEDGER_UNUSABLE
   */
  async read<Result>(statement: Statement, argument: unknown = null, isScan = false): Promise<Result> {
    for (let waitedMs = 0, pauseMs = 20; ; pauseMs = Math.min(pauseMs * 2, 500)) {
      const beganAt = performance.now()
      const answer = await this.#run(statement, argument, isScan)
      if ('result' in answer) return answer.result as Result
      waitedMs += performance.now() - beganAt
      const mayRepeat = answer.kind === 'lost' || answer.kind === 'conflict'
      if (!mayRepeat || waitedMs >= this.#unreachableTimeoutMs) throw unusableBy(answer, this.path)
      await pause(this.clock, pauseMs)
      waitedMs += pauseMs
    }
  }

  /**
   * Runs a statement once. After a lost connection or a conflict it resolves a little later, as the caller may repeat it at
   * once.
   *
   * @returns `unclear` if it may be done again after a new look: nobody knows whether it was committed, or it was rolled
   *   back because of another statement
   * @throws CertifyError LEDGER_UNUSABLE, also if no write succeeded for the whole time of trying again
   */
  async write<Result>(statement: Statement, argument: unknown = null, isScan = false): Promise<Result | 'unclear'> {
    const beganAt = performance.now()
    const answer = await this.#run(statement, argument, isScan)
    if ('result' in answer) {
      this.#unclear = undefined
      return answer.result as Result
    }
    if (answer.kind === 'refused') throw unusableBy(answer, this.path)
    if (answer.kind !== 'changed') {
      this.#countUnclear(answer, beganAt)
      await pause(this.clock, Math.ceil(AGAIN_MS * (0.5 + Math.random() / 2)))
      /* Nothing was written: by a standby before the failover is done. */
      if (answer.code === READ_ONLY) return this.write(statement, argument, isScan)
    }
    return 'unclear'
  }

  /** Listens on a connection of its own. `undefined`: the client is the caller's, and cannot. */
  listen(channel: string, onNotification: (payload: string) => void): Listener | undefined {
    return this.#pool && new Listener(this.#pool.newClient, channel, onNotification)
  }

  /** Ends its own connections. Closing it again does nothing. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#pool?.close()
  }

  /* Reads may work while writes do not: somebody has to learn it. */
  #countUnclear(failure: Failure, beganAt: number): void {
    const now = performance.now()
    const { since, last } = this.#unclear ?? { since: now, last: now }
    /* The time that a statement took is none without writes. */
    const isNew = beganAt - last > Math.max(FORGET_MS, 3 * this.#unreachableTimeoutMs)
    this.#unclear = { since: isNew ? now : since, last: now }
    if (!isNew && now - since > this.#unreachableTimeoutMs) throw unusableBy(failure, this.path)
  }

  async #run(
    statement: Statement,
    argument: unknown,
    isScan: boolean,
  ): Promise<{ readonly result: unknown } | Failure> {
    if (this.#isClosed) throw ledgerUnusable(`${this.path}: it was closed`, 'Open it again.')
    try {
      return { result: await runOn(isScan ? this.#scanClient : this.#client, statement(this.schema), argument) }
    } catch (error) {
      return failureOf(error)
    }
  }
}

/* The longest time until a write may be repeated after a lost connection or a conflict: others repeat theirs, too. */
const AGAIN_MS = 100

/* Failures that are further apart have nothing to do with each other. */
const FORGET_MS = 10_000

type Settings = PostgresOptions & { readonly schema: string }
