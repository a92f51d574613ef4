import { parseUrl } from './url.ts'

/** The URL of a database in Postgres; `undefined` if the text is none, or has a password that is not escaped. */
export function parsePostgresUrl(text: string): URL | undefined {
  const url = parseUrl(text)
  return url !== undefined && /^postgres(ql)?:$/.test(url.protocol) && !isUnescaped(url) ? url : undefined
}

/* After its host, a URL has an @ or a # only if a password before it was not escaped. */
function isUnescaped({ pathname, searchParams, hash }: URL): boolean {
  return hash !== '' || [pathname, ...searchParams.keys()].some((each) => each.includes('@'))
}

/** The schema that the URL of a ledger names. */
export const schemaIn = ({ searchParams }: URL): string => searchParams.get('schema') ?? 'certify'

/** Where a ledger is: only what identifies it. The rest of its URL may be secret. */
export function shownPostgresUrl({ host, pathname, searchParams }: URL, schema: string): string {
  const folder = searchParams.get('host')
  const query = new URLSearchParams({ ...(folder !== null && { host: folder }), schema })
  return `postgres://${host}${pathname}?${String(query).replaceAll('%2F', '/')}`
}
