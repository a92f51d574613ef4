import { addLedgerOptions } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { once } from '../flags.ts'
import { addManual } from '../help.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import { formatNumber } from '../terminal/text.ts'
import { fieldColumns } from '../terminal/table.ts'

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerOptions(command).argument('<file>', 'the new file', once), {
    about:
      'Creates go on meanwhile. Copying the file by other means may catch it in the middle of a change. A backup can be read ' +
      'anywhere; later records are missing, so the first create from it needs certify ledger check --accept-loss.',
    output: 'one row.',
    columns,
    advancedOptions: '--account',
    examples: ['certify ledger backup invites-backup.ledger'],
    guide: 'ledger.md',
  }).action(async (file: string) => {
    await useLedger(context, async (ledger) => {
      const { records } = await ledger.backup(file)
      const row = { file, records: formatNumber(records) }
      await context.output.data({
        value: { file, records },
        columns,
        rows: [row],
        draw: (terminal) => terminal.fields(Object.entries(row)),
      })
    })
  })
}

const columns = fieldColumns<{ readonly file: string; readonly records: string }>(['file', 'records'], {
  RECORDS: 'number of its records',
})
