import { Option } from 'commander'
import { CliError, notFoundError } from '../cli-error.ts'
import { filled, spanMs } from '../flags.ts'
import { addLedgerOptions } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import { formatNumber } from '../terminal/text.ts'
import { fieldColumns } from '../terminal/table.ts'

interface Flags {
  readonly email?: string
  readonly olderThan?: number
}

export const define: DefineCommand = (command, context) => {
  command
    .addOption(
      new Option('--email <address>', 'everything about this candidate').argParser(filled).conflicts('olderThan'),
    )
    .option('--older-than <span>', 'older records that no longer block a create: 90d, 26w', spanMs)
  addManual(addLedgerOptions(command), {
    about:
      'For all services and accounts in the ledger. A create in progress always stays; with --older-than, so does anything ' +
      'open or unknown. A candidate who is removed can be invited again. Nothing changes at the service.',
    output: 'how many records were removed, and how many of the chosen ones were kept.',
    columns,
    dryRun: 'say how many would be removed; change nothing',
    advancedOptions: '--account',
    examples: ['certify ledger purge --email ada@example.com --dry-run', 'certify ledger purge --older-than 90d --yes'],
    guide: 'production.md',
  }).action(async (flags: Flags) => {
    const { output, preferences, prompts } = context
    const { email, olderThan } = flags
    if (email === undefined && olderThan === undefined) {
      throw new CliError('--email or --older-than is missing. Nothing was removed.', 'See certify ledger purge --help.')
    }
    await useLedger(context, async (ledger) => {
      const what = email === undefined ? { olderThanMs: olderThan ?? 0 } : { email }
      const chosen = await ledger.purge({ ...what, dryRun: true })
      if (email !== undefined && chosen.removed + chosen.kept === 0) {
        throw notFoundError('the ledger has no such address. Nothing was removed.', 'Check its spelling, and --ledger.')
      }
      if (!preferences.dryRun && !preferences.yes)
        await prompts.confirm(questionOf(email, chosen.removed), 'Give --yes.')
      const purged = preferences.dryRun ? chosen : await ledger.purge(what)
      await output.data({ value: purged, columns, rows: [purged] })
      if (preferences.dryRun) await output.remark('Nothing was changed.')
      if (email !== undefined && purged.kept > 0) {
        await output.warn('a create in progress was kept. Run the command again when it has ended.')
      }
    })
  })
}

const columns = fieldColumns<{ readonly removed: number; readonly kept: number }>(['removed', 'kept'])

/* Without the address: it may become the message of an error. */
function questionOf(email: string | undefined, count: number): string {
  const records = `${formatNumber(count)} ${count === 1 ? 'record' : 'records'}`
  return email === undefined
    ? `Remove ${records} from the ledger for good?`
    : `Remove ${records} of this candidate from the ledger for good? They can then be invited again.`
}
