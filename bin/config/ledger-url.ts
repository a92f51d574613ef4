import { CliError, configError } from '../cli-error.ts'

/** A ledger in a database. */
export interface LedgerUrl {
  /** The URL to connect to. It may have a password: it is never shown. */
  readonly url: string
  readonly schema?: string
  /** The same for people and reports: without the user, the password and other details of the connection. */
  readonly shown: string
}

/** Whether a ledger is a URL rather than a path, as `openLedger` tells them apart. */
export function isUrl(ledger: string): boolean {
  return /^\s*[a-z][a-z\d+.-]+:/i.test(ledger)
}

/**
 * Reads the URL of a ledger in Postgres. No message contains the URL, which may have a password.
 *
 * @param origin a flag, a variable or a profile: only a variable may have a password
 * @throws CliError
 */
export function readLedgerUrl(text: string, origin: string): LedgerUrl {
  const url = parse(text, origin)
  if (hasPassword(url) && origin !== 'CERTIFY_LEDGER') throw passwordShown(origin)
  const shown = shownUrl(url)
  const schema = url.searchParams.get('schema')
  url.searchParams.delete('schema')
  return { url: url.href, shown, ...(schema !== null && { schema }) }
}

function parse(text: string, origin: string): URL {
  if (!/^\s*postgres(ql)?:/i.test(text)) {
    throw configError(
      `the ledger of ${origin} is a URL, but not of Postgres.`,
      'Give the path of a file, with ./ before a name with a colon, or postgres://<host>/<database>.',
    )
  }
  /* A user without a host is valid for Postgres: it means the socket of this machine. */
  const url = /:\/\//.test(text)
    ? [text, text.replace('@/', '@localhost/')].find((each) => URL.canParse(each))
    : undefined
  if (url !== undefined && !isUnescaped(new URL(url))) return new URL(url)
  throw configError(
    `the URL of the ledger (${origin}) is not valid.`,
    'Write postgres://<user>@<host>:<port>/<database>?schema=<schema>, with %40 for an @ inside a part.',
  )
}

/* After its host, a URL has an @ or a # only if a password before it was not escaped. */
function isUnescaped({ pathname, searchParams, hash }: URL): boolean {
  return hash !== '' || [pathname, ...searchParams.keys()].some((each) => each.includes('@'))
}

function hasPassword(url: URL): boolean {
  return url.password !== '' || [...url.searchParams.keys()].some((name) => /password/i.test(name))
}

function passwordShown(origin: string): CliError {
  return new CliError(
    `the ledger URL of ${origin} has a password, which others on this machine could read. Nothing was sent.`,
    'Set the password in PGPASSWORD or a password file (~/.pgpass), or put the whole URL into the variable CERTIFY_LEDGER.',
    { code: origin.startsWith('--') ? 'USAGE' : 'CONFIG_INVALID' },
  )
}

/* As the ledger itself shows it: only what identifies the database. The rest may be secret. */
function shownUrl({ host, pathname, searchParams }: URL): string {
  const shown = new URLSearchParams([...searchParams].filter(([name]) => name === 'host' || name === 'schema'))
  if (!shown.has('schema')) shown.append('schema', 'certify')
  return `postgres://${host}${pathname}?${String(shown).replaceAll('%2F', '/')}`
}
