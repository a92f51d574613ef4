import type { Ledger, OpenInbox } from '../../src/ledger/index.ts'
import type { LedgerFlags, LedgerPlace } from '../config/ledger.ts'
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
    const { openInbox } = await import('../../src/ledger/index.ts')
    const inbox = await openInbox({ path: place.path.value, clock: ledger.clock })
    try {
      await use(inbox, place, ledger)
    } finally {
      await inbox.close()
    }
  })
}
