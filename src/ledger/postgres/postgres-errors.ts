import { type LedgerError, ledgerUnusable } from '../rules/errors.ts'

/**
 * What an error of a client means.
 *
 * - `lost`: the server did not answer, or it is going down. Whether the statement was executed is not known.
 * - `conflict`: it was rolled back because of another one, and may be repeated.
 * - `changed`: the facts of our statement were old, and it was rolled back.
 * - `refused`: the server refused it, or a connection that can never work.
 */
export type FailureKind = 'lost' | 'conflict' | 'changed' | 'refused'

/** A failure of a statement, without any text of the server: that may have the values of the statement. */
export interface Failure {
  readonly kind: FailureKind
  /** The SQLSTATE, or the code of the connection; `undefined` if there is none. */
  readonly code: string | undefined
}

/** Reads only the code of an error. An error without an SQLSTATE did not come from the server. */
export function failureOf(error: unknown): Failure {
  const code = codeOf(error)
  if (code === undefined) return { kind: 'lost', code }
  if (!SQLSTATE.test(code)) {
    const isPermanent = code === NO_PASSWORD || NEVER_CONNECTS.test(code)
    return { kind: isPermanent ? 'refused' : 'lost', code }
  }
  /* PgBouncer has 08P01 for a server that crashed. 25006: a standby, until the failover is done. */
  if (/^(08|57P|57014|53300|25006)/.test(code)) return { kind: 'lost', code }
  if (/^(40001|40P01|55P03)$/.test(code)) return { kind: 'conflict', code }
  return { kind: CHANGED.has(code) ? 'changed' : 'refused', code }
}

/** The SQLSTATE of a write to a standby, or to a database that is read-only by a setting. */
export const READ_ONLY = '25006'

/** The code of our own for a server that asks for a password where there is none. */
export const NO_PASSWORD = 'NO_PASSWORD'

/* A division by zero: see store-writes.ts. And a reference that another statement added at the same time. */
const CHANGED: ReadonlySet<string> = new Set(['22012', '23505'])
const SQLSTATE = /^[\dA-Z]{5}$/
/* Codes of OpenSSL and of Node.js for certificates. */
const NEVER_CONNECTS = /CERT|SELF_SIGNED|UNABLE_TO_|TLS_|^ERR_INVALID/

function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined
  if (typeof code === 'string' && /^\w{1,60}$/.test(code) && /[A-Z\d]{2}/.test(code)) return code
  /* Several addresses were tried. */
  const errors = typeof error === 'object' && error !== null ? (error as { errors?: unknown }).errors : undefined
  return Array.isArray(errors) ? errors.map(codeOf).find((each) => each !== undefined) : undefined
}

/** The ledger's error for a failure. */
export function unusableBy({ kind, code }: Failure, path: string): LedgerError {
  const sentence = SENTENCES.find(([codes]) => codes.test(code ?? ''))
  const [, what, hint] = sentence ?? (kind === 'lost' ? AWAY : FAILED)
  return ledgerUnusable(`${path}: ${what}${inBrackets(code)}`, hint)
}

const AWAY = [
  /^/,
  'the database cannot be reached',
  'Check that it runs, its host and port, and TLS. Then run the same again: what was sent is recorded.',
] as const
const FAILED = [/^/, 'a statement failed', 'Check the database: its log has the reason.'] as const

function inBrackets(code: string | undefined): string {
  return code === undefined ? '' : ` (${code})`
}

const SENTENCES: readonly (readonly [codes: RegExp, what: string, hint: string])[] = [
  [
    /^NO_PASSWORD$/,
    'the database asks for a password, and there is none',
    'Set PGPASSWORD, or write it into a password file (~/.pgpass or PGPASSFILE). The command line also reads a service file: ' +
      'postgres:///?service=<name>.',
  ],
  [/^28/, 'the database does not accept the user or the password', 'Check both: PGUSER and PGPASSWORD, or the URL.'],
  [/^3D000$/, 'there is no such database', 'Check its name, or create it: createdb.'],
  [
    /^42501$/,
    'the user has no privilege for it',
    'Grant what docs/postgres.md lists, or migrate with another user: certify ledger migrate.',
  ],
  [
    /^(3F000|42P01|42703)$/,
    'its tables are missing or old',
    'Run `certify ledger migrate` with a user who may create tables.',
  ],
  [
    /^25006$/,
    'the database is read-only',
    'Connect to the primary server, or turn off default_transaction_read_only for its user or database.',
  ],
  [/^25P02$/, 'the transaction of the client has failed', 'Roll it back, and begin another one.'],
  [/^(40001|40P01|55P03)$/, 'other transactions come first every time', 'Try again later.'],
  [/^53100$/, 'the disk of the database is full', 'Free some space, then run the same again.'],
  [NEVER_CONNECTS, 'TLS failed', 'Check the certificate of the server, and `sslmode` and `sslrootcert` of the URL.'],
]
