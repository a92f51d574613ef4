import type { CertifyError } from '../errors.ts'
import { ledgerUnusable } from './rules/errors.ts'

/**
 * What an error of the database means.
 *
 * - `lost`: the server did not respond, or is shutting down. It is not known whether a transaction was committed.
 * - `conflict`: the transaction was rolled back because of another one, and may be repeated.
 * - `refused`: the server refused it, or no connection can ever work.
 */
export type FailureKind = 'lost' | 'conflict' | 'refused'

/** A failure of a statement, without the server's text, which may contain the statement's values. */
export interface Failure {
  readonly kind: FailureKind
  /** The SQLSTATE, or the code of the connection; `undefined` if there is none. */
  readonly code: string | undefined
}

/** Reads only the code of an error. An error without an SQLSTATE did not come from the server. */
export function failureOf(error: unknown): Failure {
  const code = codeOf(error)
  if (code === undefined) return { kind: 'lost', code }
  if (!SQLSTATE.test(code)) return { kind: NEVER_CONNECTS.test(code) ? 'refused' : 'lost', code }
  /*
   * PgBouncer reports 08P01 for a server that crashed. 25006: a standby, until the failover is done. 25P03: the
   * transaction was idle for too long.
   */
  if (/^(08|57P|57014|53300|25006|25P03)/.test(code)) return { kind: 'lost', code }
  /* 23505: another transaction added the same reference, or the tables, at the same time. */
  return { kind: /^(40001|40P01|55P03|23505)$/.test(code) ? 'conflict' : 'refused', code }
}

/* With a digit, unlike EPIPE. */
const SQLSTATE = /^(?=.*\d)[\dA-Z]{5}$/
/* Codes of OpenSSL and of Node.js for certificates. */
const NEVER_CONNECTS = /CERT|SELF_SIGNED|UNABLE_TO_|TLS_|^ERR_INVALID/

function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined
  if (typeof code === 'string' && /^\w{1,60}$/.test(code) && /[A-Z\d]{2}/.test(code)) return code
  /* Present if several addresses were tried. */
  const errors = typeof error === 'object' && error !== null ? (error as { errors?: unknown }).errors : undefined
  return Array.isArray(errors) ? errors.map(codeOf).find((each) => each !== undefined) : undefined
}

/** The ledger's error for a failure. */
export function unusableBy({ kind, code }: Failure, path: string): CertifyError {
  const sentence = SENTENCES.find(([codes]) => codes.test(code ?? ''))
  const [, what, hint] = sentence ?? (kind === 'lost' ? AWAY : FAILED)
  return ledgerUnusable(`${path}: ${what}${code === undefined ? '' : ` (${code})`}`, hint)
}

const AWAY = [
  /^/,
  'the database cannot be reached',
  'Check that it is running, its host and port, TLS, and that a password is set (PGPASSWORD). Then run this again: what was ' +
    'sent is recorded.',
] as const
const FAILED = [/^/, 'a statement failed', 'Check the database: its log has the reason.'] as const

const SENTENCES: readonly (readonly [codes: RegExp, what: string, hint: string])[] = [
  [
    /^28/,
    'the database does not accept the user or the password',
    'Check both: PGUSER and PGPASSWORD, a password file (~/.pgpass or PGPASSFILE), or the URL.',
  ],
  [/^3D000$/, 'there is no such database', 'Check its name, or create it: createdb.'],
  [
    /^42501$/,
    'the user has no privilege for it',
    'Grant what docs/queues.md lists. The first user who opens the ledger creates its tables.',
  ],
  [
    /^25006$/,
    'the database is read-only',
    'Connect to the primary server, or turn off default_transaction_read_only for its user or database.',
  ],
  [/^(40001|40P01|55P03)$/, 'other transactions keep getting in first', 'Try again later.'],
  [/^53100$/, 'the disk of the database is full', 'Free some space, then run this again.'],
  [NEVER_CONNECTS, 'TLS failed', 'Check the certificate of the server, and `sslmode` and `sslrootcert` of the URL.'],
]
