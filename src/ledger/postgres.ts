import type { ClientConfig, Pool, PoolClient, PoolConfig } from 'pg'
import type { Database, Row, Tx, Value } from './database.ts'
import { createLedger } from './ledger.ts'
import { Batch, type Result } from './postgres-batch.ts'
import { type Failure, failureOf, unusableBy } from './postgres-errors.ts'
import { invalid, type PostgresLedgerOptions, type PostgresSettings, readPostgresOptions } from './postgres-options.ts'
import { type AbortSignalLike, backOffMs, type Clock, pause, systemClock, raceWithAbort } from '../clock.ts'
import { ledgerUnusable } from './rules/errors.ts'
import type { Ledger } from './rules/ledger-types.ts'
import { otherVersionHint, SCHEMA_VERSION, schema } from './schema.ts'

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
  const database = databaseOf({ ...settings, clock, unreachableTimeoutMs }, pool)
  try {
    await createTables(database, settings.schemaName)
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
    /* It allows no batches. */
    pipeline: false,
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

function databaseOf(settings: Settings, pool: Pool): Database {
  const { path, clock = systemClock, unreachableTimeoutMs } = settings
  let isClosed = false
  return {
    path,
    driver: 'postgres',
    clock,

    async transaction(work, until) {
      let giveUpAt: number | undefined
      /* Work that has begun may have been committed, so its end must be known. */
      let limit = until
      const begin: typeof work = (tx) => {
        limit = undefined
        return work(tx)
      }
      for (let failures = 1; ; failures += 1) {
        if (isClosed) throw ledgerUnusable(`${path}: it was closed`, 'Open it again.', 'for good')
        const ended = await attempt(pool, settings, begin, limit)
        if (!('failure' in ended)) return ended.result
        /* From the first failure: a silent connection takes long to fail. */
        giveUpAt ??= performance.now() + unreachableTimeoutMs
        if (ended.failure.kind === 'refused' || performance.now() >= giveUpAt) throw unusableBy(ended.failure, path)
        await pause(systemClock, backOffMs(failures, 40, 500, Math.random()), limit)
      }
    },

    revision: 'SELECT sum(changes)::text AS revision FROM certify_changes',
    problems: async () => [],

    async close() {
      if (isClosed) return
      isClosed = true
      await pool.end()
    },
  }
}

/* Only if there are none yet, and one process at a time. @throws CertifyError LEDGER_UNUSABLE */
async function createTables({ path, transaction }: Database, schemaName: string): Promise<void> {
  await transaction(async (tx) => {
    const [row] = await tx.all(EXISTS, `${schemaName}.certify_ledger`)
    if (row?.['encoding'] !== 'UTF8')
      throw ledgerUnusable(`${path}: the encoding of the database is not UTF8`, 'Use another database.')
    if (row['ledger'] !== null) return
    const [, [schemaRow], [table]] = await Promise.all([
      tx.lock('tables'),
      tx.all('SELECT 1 FROM pg_namespace WHERE nspname = ?', schemaName.slice(1, -1)),
      tx.all(EXISTS, `${schemaName}.certify_ledger`),
    ])
    if (table?.['ledger'] !== null) return
    /* Not IF NOT EXISTS, which needs the privilege even if the schema exists. */
    if (schemaRow === undefined) tx.run(`CREATE SCHEMA ${schemaName}`)
    for (const statement of SCHEMA) tx.run(statement)
  })
  const [ledger] = await transaction((tx) => tx.all('SELECT version FROM certify_ledger'))
  if (Number(ledger?.['version']) === SCHEMA_VERSION) return
  throw ledgerUnusable(`${path}: another version of this package has made its tables`, otherVersionHint('schema'))
}

/* One attempt at a transaction. Errors of the work itself are rethrown. */
async function attempt<T>(
  pool: Pool,
  settings: Settings,
  work: (tx: Tx) => Promise<T>,
  until: AbortSignalLike | undefined,
): Promise<{ readonly result: T } | { readonly failure: Failure }> {
  let client: PoolClient
  try {
    client = await raceWithAbort(pool.connect(), until, (unused) => unused.release())
  } catch (error) {
    if (until?.aborted === true) throw until.reason
    return { failure: failureOf(error) }
  }
  const session = new Session(client, settings)
  let isBroken = true
  try {
    session.tx.run('BEGIN ISOLATION LEVEL READ COMMITTED')
    session.tx.run(SETTINGS, settings.schemaName)
    const result = await work(session.tx)
    if (session.hasWritten) session.tx.run(COUNT_CHANGE)
    const { command } = await session.send('COMMIT')
    isBroken = false
    if (session.failure !== undefined) return { failure: session.failure }
    /* The server ends a failed transaction with another command (ROLLBACK). */
    return command === 'COMMIT' ? { result } : { failure: { kind: 'conflict', code: undefined } }
  } catch (error) {
    isBroken =
      session.failure?.kind === 'lost' ||
      (await session.send('ROLLBACK').then(
        () => false,
        () => true,
      ))
    if (session.failure === undefined) throw error
    return { failure: session.failure }
  } finally {
    client.release(isBroken)
  }
}

/* One connection during one transaction. The first failure is kept: later ones follow from it. */
class Session {
  readonly #client: PoolClient
  readonly #settings: Settings
  #batch: Batch | undefined
  #lockedAt: Promise<Row | undefined> | undefined
  failure: Failure | undefined
  hasWritten = false

  constructor(client: PoolClient, settings: Settings) {
    this.#client = client
    this.#settings = settings
  }

  readonly tx: Tx = {
    now: async () => {
      const { clock } = this.#settings
      if (clock !== undefined) return clock.now()
      const row = (await this.#lockedAt) ?? (await this.#first(`SELECT ${EPOCH} AS epoch`))
      return Math.floor(Number(row?.['epoch']) * 1000)
    },
    all: async (sql, ...values) => (await this.send(numbered(sql), values)).rows,
    run: (sql, ...values) => void this.send(numbered(sql), values),
    lock: async (name) => void (await this.#lock('SELECT $1::text AS name', [name])),
    lockFound: async (sql, ...values) => (await this.#lock(numbered(sql), values))?.['name'],
  }

  send(text: string, values: readonly Value[] = []): Promise<Result> {
    this.hasWritten ||= /^\s*(INSERT|UPDATE|DELETE)\b/.test(text)
    this.#batch ??= this.#newBatch()
    const sent = this.#batch.add(text, values)
    sent.catch((error: unknown) => {
      this.failure ??= failureOf(error)
    })
    return sent
  }

  /* For all statements of this turn of the event loop. */
  #newBatch(): Batch {
    const batch = new Batch(this.#client)
    process.nextTick(() => {
      this.#batch = undefined
      this.#client.query(batch)
    })
    return batch
  }

  /* CASE: the time is read once the lock is held. */
  #lock(query: string, values: readonly Value[]): Promise<Row | undefined> {
    const key = `hashtextextended(name, hashtext('certify ${this.#settings.schemaName}'))`
    const lock = `CASE WHEN pg_advisory_xact_lock(${key}) IS NOT NULL THEN ${EPOCH} END`
    this.#lockedAt = this.#first(`SELECT name, ${lock} AS epoch FROM (${query}) AS found`, values)
    return this.#lockedAt
  }

  async #first(text: string, values: readonly Value[] = []): Promise<Row | undefined> {
    return (await this.send(text, values)).rows[0]
  }
}

const SCHEMA = [
  ...schema({ id: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY', bytes: 'BYTEA', text: 'TEXT COLLATE "C"' }),
  'CREATE TABLE certify_changes (writer INTEGER PRIMARY KEY, changes BIGINT NOT NULL)',
]

/*
 * How many transactions have written, counted at the end of each. Every connection has a row of its own, or nearly: one row for all
 * would make each writer wait for the commit of another one.
 */
const COUNT_CHANGE = `INSERT INTO certify_changes AS own (writer, changes) VALUES (pg_backend_pid() % 1024, 1)
  ON CONFLICT (writer) DO UPDATE SET changes = own.changes + 1`

const EXISTS = "SELECT to_regclass(?)::text AS ledger, current_setting('server_encoding') AS encoding"
const EPOCH = 'extract(epoch FROM clock_timestamp())'
const LOCK_TIMEOUT_MS = 5_000
/*
 * READ COMMITTED: each statement sees all earlier commits, even ones made while the previous one waited for a lock.
 * The server must end the transaction of a client that vanished without closing its connection, or its locks would be held for
 * hours. And a commit must survive a crash of the server, whatever the database's default is. One statement for all four takes a
 * tenth of the CPU time of a claim less than a statement for each.
 */
const SETTINGS = `SELECT set_config('search_path', ?, true), set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true),
  set_config('idle_in_transaction_session_timeout', '${LOCK_TIMEOUT_MS}', true), set_config('synchronous_commit', 'on', true)`

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
