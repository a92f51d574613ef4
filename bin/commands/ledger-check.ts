import type { LedgerCheck, LedgerScope } from '../../src/ledger/index.ts'
import { CliError } from '../cli-error.ts'
import type { LedgerFlags } from '../config/ledger.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, UNENCRYPTED } from '../ledger/flags.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import type { Column } from '../terminal/table.ts'

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerFlags(command), context, {
    notes: [
      'Reads the whole file, says what is wrong with it, and counts the sends in each state.',
      'Services and accounts that look alike are named, and are no problem: one host under two schemes, ports or spellings ' +
        'of this machine, or a path or an account in two ways of writing. Who was invited under one is not known under the ' +
        'other.',
      'Where the record of the last sends is missing, no command opens the ledger, because whoever is in that part would be ' +
        'invited again. Put back what was removed. Only where it is lost for good, --accept-loss takes what is there for all ' +
        'that there is: then every command opens it again, and who is missing may be invited twice.',
      UNENCRYPTED,
    ],
    output:
      'one row a fact: path, driver, schema version, how many sends are in each state, each problem, each group of ' +
      'services and accounts that look alike.',
    json: '{"path","driver","schemaVersion","entries","problems","lookAlikes":[[{"baseUrl","account","world"}]]}.',
    fields: ['path', 'driver', 'schemaVersion', 'entries', 'problems', 'lookAlikes'],
    examples: ['certify ledger check', "certify ledger check --json | jq '.entries.unknown'"],
  })
    .option('--accept-loss', 'open it although the record of its last sends is missing')
    .action(async ({ acceptLoss, ...flags }: Flags) => {
      const { output } = context
      await useLedger(
        context,
        flags,
        async (ledger, place) => {
          const check = await ledger.check()
          const value = { path: place.path.value, ...check }
          const rows = factsOf(place.path.value, check)
          await output.data({ value, columns, rows, ids: [], draw: (terminal) => terminal.fields(rows) })
          if (check.lookAlikes.length > 0) await output.remark(APART)
          if (check.problems.length > 0) throw damaged(check.problems.length)
        },
        acceptLoss,
      )
    })
}

interface Flags extends LedgerFlags {
  readonly acceptLoss?: boolean
}

type Fact = readonly [name: string, value: string]

const columns: readonly Column<Fact>[] = [
  { title: 'FACT', value: ([name]) => name },
  { title: 'VALUE', value: ([, value]) => value },
]

function factsOf(path: string, { driver, schemaVersion, entries, problems, lookAlikes }: LedgerCheck): readonly Fact[] {
  return [
    ['path', path],
    ['driver', driver],
    ['schema version', String(schemaVersion)],
    ...Object.entries(entries).map(([state, count]) => [state, String(count)] as const),
    ...(problems.length === 0 ? [['problems', 'none'] as const] : problems.map((each) => ['problem', each] as const)),
    ...lookAlikes.map((group) => ['look alike', group.map(scopeText).join(' and ')] as const),
  ]
}

function scopeText({ baseUrl, account }: LedgerScope): string {
  return `${baseUrl} (account ${account})`
}

const APART =
  '\nWhat looks alike is kept apart: who was invited under one is not known under the other. Where one was meant, use one ' +
  'spelling from now on.'

function damaged(count: number): CliError {
  return new CliError(
    `the ledger is damaged: ${count} ${count === 1 ? 'problem' : 'problems'}.`,
    'Restore a copy of the file, and send nothing with this one before that.',
    { code: 'LEDGER_UNUSABLE' },
  )
}
