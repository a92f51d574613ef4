import type { LedgerFilter } from '../../src/ledger/index.ts'
import { CliError } from '../cli-error.ts'
import { LEDGER_VARIABLES, type LedgerPlace } from '../config/ledger.ts'
import type { Context } from '../context.ts'
import type { OpenLedger } from './open-ledger.ts'

/**
 * Looks for invites that a program has recorded for another account than the default one. They do not count here, and might
 * be sent again. Resolves with a warning if both accounts have invites of this service.
 *
 * @param emails who will be invited; empty if there are too many to look for each
 * @throws CliError if nobody has chosen the account, and one of them is recorded for another one, or all invites are
 */
export async function checkAccount(
  { connection }: Pick<Context, 'connection'>,
  { account }: LedgerPlace,
  { ledger, world }: OpenLedger,
  emails: readonly string[],
): Promise<string | undefined> {
  const { value: baseUrl } = connection().baseUrl
  if (account.origin !== 'default' || baseUrl === undefined) return undefined
  const otherIn = async (filter: LedgerFilter, most: number): Promise<string | undefined> => {
    let count = 0
    for await (const entry of ledger.list({ baseUrl, world, ...filter })) {
      if (entry.account !== account.value) return entry.account
      count += 1
      if (count === most) break
    }
    return undefined
  }
  for (const email of emails) {
    const other = await otherIn({ email }, MOST_ENTRIES)
    if (other !== undefined) throw accountMissing('this candidate', other, account.value)
  }
  const other = await otherIn({}, emails.length === 0 ? MOST_ENTRIES : 1)
  if (other === undefined) return undefined
  const own = await ledger.list({ baseUrl, world, account: account.value })[Symbol.asyncIterator]().next()
  if (own.done !== true) return warningOf(other)
  throw accountMissing('this service', other, account.value)
}

/* The newest: a list of all may be long. */
const MOST_ENTRIES = 1_000
const SEPARATE = 'Invites of one account do not count for another.'

function warningOf(other: string): string {
  return (
    `the ledger also has invites of this service for the account “${other}”. ${SEPARATE} If it is the same account, give ` +
    `--account or set ${LEDGER_VARIABLES.account}.`
  )
}

function accountMissing(what: string, other: string, own: string): CliError {
  return new CliError(
    `the ledger has invites of ${what} for the account “${other}”, and no account was given. Nothing was sent.`,
    `${SEPARATE} Give --account, or set ${LEDGER_VARIABLES.account}: to “${other}” if it is the same, or else to ${own}.`,
  )
}
