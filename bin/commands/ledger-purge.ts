import type { Purge, Purged } from '../../src/ledger/index.ts'
import { CliError } from '../cli-error.ts'
import { readSpan } from '../config/duration.ts'
import type { LedgerFlags } from '../config/ledger.ts'
import type { DefineCommand } from '../context.ts'
import { once } from '../flags.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, UNENCRYPTED } from '../ledger/flags.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import type { Column } from '../terminal/table.ts'

interface Flags extends LedgerFlags {
  readonly email?: string
  readonly olderThan?: string
}

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerFlags(command), context, {
    notes: [
      'Removes sends from the ledger for good, with names, addresses and links, of all services and accounts in the file. ' +
        'With --email everything of that candidate, who can be invited again then; with --older-than what was sent ' +
        'before and keeps nobody from being invited twice any more: open and unknown ones stay. What is on its way ' +
        'always stays. The service keeps what it has.',
      'It asks first; without a terminal, and with --no-input, it needs --yes.',
      UNENCRYPTED,
    ],
    output: 'how many sends were removed, and how many of those chosen were kept.',
    json: '{"removed","kept"}.',
    fields: ['removed', 'kept'],
    examples: ['certify ledger purge --email ada@example.com', 'certify ledger purge --older-than 90d --yes'],
  })
    .option('--email <address>', 'everything of this candidate', once)
    .option('--older-than <span>', 'what was sent before: 90d, 26w', once)
    .action(async ({ email, olderThan, ...flags }: Flags) => {
      const { output, preferences, prompts } = context
      const what = purgeOf(email, olderThan)
      await useLedger(context, flags, async (ledger) => {
        if (!preferences.yes.value) await prompts.confirm(questionOf(what), 'Give --yes.')
        const purged = await ledger.purge(what)
        await output.data({ value: purged, columns, rows: [purged], ids: [] })
      })
    })
}

const columns: readonly Column<Purged>[] = [
  { title: 'REMOVED', value: ({ removed }) => String(removed) },
  { title: 'KEPT', value: ({ kept }) => String(kept) },
]

function purgeOf(email: string | undefined, olderThan: string | undefined): Purge {
  if (email !== undefined && email.trim() !== '' && olderThan === undefined) return { email }
  if (email === undefined && olderThan !== undefined) return { olderThanMs: readSpan('--older-than', olderThan) }
  throw new CliError(
    email?.trim() === '' ? '--email must not be blank.' : 'it takes either --email or --older-than.',
    'Nothing was removed. See certify ledger purge --help.',
  )
}

/* Without the address: where nobody can be asked, the question becomes an error. */
function questionOf({ email }: Purge): string {
  return email === undefined
    ? 'Remove what is that old and over from the ledger for good?'
    : 'Remove everything of this candidate from the ledger for good? They can be invited again then.'
}
