import { isLoopback } from '../util/url.ts'
import type { Row, Tx } from './database.ts'
import { columnText } from './records.ts'
import { wrongService } from './rules/errors.ts'
import type { LedgerScope } from './rules/model.ts'

/** The service of an account, and where it was before. */
export interface Service {
  readonly baseUrl: string
  readonly former: readonly { readonly baseUrl: string; readonly until: string }[]
}

/** The service that an account belongs to, if it has one yet. */
export async function serviceOf(tx: Tx, account: string): Promise<Service | undefined> {
  const [row] = await tx.all('SELECT service, former FROM certify_accounts WHERE account = ?', columnText(account))
  return row && serviceIn(row)
}

function serviceIn(row: Row): Service {
  return { baseUrl: String(row['service']), former: JSON.parse(String(row['former'])) as Service['former'] }
}

/**
 * Binds an account to the service of a create, or checks that it belongs to it. Of two first creates at once, one binds it. While
 * nothing was or may have been created for it, a create with another base URL binds it anew: the first one may have been misspelt.
 *
 * @param known what {@link serviceOf} has found
 * @throws CertifyError WRONG_SERVICE
 */
export async function bindAccount(
  tx: Tx,
  path: string,
  scope: LedgerScope,
  { known, isDryRun = false }: { readonly known: Service | undefined; readonly isDryRun?: boolean },
): Promise<void> {
  const { account, baseUrl } = scope
  if (!isBinding(scope) || known?.baseUrl === baseUrl) return
  const key = columnText(account)
  const [row] = isDryRun ? [] : await tx.all(BIND, key, baseUrl)
  const service = row === undefined ? known : serviceIn(row)
  if (service === undefined || service.baseUrl === baseUrl) return
  const created = await tx.all(
    "SELECT id FROM certify_sends WHERE account = ? AND world = '' AND base_url NOT LIKE 'http://localhost%' AND state IN ('sending', 'created', 'unknown') LIMIT 1",
    key,
  )
  if (created.length > 0) throw wrongService(path, account, service, baseUrl)
  if (!isDryRun) tx.run('UPDATE certify_accounts SET service = ? WHERE account = ?', baseUrl, key)
}

/* A mock, or an address on this machine, does not say which service an account has. */
function isBinding({ world, baseUrl }: LedgerScope): boolean {
  return world === '' && !isLoopback(new URL(baseUrl))
}

const BIND = `INSERT INTO certify_accounts (account, service, former) VALUES (?, ?, '[]')
  ON CONFLICT (account) DO UPDATE SET service = certify_accounts.service RETURNING service, former`

/** Binds the accounts of records from another ledger that have no service here. */
export function addAccounts(tx: Tx, scopes: readonly LedgerScope[]): void {
  const services = new Map(scopes.filter(isBinding).map(({ account, baseUrl }) => [account, baseUrl]))
  for (const [account, baseUrl] of services)
    tx.run(
      "INSERT INTO certify_accounts (account, service, former) VALUES (?, ?, '[]') ON CONFLICT DO NOTHING",
      columnText(account),
      baseUrl,
    )
}

/** Moves an account to another base URL. Resolves with `false` if it has no service. */
export async function moveAccount(tx: Tx, account: string, baseUrl: string): Promise<boolean> {
  const key = columnText(account)
  const [, now, known] = await Promise.all([tx.lock(`account ${key}`), tx.now(), serviceOf(tx, account)])
  if (known === undefined || known.baseUrl === baseUrl) return known !== undefined
  const former = [...known.former, { baseUrl: known.baseUrl, until: new Date(now).toISOString() }]
  tx.run(
    'UPDATE certify_accounts SET service = ?, former = ? WHERE account = ?',
    baseUrl,
    JSON.stringify(former.filter((each) => each.baseUrl !== baseUrl)),
    key,
  )
  return true
}

/** The base URL of each account. */
export async function servicesByAccount(tx: Tx): Promise<Readonly<Record<string, string>>> {
  const rows = await tx.all('SELECT account, service FROM certify_accounts ORDER BY account')
  return Object.fromEntries(rows.map(({ account, service }) => [String(account), String(service)]))
}
