import type { LedgerEntry, LedgerFilter } from '../../src/ledger/index.ts'
import { CliError } from '../cli-error.ts'
import { LEDGER_VARIABLES, type LedgerPlace } from '../config/ledger.ts'
import type { Context } from '../context.ts'
import type { OpenLedger } from './open-ledger.ts'

/**
 * Looks for invites that a program has recorded for another account than the default one. They would not be known here, and
 * be sent again. If this account has entries too, it warns.
 *
 * @throws CliError if nobody has chosen the account, and the ledger knows the service only under another one
 */
export async function checkAccount(
  { connection, output }: Context,
  { account }: LedgerPlace,
  { ledger, world }: OpenLedger,
): Promise<void> {
  const { value: baseUrl } = connection().baseUrl
  if (account.origin !== 'default' || baseUrl === undefined) return
  const latest = async (filter: LedgerFilter): Promise<LedgerEntry | undefined> => {
    for await (const entry of ledger.list({ baseUrl, world, ...filter })) return entry
    return undefined
  }
  const other = (await latest({}))?.account ?? account.value
  if (other === account.value) return
  const separate = `Invites of one account are not known to another.`
  if ((await latest({ account: account.value })) !== undefined) {
    await output.warn(
      `the ledger also has invites of this service for the account “${other}”. ${separate} If it is the same account, ` +
        `give --account or set ${LEDGER_VARIABLES.account}.`,
    )
    return
  }
  throw new CliError(
    `the ledger has invites of this service for the account “${other}”, and no account was given. Nothing was sent.`,
    `${separate} Give --account, or set ${LEDGER_VARIABLES.account}: to “${other}” if it is the same, or else to ` +
      `${account.value}.`,
  )
}
