import { CliError } from '../cli-error.ts'
import { readLedgerPlace } from '../config/ledger.ts'
import { isUrl, postgresOptions, readLedgerUrl } from '../config/ledger-url.ts'
import type { Context } from '../context.ts'

/**
 * How to connect to the database that a flag names; without it, the one of CERTIFY_LEDGER or the profile.
 *
 * @throws CliError if it is no database
 */
export function databaseOf(
  { io, program }: Pick<Context, 'io' | 'program'>,
  flag: string,
  text: string | boolean | undefined,
): { readonly url: string; readonly schema?: string } {
  const url =
    typeof text === 'string'
      ? isUrl(text)
        ? readLedgerUrl(io, text, flag, false).url
        : undefined
      : readLedgerPlace(io, program.root.opts(), {}).databaseUrl
  if (url !== undefined) return postgresOptions(url)
  throw new CliError(
    'this command needs a ledger in Postgres.',
    `Give ${flag} postgres://<user>@<host>/<database>, or set CERTIFY_LEDGER to that.`,
  )
}
