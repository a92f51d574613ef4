import { type CertifyError, isCertifyError } from '../../index.ts'
import { PostgresConnection, type PostgresOptions, type Statement } from './connection.ts'
import { READ_ONLY, unusableBy } from './postgres-errors.ts'
import { checkSchema } from './schema.ts'

/** What can be said about a database without changing it. */
export interface PostgresInspection {
  /** The URL without user and password, with the schema. */
  readonly path: string
  /** The version of the server, as in `15.8`; `undefined` if it cannot be reached. */
  readonly serverVersion: string | undefined
  /** How far its clock is ahead of that of this machine, in milliseconds. Exact to half of `roundTripMs`. */
  readonly clockAheadMs: number | undefined
  /** How long one statement took, in milliseconds. */
  readonly roundTripMs: number | undefined
  /** Why the database, or its tables, cannot be used; `undefined` if they can. */
  readonly error: CertifyError | undefined
}

/**
 * Looks at the database of a ledger: it changes nothing, and does not wait for a database that cannot be reached.
 *
 * @throws CertifyError CONFIG_INVALID
 * @example
 * ```ts
 * const { serverVersion, error } = await inspectPostgresLedger({ url: 'postgres://certify@db.internal/hiring' })
 * ```
 */
export async function inspectPostgresLedger(options: PostgresOptions): Promise<PostgresInspection> {
  const connection = await PostgresConnection.open({ unreachableTimeoutMs: 0, ...options })
  const { path } = connection
  const unknown = { path, serverVersion: undefined, clockAheadMs: undefined, roundTripMs: undefined }
  try {
    /* The first statement connects. */
    await connection.read(SERVER)
    const [sentAt, began] = [Date.now(), performance.now()]
    const { version, now, isReadOnly } = await connection.read<ServerFacts>(SERVER)
    const roundTripMs = performance.now() - began
    const { error } = isReadOnly
      ? { error: unusableBy({ kind: 'refused', code: READ_ONLY }, path) }
      : await checkSchema(connection).then(() => ({ error: undefined }), errorOf)
    return { path, serverVersion: version, clockAheadMs: now - sentAt - roundTripMs / 2, roundTripMs, error }
  } catch (failure) {
    return { ...unknown, ...errorOf(failure) }
  } finally {
    await connection.close()
  }
}

function errorOf(error: unknown): { readonly error: CertifyError } {
  if (isCertifyError(error)) return { error }
  throw error
}

interface ServerFacts {
  readonly version: string
  readonly now: number
  readonly isReadOnly: boolean
}

const SERVER: Statement = () => `SELECT json_build_object(
  'isReadOnly', current_setting('transaction_read_only')::boolean,
  'version', split_part(current_setting('server_version'), ' ', 1),
  'now', extract(epoch FROM clock_timestamp())::float8 * 1000)::text`
