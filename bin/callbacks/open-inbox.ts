import type { Ledger, OpenInbox } from '../../src/ledger/index.ts'
import type { LedgerFlags, LedgerPlace } from '../config/ledger.ts'
import { postgresOptions } from '../config/ledger-url.ts'
import type { Context } from '../context.ts'
import { useLedger } from '../ledger/open-ledger.ts'

/**
 * Opens the inbox in the file of an existing ledger while `use` runs.
 *
 * @throws CliError NOT_FOUND if there is no such file, CertifyError LEDGER_UNUSABLE
 */
export async function useInbox(
  context: Pick<Context, 'io' | 'program'>,
  flags: LedgerFlags,
  use: (inbox: OpenInbox, place: LedgerPlace, ledger: Ledger) => Promise<void>,
): Promise<void> {
  await useLedger(context, flags, async (ledger, place) => {
    const inbox = await openInboxOf(place, ledger)
    try {
      await use(inbox, place, ledger)
    } finally {
      await inbox.close()
    }
  })
}

/** Opens the inbox beside the entries of a ledger. @throws CertifyError LEDGER_UNUSABLE */
export async function openInboxOf(place: LedgerPlace, { clock }: Ledger): Promise<OpenInbox> {
  if (place.databaseUrl !== undefined) {
    const { openPostgresInbox } = await import('../../src/ledger/postgres/index.ts')
    return openPostgresInbox({ ...postgresOptions(place.databaseUrl), migrate: false })
  }
  const { openInbox } = await import('../../src/ledger/index.ts')
  return openInbox({ path: place.path.value, clock })
}
