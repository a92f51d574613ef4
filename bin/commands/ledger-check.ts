import type { LedgerCheck } from '../../src/ledger/index.ts'
import { CliError } from '../cli-error.ts'
import { addLedgerOptions } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import type { Fields } from '../terminal/output.ts'
import { namedValues } from '../terminal/table.ts'

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerOptions(command), {
    about:
      'If the file was lost, or an older copy was put in its place, no command opens it: restore the newest copy. Use ' +
      '--accept-loss only if that is lost for good; candidates who are missing may then be invited twice.',
    output: 'one row per fact, account, state of records and problem.',
    columns,
    advancedOptions: '--account',
    examples: ['certify ledger check', "certify ledger check --json | jq '.records.unknown'"],
    guide: 'ledger.md',
  })
    .option('--accept-loss', 'open it even if its last records are missing')
    .action(async ({ acceptLoss }: { readonly acceptLoss?: boolean }) => {
      const { output } = context
      await useLedger(
        context,
        async (ledger, place) => {
          const check = await ledger.check()
          const rows = fieldsOf(place.path.value, check)
          const value = { path: place.path.value, ...check }
          await output.data({ value, columns, rows, draw: (terminal) => terminal.fields(rows) })
          const { length: count } = check.problems
          if (count === 0) return
          throw new CliError(
            `the ledger is damaged: ${count} ${count === 1 ? 'problem' : 'problems'}.`,
            'Restore a copy of the file, and send nothing with this one until then.',
            { code: 'LEDGER_UNUSABLE' },
          )
        },
        { acceptLoss },
      )
    })
}

const columns = namedValues('FACT')

function fieldsOf(path: string, { driver, schemaVersion, accounts, records, problems }: LedgerCheck): Fields {
  return [
    ['path', path],
    ['driver', driver],
    ['schema version', String(schemaVersion)],
    ...Object.entries(accounts).map(([account, service]) => ['account', `${account}, of ${service}`] as const),
    ...Object.entries(records).map(([state, count]) => [state, String(count)] as const),
    ...(problems.length === 0 ? [['problems', 'none'] as const] : problems.map((each) => ['problem', each] as const)),
  ]
}
