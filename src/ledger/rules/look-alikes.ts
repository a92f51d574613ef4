import { isLoopback } from '../../endpoint.ts'
import type { LedgerScope } from './entry.ts'

/** Scopes that a person may have meant as one, in groups of two or more. Each group keeps the order of the scopes. */
export function lookAlikes(scopes: readonly LedgerScope[]): LedgerScope[][] {
  const groups = new Map<string, LedgerScope[]>()
  for (const scope of scopes) {
    const likeness = likenessOf(scope)
    const group = groups.get(likeness)
    if (group === undefined) groups.set(likeness, [scope])
    else group.push(scope)
  }
  return [...groups.values()].filter(({ length }) => length > 1)
}

/*
 * Ignores the scheme, the port, the names of this machine, the case of the path, and the case and blanks of the
 * account.
 */
function likenessOf({ baseUrl, account, world }: LedgerScope): string {
  const { hostname, pathname } = URL.canParse(baseUrl) ? new URL(baseUrl) : { hostname: '', pathname: baseUrl }
  const host = isLoopback({ hostname }) ? 'localhost' : hostname
  const name = account.normalize('NFKC').replace(/\s+/g, '').toLowerCase()
  return JSON.stringify([host, pathname.toLowerCase(), name, world])
}
