import { PostgresConnection, type PostgresOptions } from './connection.ts'
import { migrate, missingSql } from './schema.ts'

/** What {@link migratePostgresLedger} did, or would do. */
export interface PostgresMigration {
  /** The URL without user and password, with the schema. */
  readonly path: string
  /** The statements of the steps that were missing, in order; empty if there were none. */
  readonly statements: readonly string[]
}

/**
 * Creates the tables of a ledger, or adds what this version needs. One process at a time does it, and a repeated call does
 * nothing. Earlier versions of this package keep working.
 *
 * @param options the database. `dryRun` changes nothing; default: `false`
 * @throws CertifyError CONFIG_INVALID; LEDGER_UNUSABLE, outcome `not-executed`, also if a newer version has changed the tables
 * @example
 * ```ts
 * const { statements } = await migratePostgresLedger({ url: 'postgres://owner@db.internal/hiring', dryRun: true })
 * ```
 */
export async function migratePostgresLedger({
  dryRun = false,
  ...options
}: PostgresOptions & { readonly dryRun?: boolean | undefined }): Promise<PostgresMigration> {
  const connection = await PostgresConnection.open(options)
  try {
    const statements = await missingSql(connection)
    if (!dryRun) await migrate(connection)
    return { path: connection.path, statements }
  } finally {
    await connection.close()
  }
}
