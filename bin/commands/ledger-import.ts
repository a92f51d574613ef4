import { Option } from 'commander'
import { addFileOptions } from '../bulk/file-options.ts'
import { addLedgerOptions } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { filled } from '../flags.ts'
import { addManual } from '../help.ts'
import { columns, importFile, type ImportOptions } from '../bulk/import.ts'

export const define: DefineCommand = (command, context) => {
  addFileOptions(command, 'import')
    .option('--from <text>', 'where they are known from, for the history; default: the name of the file', filled)
    .option('--skip-invalid', 'leave out invalid rows, and record the others')
    .addOption(new Option('--date-order <first>', 'what comes first in dates as 03/04/2026').choices(['day', 'month']))
  addManual(addLedgerOptions(command), {
    about:
      'Columns: email, quiz_id or package_id, and if known invite_id, created_at, expires_at, reference, link. It shows a plan, and ' +
      'asks. Nothing is sent: afterwards certify bulk invites none of these people again.',
    output:
      'one row for each row of the file. A terminal shows counts. With --json one line for each row, then one with "type":"summary".',
    columns,
    ids: 'the references of the imported invites',
    dryRun: 'end with the plan; change nothing',
    advancedOptions: '--ledger --only --skip --sheet --header-row --hidden --encoding --date-order --account',
    examples: ['certify ledger import invited.xlsx --dry-run', 'certify ledger import invited.xlsx --yes'],
    guide: 'ledger.md',
  }).action(async (file: string, options: ImportOptions) => {
    await importFile(context, file, options)
  })
}
