import type { SendInput } from '../rules/entry.ts'
import type { Ledger, Purge } from '../rules/ledger.ts'
import { createLedger } from '../store/create-ledger.ts'
import type { PostgresClient } from './client.ts'
import { PostgresConnection, type PostgresOptions } from './connection.ts'
import { type Outbox, PostgresOutbox } from './outbox.ts'
import { checkSchema, migrate } from './schema.ts'
import { PostgresStore } from './store.ts'
import type { EnqueueOptions } from './wish.ts'
import { withWishQueue } from './wish-queue.ts'

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
  /**
   * Records the wish to send a create in a transaction of yours, so both are committed or neither. A worker sends it:
   * `runWorker`, or `certify worker`. Resolves with its reference. With the reference of a wish that is the same, nothing
   * changes.
   *
   * @param tx the client of your transaction
   * @param input of an invite or a package invite
   * @throws CertifyError INPUT_INVALID or CONFIG_INVALID, outcome `not-executed`: nothing was sent to the database.
   *   LEDGER_UNUSABLE: roll back. Its `cause` has the code of the database, such as 40001
   * @example
   * ```ts
   * await client.query('BEGIN')
   * await client.query('INSERT INTO hires (name) VALUES ($1)', ['Ada Byron'])
   * await ledger.enqueue(client, { quizId, candidate }, { account: 'acme-production' })
   * await client.query('COMMIT')
   * ```
   */
  readonly enqueue: (tx: PostgresClient, input: SendInput, options: EnqueueOptions) => Promise<string>
  /** What was enqueued, and what became of it. */
  readonly outbox: Outbox
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
    const outbox = new PostgresOutbox(connection)
    const ledger = createLedger(store, connection.clock)
    const { purge } = ledger
    const withOutbox = {
      enqueue: outbox.enqueue,
      outbox,
      purge: async (what: Purge) => {
        /* First: if this process ends in between, no wish is left whose entry is gone. It would be sent again. */
        await outbox.purge(what)
        const purged = await purge(what)
        /* Again: a lease may have ended meanwhile. */
        await outbox.purge(what)
        return purged
      },
    }
    return withWishQueue(Object.assign(ledger, withOutbox), connection)
  } catch (error) {
    await connection.close()
    throw error
  }
}
