import { addLedgerOptions } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { once } from '../flags.ts'
import { addManual } from '../help.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import { fieldColumns } from '../terminal/table.ts'

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerOptions(command).requiredOption('--to <url>', 'the new base URL of the service', once), {
    about:
      'An account belongs to the service of its first create, so that another name of a service invites nobody again. Use ' +
      'this if the service has moved. Another service needs another account, or another ledger.',
    output: 'one row.',
    columns,
    examples: ['certify ledger move --account default --to https://certify.example.com'],
    guide: 'ledger.md',
  }).action(async ({ to }: { readonly to: string }) => {
    await useLedger(context, async (ledger, place) => {
      const account = place.account.value
      await ledger.move({ account, to })
      const row = { account, service: (await ledger.check()).accounts[account.trim()] ?? to }
      await context.output.data({ value: row, columns, rows: [row] })
    })
  })
}

const columns = fieldColumns<{ readonly account: string; readonly service: string }>(['account', 'service'], {
  SERVICE: 'base URL of its service',
})
