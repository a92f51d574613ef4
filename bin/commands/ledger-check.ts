import type { LedgerCheck } from '../../src/ledger/index.ts'
import { CliError } from '../cli-error.ts'
import type { LedgerFlags } from '../config/ledger.ts'
import type { DefineCommand } from '../context.ts'
import { addManual, noDryRun } from '../help/manual.ts'
import { addLedgerFlags, POSTGRES_NOTE, UNENCRYPTED } from '../ledger/flags.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import type { Fields } from '../terminal/output.ts'
import { namedValues } from '../terminal/table.ts'

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerFlags(command), context, {
    notes: [
      'Reads the whole file, reports its problems, and counts the sends in each state.',
      'If the ledger was removed, or an older copy was put in its place, no command opens it: the candidates that are missing ' +
        'would be invited again. Restore the newest copy. Only if it is lost for good, --accept-loss lets every command open ' +
        'the ledger again; missing candidates may then be invited twice.',
      POSTGRES_NOTE,
      UNENCRYPTED,
    ],
    output: 'one row each: path, driver, schema version, the number of sends in each state, the problems.',
    json: '{"path","driver","schemaVersion","entries","problems"}.',
    fields: ['path', 'driver', 'schemaVersion', 'entries', 'problems'],
    examples: ['certify ledger check', "certify ledger check --jq '.entries.unknown'"],
  })
    .option('--accept-loss', 'open it although its last sends are missing')
    .action(async ({ acceptLoss, ...flags }: Flags) => {
      const { output, preferences } = context
      if (acceptLoss === true && preferences.dryRun.value) {
        throw noDryRun(preferences.dryRun.origin, 'ledger check --accept-loss')
      }
      await useLedger(
        context,
        flags,
        async (ledger, place) => {
          const check = await ledger.check()
          const rows = fieldsOf(place.path.value, check)
          const value = { path: place.path.value, ...check }
          await output.data({ value, columns: namedValues('FACT'), rows, draw: (terminal) => terminal.fields(rows) })
          const { length: count } = check.problems
          if (count === 0) return
          throw new CliError(
            `the ledger is damaged: ${count} ${count === 1 ? 'problem' : 'problems'}.`,
            'Restore a copy of the file, and send nothing with this one before that.',
            { code: 'LEDGER_UNUSABLE' },
          )
        },
        { acceptLoss },
      )
    })
}

interface Flags extends LedgerFlags {
  readonly acceptLoss?: boolean
}

function fieldsOf(path: string, { driver, schemaVersion, entries, problems }: LedgerCheck): Fields {
  return [
    ['path', path],
    ['driver', driver],
    ['schema version', String(schemaVersion)],
    ...Object.entries(entries).map(([state, count]) => [state, String(count)] as const),
    ...(problems.length === 0 ? [['problems', 'none'] as const] : problems.map((each) => ['problem', each] as const)),
  ]
}
