import type { Ledger } from '../../src/ledger/index.ts'
import type { PostgresLedger } from '../../src/ledger/postgres/index.ts'
import { CliError } from '../cli-error.ts'
import { type LedgerFlags, type LedgerPlace, readLedgerPlace } from '../config/ledger.ts'
import type { Context } from '../context.ts'
import { useLedger } from '../ledger/open-ledger.ts'

/** @throws CliError if the ledger is a file */
export function needDatabase({ path, databaseUrl }: LedgerPlace): void {
  if (databaseUrl !== undefined) return
  throw new CliError(
    `an outbox needs a ledger in Postgres, and this one is a file (${path.origin}).`,
    'Give --ledger postgres://<user>@<host>/<database>, or set CERTIFY_LEDGER. See docs/outbox.md.',
    { code: 'LEDGER_UNUSABLE' },
  )
}

/** The outbox of a ledger for which {@link needDatabase} has not thrown. */
export function withOutbox(ledger: Ledger): PostgresLedger {
  return ledger as PostgresLedger
}

/** Opens the ledger while `use` runs. @throws CliError if it is a file */
export async function useOutbox(
  context: Pick<Context, 'io' | 'program'>,
  flags: LedgerFlags,
  use: (ledger: PostgresLedger) => Promise<void>,
): Promise<void> {
  needDatabase(readLedgerPlace(context.io, context.program.root.opts(), flags))
  await useLedger(context, flags, (ledger) => use(withOutbox(ledger)))
}
