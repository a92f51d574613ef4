import type { LedgerCheck, LedgerScope } from '../../src/ledger/index.ts'
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
      'Services and accounts that look alike are listed, and are no problem: one host under two schemes, ports or spellings ' +
        'of this machine, or two spellings of a path or an account. Invites of one are not known under the other.',
      'If the last sends are missing in the file, no command opens the ledger: their candidates would be invited again. ' +
        'Put back what was removed. Only if it is lost for good, --accept-loss lets every command open the ledger again; ' +
        'missing candidates may then be invited twice.',
      'The ledger remembers the latest time that it has seen, and no create is sent more than five minutes before it. If ' +
        'that time came from a clock that was wrong, --accept-clock makes the present time count instead.',
      POSTGRES_NOTE,
      UNENCRYPTED,
    ],
    output:
      'one row each: path, driver, schema version, the number of sends in each state, the problems, the groups of ' +
      'services and accounts that look alike.',
    json: '{"path","driver","schemaVersion","entries","problems","lookAlikes":[[{"baseUrl","account","world"}]]}.',
    fields: ['path', 'driver', 'schemaVersion', 'entries', 'problems', 'lookAlikes'],
    examples: ['certify ledger check', "certify ledger check --jq '.entries.unknown'"],
  })
    .option('--accept-loss', 'open it although its last sends are missing')
    .option('--accept-clock', 'make the present time the latest that the ledger has seen')
    .action(async ({ acceptLoss, acceptClock, ...flags }: Flags) => {
      const { output, preferences } = context
      if ((acceptLoss === true || acceptClock === true) && preferences.dryRun.value) {
        throw noDryRun(preferences.dryRun.origin, 'ledger check with such a flag')
      }
      await useLedger(
        context,
        flags,
        async (ledger, place) => {
          const check = await ledger.check()
          const rows = fieldsOf(place.path.value, check)
          const value = { path: place.path.value, ...check }
          await output.data({ value, columns: namedValues('FACT'), rows, draw: (terminal) => terminal.fields(rows) })
          if (check.lookAlikes.length > 0) await output.remark(SEPARATE)
          const { length: count } = check.problems
          if (count === 0) return
          throw new CliError(
            `the ledger is damaged: ${count} ${count === 1 ? 'problem' : 'problems'}.`,
            'Restore a copy of the file, and send nothing with this one before that.',
            { code: 'LEDGER_UNUSABLE' },
          )
        },
        { acceptLoss, acceptClock },
      )
    })
}

interface Flags extends LedgerFlags {
  readonly acceptLoss?: boolean
  readonly acceptClock?: boolean
}

function fieldsOf(path: string, { driver, schemaVersion, entries, problems, lookAlikes }: LedgerCheck): Fields {
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

const SEPARATE =
  '\nWhat looks alike is still separate: invites of one are not known under the other. If they are the same, use one ' +
  'spelling from now on.'
