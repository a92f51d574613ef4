import type { ClientConfig, Pool, PoolClient, PoolConfig, QueryResult } from 'pg'
import type { Database, Row, Tx, Value } from './database.ts'
import { createLedger } from './ledger.ts'
import { type Failure, failureOf, unusableBy } from './postgres-errors.ts'
import { invalid, type PostgresLedgerOptions, type PostgresSettings, readPostgresOptions } from './postgres-options.ts'
import { backOffMs, type Clock, pause, systemClock } from '../clock.ts'
import { ledgerUnusable } from './rules/errors.ts'
import type { Ledger } from './rules/ledger.ts'
import { SCHEMA_VERSION, schema } from './schema.ts'

export type { PostgresLedgerOptions } from './postgres-options.ts'

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
  const settings = readPostgresOptions(options)
  const { clock, unreachableTimeoutMs = 10_000 } = options
  const pool = await openPool(options.url, settings.connection)
  const database = new PostgresDatabase({ ...settings, clock, unreachableTimeoutMs }, pool)
  try {
    await database.createTables()
    return createLedger(database)
  } catch (error) {
    await database.close()
    throw error
  }
}

const STATEMENT_TIMEOUT_MS = 10_000

const DEFAULTS = {
  query_timeout: STATEMENT_TIMEOUT_MS,
  connectionTimeoutMillis: STATEMENT_TIMEOUT_MS,
  keepAlive: true,
  fallback_application_name: 'certify-sdk',
  /* An idle connection must not keep a program running. */
  allowExitOnIdle: true,
}

/** @throws CertifyError LEDGER_UNUSABLE if `pg` is not installed, CONFIG_INVALID if it cannot read the URL */
async function openPool(url: string, connection: PostgresSettings['connection']): Promise<Pool> {
  const { Client, Pool } = await loadPg()
  /*
   * A connection may end at any time, even while it is idle or has only just begun: the next statement on it fails. Without
   * a listener from the first moment, Node.js would end the program.
   */
  class LedgerClient extends Client {
    constructor(config?: ClientConfig) {
      super(config)
      this.on('error', ignore)
    }
  }
  const pool = new Pool({
    ...DEFAULTS,
    ...parametersIn(url, Client),
    ...connection,
    Client: LedgerClient,
    /* Statements are sent without waiting for the answer to the one before: few round trips. */
    pipeline: true,
  })
  pool.on('error', ignore)
  return pool
}

/* pg would let the URL override all other options, even with a password that it does not have. So it is read first. */
function parametersIn(url: string, Client: typeof import('pg').Client): PoolConfig {
  try {
    const client = new Client({ ...DEFAULTS, connectionString: url })
    const { connectionParameters } = client as unknown as { readonly connectionParameters: PoolConfig }
    /* The password is not enumerable. */
    return { ...connectionParameters, password: connectionParameters.password }
  } catch {
    /* Without its cause, which may quote the URL. */
    throw invalid('url', 'cannot be used: it names a file that cannot be read, or a parameter that pg refuses')
  }
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

interface Settings extends PostgresSettings {
  readonly clock: Clock | undefined
  readonly unreachableTimeoutMs: number
}

class PostgresDatabase implements Database {
  readonly path: string
  readonly driver = 'postgres'
  readonly clock: Clock
  readonly #settings: Settings
  readonly #pool: Pool
  #isClosed = false

  constructor(settings: Settings, pool: Pool) {
    this.path = settings.path
    this.clock = settings.clock ?? systemClock
    this.#settings = settings
    this.#pool = pool
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
    await this.#pool.end()
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
    let client: PoolClient
    try {
      client = await this.#pool.connect()
    } catch (error) {
      return { failure: failureOf(error) }
    }
    const session = new Session(client)
    let isBroken = true
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
  readonly #client: PoolClient
  failure: Failure | undefined

  constructor(client: PoolClient) {
    this.#client = client
  }

  send(text: string, values: readonly Value[] = []): Promise<QueryResult> {
    const sent = this.#client.query(text, [...values])
    sent.catch((error: unknown) => {
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

function ignore(): void {}
