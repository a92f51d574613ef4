import { ledgerUnusable } from '../rules/errors.ts'
import type { PostgresConnection, Statement } from './connection.ts'
import { inboxTables } from './inbox-schema.ts'
import { ledgerTables } from './ledger-schema.ts'
import { outboxTables } from './outbox-schema.ts'
import { paceTables } from './pace-schema.ts'

/** A step to a version of the tables. It only adds, so that earlier versions of this package keep working. */
interface Migration {
  readonly version: number
  /** The earliest version of this list whose package can use the tables after this step. */
  readonly oldestReader: number
  readonly sql: (schema: string) => string
}

/** In order. A published step is never changed. */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    oldestReader: 1,
    sql: (schema) => [ledgerTables, inboxTables, outboxTables, paceTables].map((tables) => tables(schema)).join(''),
  },
]

const LATEST = Math.max(...MIGRATIONS.map(({ version }) => version))

/** What a schema has. */
export interface SchemaVersion {
  /** 0: no tables. */
  readonly version: number
  readonly oldestReader: number
}

/** Makes the tables as new as this package needs them. Changes nothing if they are. */
export async function migrate(connection: PostgresConnection): Promise<SchemaVersion> {
  const found = await schemaVersion(connection)
  for (const migration of missingAfter(found)) {
    /* A repeated step does nothing. */
    await connection.read(migrationSql(migration), null, true)
  }
  return checked(await schemaVersion(connection), connection.path)
}

/** @throws CertifyError LEDGER_UNUSABLE if the tables are too old or too new */
export async function checkSchema(connection: PostgresConnection): Promise<SchemaVersion> {
  return checked(await schemaVersion(connection), connection.path)
}

/** The SQL of the steps that a schema lacks, for a person to read or to run. */
export async function missingSql(connection: PostgresConnection): Promise<readonly string[]> {
  const found = await schemaVersion(connection)
  return missingAfter(found).map((migration) => migrationSql(migration)(connection.schema))
}

function missingAfter(found: SchemaVersion): readonly Migration[] {
  return MIGRATIONS.filter(({ version }) => version > found.version)
}

function checked(found: SchemaVersion, path: string): SchemaVersion {
  if (found.oldestReader > LATEST) {
    throw ledgerUnusable(`${path}: a newer version of this package has changed its tables`, 'Update certify-sdk.')
  }
  if (found.version < LATEST) {
    throw ledgerUnusable(
      `${path}: its tables are missing or old`,
      'Run `certify ledger migrate` with a user who may create tables.',
    )
  }
  return found
}

async function schemaVersion(connection: PostgresConnection): Promise<SchemaVersion> {
  const { exists, encoding } = await connection.read<{ readonly exists: boolean; readonly encoding: string }>(EXISTS)
  if (encoding !== 'UTF8') {
    throw ledgerUnusable(`${connection.path}: the encoding of the database is not UTF8`, 'Use another database.')
  }
  return exists ? connection.read<SchemaVersion>(VERSION) : { version: 0, oldestReader: 0 }
}

const EXISTS: Statement = (schema) => `
  SELECT json_build_object('exists', to_regclass('${schema}.certify_ledger') IS NOT NULL,
    'encoding', current_setting('server_encoding'))::text`

const VERSION: Statement = (schema) => `
  SELECT json_build_object('version', version, 'oldestReader', oldest_reader)::text FROM ${schema}.certify_ledger`

/* Only one process at a time, and each step once. */
const migrationSql =
  ({ version, oldestReader, sql }: Migration): Statement =>
  (schema) =>
    `
DO $certify$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('certify-sdk ${schema}', 0));
  /* Read from the catalog: to_regclass may not know yet what another process has created during the wait. */
  IF NOT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = ${nameOf(schema)} AND tablename = 'certify_ledger') THEN
    /* Not IF NOT EXISTS: that needs the privilege even if it exists. */
    IF NOT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = ${nameOf(schema)}) THEN
      CREATE SCHEMA ${schema};
    END IF;
    CREATE TABLE ${schema}.certify_ledger (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      version integer NOT NULL,
      oldest_reader integer NOT NULL,
      epoch integer NOT NULL DEFAULT 0,
      accepted_at bigint
    );
    INSERT INTO ${schema}.certify_ledger (version, oldest_reader) VALUES (0, 0);
  END IF;
  IF (SELECT version FROM ${schema}.certify_ledger) < ${version} THEN
    ${sql(schema).trim()}
    UPDATE ${schema}.certify_ledger SET version = ${version}, oldest_reader = ${oldestReader};
  END IF;
END
$certify$`

/* The schema as a text: its quoted name has no quotes inside. */
const nameOf = (schema: string) => `'${schema.slice(1, -1)}'`
