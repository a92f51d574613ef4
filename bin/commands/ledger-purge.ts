import type { Purge, Purged } from '../../src/ledger/index.ts'
import { CliError } from '../cli-error.ts'
import { readSpan } from '../config/duration.ts'
import type { LedgerFlags } from '../config/ledger.ts'
import type { DefineCommand } from '../context.ts'
import { once } from '../flags.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, UNENCRYPTED } from '../ledger/flags.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import { fieldColumns } from '../terminal/table.ts'

interface Flags extends LedgerFlags {
  readonly email?: string
  readonly olderThan?: string
}

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerFlags(command), context, {
    notes: [
      'Removes sends from the ledger for good, with names, addresses and links, for all services and accounts in the ' +
        'file. --email removes everything of that candidate, who can then be invited again. --older-than removes older ' +
        'sends that no longer prevent a second invite: open and unknown ones stay. A send in progress always stays. ' +
        'Nothing changes at the service.',
      'It asks first; without a terminal, and with --no-input, it needs --yes.',
      UNENCRYPTED,
    ],
    output: 'how many sends were removed, and how many of those chosen were kept.',
    fields: ['removed', 'kept'],
    refusesJq: true,
    hasNoDryRun: true,
    examples: ['certify ledger purge --email ada@example.com', 'certify ledger purge --older-than 90d --yes'],
  })
    .option('--email <address>', 'everything of this candidate', once)
    .option('--older-than <span>', 'sends that are older: 90d, 26w', once)
    .action(async ({ email, olderThan, ...flags }: Flags) => {
      const { output, preferences, prompts } = context
      const purge = purgeOf(email, olderThan)
      await useLedger(context, flags, async (ledger) => {
        if (!preferences.yes.value) await prompts.confirm(questionOf(purge), 'Give --yes.')
        const purged = await ledger.purge(purge)
        await output.data({ value: purged, columns, rows: [purged] })
        if (purge.email !== undefined && purged.kept > 0) await output.warn(KEPT)
      })
    })
}

const columns = fieldColumns<Purged>({ REMOVED: 'removed', KEPT: 'kept' })

function purgeOf(email: string | undefined, olderThan: string | undefined): Purge {
  if (email !== undefined && email.trim() !== '' && olderThan === undefined) return { email }
  if (email === undefined && olderThan !== undefined) return { olderThanMs: readSpan('--older-than', olderThan) }
  throw new CliError(
    email?.trim() === '' ? '--email must not be blank.' : 'it takes either --email or --older-than.',
    'Nothing was removed. See certify ledger purge --help.',
  )
}

const KEPT =
  'not everything of this candidate was removed: a send in progress stays. Run the command again when it has ended.'

/* Without the address: it may become the message of an error. */
function questionOf({ email }: Purge): string {
  return email === undefined
    ? 'Remove all older sends from the ledger for good?'
    : 'Remove everything of this candidate from the ledger for good? They can be invited again then.'
}
