import type { CertifyError } from '../index.ts'
import { parseUrl } from '../parse-url.ts'
import { optionsInvalid } from '../refusals.ts'

/** The name of a schema in statements. @throws CertifyError CONFIG_INVALID */
export function quotedSchema(schema: string): string {
  /* Postgres truncates longer names. */
  if (!/^[A-Za-z_][\w-]{0,62}$/.test(schema) || /^pg_/i.test(schema)) {
    throw invalid('schema', 'must be 1 to 63 letters, digits, - and _, starting with a letter or _, and not with pg_')
  }
  return `"${schema}"`
}

/** The schema that the query of a URL names. */
export function schemaIn(url: string | undefined): string | undefined {
  return (url === undefined ? undefined : parseUrl(url))?.searchParams.get('schema') ?? undefined
}

/** Where a ledger is, without the user and the password. @throws CertifyError CONFIG_INVALID */
export function placeOf(url: string | undefined, schema: string): string {
  if (url === undefined) return `postgres:?schema=${schema}`
  const parsed = parseUrl(url)
  if (parsed === undefined || !/^postgres(ql)?:$/.test(parsed.protocol) || isUnescaped(parsed)) {
    throw invalid('url', 'must be as in postgres://user@host:5432/database, with special characters as in %40')
  }
  const folder = parsed.searchParams.get('host')
  const query = new URLSearchParams({ ...(folder !== null && { host: folder }), schema })
  return `postgres://${parsed.host}${parsed.pathname}?${String(query).replaceAll('%2F', '/')}`
}

/* After its host, a URL has an @ or a # only if a password before it was not escaped. */
function isUnescaped({ pathname, searchParams, hash }: URL): boolean {
  return hash !== '' || [pathname, ...searchParams.keys()].some((each) => each.includes('@'))
}

/**
 * A claim inside the caller's transaction would be lost in a rollback, although the create was sent.
 *
 * @throws CertifyError CONFIG_INVALID for anything but a `Pool` of `pg`, or one with the same methods
 */
export function checkPool(pool: object): void {
  if ('connect' in pool && 'totalCount' in pool) return
  const hint =
    'Pass a Pool, or set `url`. A single client may be in a transaction of yours, and its rollback would remove claims.'
  throw invalid('pool', 'must be a pool, not a single client', hint)
}

function invalid(path: string, rule: string, hint?: string): CertifyError {
  return optionsInvalid('the ledger on Postgres', [{ path, rule }], hint)
}
