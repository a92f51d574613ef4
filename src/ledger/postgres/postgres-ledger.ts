import type { Ledger } from '../rules/ledger.ts'
import { createLedger } from '../store/create-ledger.ts'
import { PostgresConnection, type PostgresOptions } from './connection.ts'
import { checkSchema, migrate } from './schema.ts'
import { PostgresStore } from './store.ts'

/** The options of a ledger on Postgres: see {@link openPostgresLedger}. */
export interface PostgresLedgerOptions extends PostgresOptions {
  /** Whether to create or change the tables. With `false` they have to be there. Default: `true`. */
  readonly migrate?: boolean | undefined
  /** Makes the present time count as the latest that the ledger has seen. Default: `false`. */
  readonly acceptClock?: boolean | undefined
}

/** A ledger on Postgres. Processes on several machines may use it at the same time. */
export interface PostgresLedger extends Ledger {
  /** The URL without user and password, with the schema. */
  readonly path: string
}

/**
 * Opens a ledger in a schema of a Postgres database, version 12 or later. Leases and expiries use the clock of the database.
 *
 * @throws CertifyError CONFIG_INVALID; LEDGER_UNUSABLE, outcome `not-executed`, if the database or its tables cannot be used
 * @example
 * ```ts
 * const ledger = await openPostgresLedger({ url: 'postgres://certify@db.internal/hiring' })
 * const guarded = withLedger(client, ledger, { account: 'acme-production' })
 * ```
 */
export async function openPostgresLedger(options: PostgresLedgerOptions): Promise<PostgresLedger> {
  const connection = await PostgresConnection.open(options)
  try {
    const { version } = await (options.migrate === false ? checkSchema : migrate)(connection)
    const store = new PostgresStore(connection, version)
    if (options.acceptClock === true) await store.acceptTime()
    return createLedger(store, connection.clock)
  } catch (error) {
    await connection.close()
    throw error
  }
}
