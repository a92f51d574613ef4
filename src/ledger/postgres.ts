import type { Database, Row, Tx, Value } from './database.ts'
import { createLedger } from './ledger.ts'
import { type Failure, failureOf, unusableBy } from './postgres-errors.ts'
import { checkPool, placeOf, quotedSchema, schemaIn } from './postgres-place.ts'
import { backOffMs, type Clock, pause, systemClock } from '../clock.ts'
import { ledgerUnusable } from './rules/errors.ts'
import type { Ledger } from './rules/ledger.ts'
import { SCHEMA_VERSION, schema } from './schema.ts'

/** The options of a ledger in Postgres: see {@link openPostgresLedger}. Set either `url` or `pool`. */
export interface PostgresLedgerOptions {
  /** As `pg` reads it: postgres://user@host:5432/database?sslmode=verify-full. Requires the package `pg`. */
  readonly url?: string | undefined
  /** Your own `Pool` of `pg`. Closing the ledger does not close it. It needs a listener for `error`. */
  readonly pool?: PostgresPool | undefined
  /** The schema with the tables. Default: `schema` in the query of the URL, else `certify`. */
  readonly schema?: string | undefined
  /** The clock, for tests. Default: the clock of the database, and the timers of this machine. */
  readonly clock?: Clock | undefined
  /** How long to keep retrying while the database cannot be reached, in milliseconds. Default: 10,000. */
  readonly unreachableTimeoutMs?: number | undefined
}

/** What a ledger needs from a `Pool` of `pg`. */
interface PostgresPool {
  readonly connect: () => Promise<PostgresPoolClient>
  readonly totalCount: number
}

/** What a ledger needs from a pool's client. */
interface PostgresPoolClient {
  readonly query: (text: string, values?: unknown[]) => Promise<{ readonly rows: object[]; readonly command: string }>
  readonly release: (destroy?: boolean) => void
  readonly on: (event: 'error', listener: () => void) => unknown
  readonly off: (event: 'error', listener: () => void) => unknown
}

/**
 * Opens a ledger in a schema of a Postgres database, version 12 or later. Processes on several machines may use it at
 * the same time, even through PgBouncer. Leases and expiries use the clock of the database. If there are no tables yet,
 * it creates them.
 *
 * @throws CertifyError CONFIG_INVALID; LEDGER_UNUSABLE, outcome `not-executed`, if the database or its tables cannot be
 *   used
 * @example
 * ```ts
 * const ledger = await openPostgresLedger({ url: 'postgres://certify@db.internal/hiring' })
 * ```
 */
export async function openPostgresLedger(options: PostgresLedgerOptions): Promise<Ledger> {
  const { url, pool, clock, unreachableTimeoutMs = 10_000 } = options
  const schemaName = options.schema ?? schemaIn(url) ?? 'certify'
  const path = placeOf(url, schemaName)
  const settings = { path, schemaName: quotedSchema(schemaName), clock, unreachableTimeoutMs }
  if (pool !== undefined) checkPool(pool)
  const own = pool === undefined ? await openPool(url ?? '') : undefined
  const database = new PostgresDatabase(settings, own?.pool ?? (pool as PostgresPool), own?.close)
  try {
    await database.createTables()
    return createLedger(database)
  } catch (error) {
    await database.close()
    throw error
  }
}

const STATEMENT_TIMEOUT_MS = 10_000

/** @throws CertifyError LEDGER_UNUSABLE if `pg` is not installed */
async function openPool(url: string): Promise<{ readonly pool: PostgresPool; readonly close: () => Promise<void> }> {
  const { Pool } = await loadPg()
  const config = {
    connectionString: url,
    query_timeout: STATEMENT_TIMEOUT_MS,
    connectionTimeoutMillis: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    fallback_application_name: 'certify-sdk',
    /* An idle connection must not keep a program running. */
    allowExitOnIdle: true,
    /* Statements are sent without waiting for the answer to the one before: few round trips. */
    pipeline: true,
  }
  const pool = new Pool(config)
  /* An idle connection has ended: the next statement opens another one. */
  pool.on('error', () => {})
  return { pool: pool as unknown as PostgresPool, close: () => pool.end() }
}

async function loadPg(): Promise<typeof import('pg')> {
  try {
    const loaded = await import('pg')
    /* An ES module in some versions, CommonJS in others. */
    return 'Pool' in loaded ? loaded : (loaded as { readonly default: typeof import('pg') }).default
  } catch {
    throw ledgerUnusable('the package pg is not installed, or does not load', 'Run `npm install pg`.')
  }
}

interface Settings {
  readonly path: string
  /** Quoted. */
  readonly schemaName: string
  readonly clock: Clock | undefined
  readonly unreachableTimeoutMs: number
}

class PostgresDatabase implements Database {
  readonly path: string
  readonly driver = 'postgres'
  readonly clock: Clock
  readonly #settings: Settings
  readonly #pool: PostgresPool
  readonly #closePool: () => Promise<void>
  #isClosed = false

  constructor(settings: Settings, pool: PostgresPool, closePool = async () => {}) {
    this.path = settings.path
    this.clock = settings.clock ?? systemClock
    this.#settings = settings
    this.#pool = pool
    this.#closePool = closePool
  }

  readonly transaction = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    let giveUpAt: number | undefined
    for (let failures = 1; ; failures += 1) {
      if (this.#isClosed) throw ledgerUnusable(`${this.path}: it was closed`, 'Open it again.')
      const ended = await this.#attempt(work)
      if (!('failure' in ended)) return ended.result
      /* From the first failure: a silent connection takes long to fail. */
      giveUpAt ??= performance.now() + this.#settings.unreachableTimeoutMs
      if (ended.failure.kind === 'refused' || performance.now() >= giveUpAt) throw unusableBy(ended.failure, this.path)
      await pause(systemClock, backOffMs(failures, 40, 500, Math.random()))
    }
  }

