import type { Clock } from '../clock.ts'
import { type CertifyError, optionsInvalid } from '../errors.ts'
import { parsePostgresUrl, schemaIn, shownPostgresUrl } from '../util/postgres-url.ts'
import {
  checkOptions,
  clockOption,
  closedAs,
  isObject,
  isString,
  milliseconds,
  once,
  option,
  rule,
} from '../validation.ts'

/** The options of a ledger in Postgres: see {@link openPostgresLedger}. */
export interface PostgresLedgerOptions {
  /**
   * As `pg` reads it: postgres://user@host:5432/database?sslmode=verify-full. What it leaves out comes from `PGHOST`,
   * `PGUSER`, `PGPASSWORD` and others.
   */
  readonly url: string
  /** The schema with the tables. Default: `schema` in the query of the URL, else `certify`. */
  readonly schema?: string | undefined
  /**
   * More options of a `Pool` of `pg`, such as `ssl`, `max` (default: 10 connections), or a function that returns the
   * `password`. They take precedence over the URL, which alone names the host, the port, the database and the user.
   */
  readonly connection?: Readonly<Record<string, unknown>> | undefined
  /** The clock, for tests. Default: the clock of the database, and the timers of this machine. */
  readonly clock?: Clock | undefined
  /** How long to keep retrying while the database cannot be reached, in milliseconds. Default: 10,000. */
  readonly unreachableTimeoutMs?: number | undefined
}

/** What the options say. */
export interface PostgresSettings {
  /** Where the ledger is, without the user and the password. */
  readonly path: string
  /** Quoted for statements. */
  readonly schemaName: string
  readonly connection: Readonly<Record<string, unknown>>
}

/** @throws CertifyError CONFIG_INVALID */
export function readPostgresOptions(options: PostgresLedgerOptions): PostgresSettings {
  checkOptions(NAME, postgresOptions, options)
  const url = new URL(options.url)
  const schema = options.schema ?? schemaIn(url)
  /* Postgres truncates longer names. */
  if (!/^[A-Za-z_][\w-]{0,62}$/.test(schema) || /^pg_/i.test(schema)) {
    throw invalid('schema', 'must be 1 to 63 letters, digits, - and _, starting with a letter or _, and not with pg_')
  }
  const connection = Object.entries(options.connection ?? {}).filter(([, value]) => value !== undefined)
  const taken = connection.find(([key]) => TAKEN.test(key))?.[0]
  if (taken !== undefined) throw invalid(`connection.${taken}`, 'must not be set: it is in url, or the ledger sets it')
  return {
    path: shownPostgresUrl(url, schema),
    schemaName: `"${schema}"`,
    connection: Object.fromEntries(connection),
  }
}

export function invalid(path: string, problem: string): CertifyError {
  return optionsInvalid(NAME, [{ path, rule: problem }])
}

const NAME = 'the ledger on Postgres'

const postgresOptions = once(() =>
  closedAs<PostgresLedgerOptions>()({
    /* Without it, pg would connect to whatever the environment names, and find an empty ledger there. */
    url: rule<unknown>(isPostgresUrl, (url) =>
      (url ?? '') === ''
        ? 'must be the URL of a database: is its environment variable set?'
        : 'must be as in postgres://user@host:5432/database, with special characters as in %40',
    ),
    schema: option(isString, 'must be a string'),
    connection: option(isObject, 'must be an object'),
    clock: clockOption(),
    unreachableTimeoutMs: milliseconds(0),
  }),
)

/* Where the ledger is, and what it needs to read its own rows and to hear of the end of every connection. */
const TAKEN = /^(connectionString|host|port|database|user|Client|pipeline|types)$/

const isPostgresUrl = (url: unknown) => isString(url) && parsePostgresUrl(url) !== undefined