  readonly problems = async () => []

  readonly close = async () => {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#closePool()
  }

  /** Only if there are none yet, and one process at a time. @throws CertifyError LEDGER_UNUSABLE */
  async createTables(): Promise<void> {
    const { schemaName } = this.#settings
    await this.transaction(async (tx) => {
      const [row] = await tx.all(EXISTS, `${schemaName}.certify_ledger`)
      if (row?.['encoding'] !== 'UTF8')
        throw ledgerUnusable(`${this.path}: the encoding of the database is not UTF8`, 'Use another database.')
      if (row['ledger'] !== null) return
      const [, [schemaRow], [table]] = await Promise.all([
        tx.lock('tables'),
        tx.all('SELECT 1 FROM pg_namespace WHERE nspname = ?', schemaName.slice(1, -1)),
        tx.all(EXISTS, `${schemaName}.certify_ledger`),
      ])
      if (table?.['ledger'] !== null) return
      /* Not IF NOT EXISTS, which needs the privilege even if the schema exists. */
      if (schemaRow === undefined) tx.run(`CREATE SCHEMA ${schemaName}`)
      for (const statement of schema(TYPES)) tx.run(statement)
    })
    const [ledger] = await this.transaction((tx) => tx.all('SELECT version FROM certify_ledger'))
    if (Number(ledger?.['version']) === SCHEMA_VERSION) return
    throw ledgerUnusable(
      `${this.path}: another version of this package has made its tables`,
      'Use that version of certify-sdk, or another schema.',
    )
  }

  /* Errors of the work itself are rethrown. */
  async #attempt<T>(work: (tx: Tx) => Promise<T>): Promise<{ readonly result: T } | { readonly failure: Failure }> {
    let client: PostgresPoolClient
    try {
      client = await this.#pool.connect()
    } catch (error) {
      return { failure: failureOf(error) }
    }
    const session = new Session(client)
    let isBroken = true
    client.on('error', ignore)
    try {
      void session.send(this.#begin())
      const result = await work(this.#txOf(session))
      const { command } = await session.send('COMMIT')
      isBroken = false
      if (session.failure !== undefined) return { failure: session.failure }
      /* The server ends a failed transaction with another command (ROLLBACK). */
      return command === 'COMMIT' ? { result } : { failure: { kind: 'conflict', code: undefined } }
    } catch (error) {
      isBroken = await session.send('ROLLBACK').then(
        () => false,
        () => true,
      )
      if (session.failure === undefined) throw error
      return { failure: session.failure }
    } finally {
      client.off('error', ignore)
      client.release(isBroken)
    }
  }

  /*
   * READ COMMITTED: each statement sees all earlier commits, even ones made while the previous one waited for a lock.
   */
  #begin(): string {
    return `BEGIN ISOLATION LEVEL READ COMMITTED; SELECT set_config('search_path', '${this.#settings.schemaName}', true), ${SETTINGS}`
  }

  #txOf(session: Session): Tx {
    const { clock, schemaName } = this.#settings
    const all: Tx['all'] = async (sql, ...values) => (await session.send(numbered(sql), values)).rows as Row[]
    return {
      now: async () => clock?.now() ?? Number((await all(NOW))[0]?.['now']),
      all,
      run: (sql, ...values) => void session.send(numbered(sql), values),
      /* As JSON, because Postgres stores no NUL in text. */
      lock: async (name) => void (await all(LOCK, JSON.stringify(['certify', schemaName, name]))),
    }
  }
}

/* One connection during one transaction. Statements are sent in order; the first failure is kept: later ones follow from it. */
class Session {
  readonly #client: PostgresPoolClient
  readonly #isPipelined: boolean
  #last: Promise<unknown> = Promise.resolve()
  failure: Failure | undefined

  constructor(client: PostgresPoolClient) {
    this.#client = client
    this.#isPipelined = 'pipeline' in client && client.pipeline === true
  }

  send(text: string, values: readonly Value[] = []): ReturnType<PostgresPoolClient['query']> {
    const query = () => this.#client.query(text, [...values])
    const sent = this.#isPipelined ? query() : this.#last.then(query)
    this.#last = sent.catch((error: unknown) => {
      this.failure ??= failureOf(error)
    })
    return sent
  }
}

const TYPES = { id: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY', bytes: 'BYTEA' }

const EXISTS = "SELECT to_regclass(?)::text AS ledger, current_setting('server_encoding') AS encoding"
const NOW = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now'
const LOCK = 'SELECT pg_advisory_xact_lock(hashtextextended(?, 0))'
const LOCK_TIMEOUT_MS = 5_000
/*
 * Settings of each transaction, in one statement. The server must end the transaction of a client that vanished without
 * closing its connection, or its locks would be held for hours. And a commit must survive a crash of the server,
 * whatever the database's default is.
 */
const SETTINGS = `set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true),
  set_config('idle_in_transaction_session_timeout', '${LOCK_TIMEOUT_MS}', true),
  CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END`

const NUMBERED = new Map<string, string>()

/* Replaces `?` with the numbered parameters of Postgres. */
function numbered(sql: string): string {
  const known = NUMBERED.get(sql)
  if (known !== undefined) return known
  let count = 0
  const text = sql.replaceAll('?', () => {
    count += 1
    return `$${count}`
  })
  NUMBERED.set(sql, text)
  return text
}

/* Statements on a broken connection fail anyway. Without a listener, Node.js would end the program too. */
function ignore(): void {}
