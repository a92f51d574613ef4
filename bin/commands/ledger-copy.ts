import { existsSync } from 'node:fs'
import type { Ledger, LedgerCopy } from '../../src/ledger/index.ts'
import { CliError, notFoundError } from '../cli-error.ts'
import type { DefineCommand } from '../context.ts'
import { once } from '../flags.ts'
import { addManual, noDryRun } from '../help/manual.ts'
import { databaseOf } from '../ledger/database.ts'
import { POSTGRES_NOTE, UNENCRYPTED } from '../ledger/flags.ts'
import type { Fields } from '../terminal/output.ts'
import { namedValues } from '../terminal/table.ts'

interface Flags {
  readonly from?: string
  readonly to?: string
}

export const define: DefineCommand = (command, context) => {
  addManual(command, context, {
    notes: [
      'Copies every send of a ledger in a file into one in Postgres: references, times, invites, results.',
      'First end everything that sends, and use the file no more afterwards. It asks first; without a terminal, and with ' +
        '--no-input, it needs --yes.',
      'It may be repeated: what is there is not copied twice. A reference that is there with another content is a conflict. ' +
        'It is named, left as it is, and the command ends with 5. The inbox of callbacks is not copied.',
      POSTGRES_NOTE,
      UNENCRYPTED,
    ],
    output: 'one row each: the sends that were read, copied and present, those in each state, and the conflicts.',
    json: '{"read","copied","present","conflicts":[…],"entries"}.',
    refusesJq: true,
    examples: ['certify ledger copy --from invites.ledger \\\n--to postgres://certify@db.internal/hiring'],
  })
    .option('--from <path>', 'the file of the ledger', once)
    .option('--to <url>', 'postgres://…, without a password; default: CERTIFY_LEDGER', once)
    .action(async ({ from, to }: Flags) => {
      const { output, preferences, prompts } = context
      if (from === undefined || from.trim() === '') throw new CliError('--from is missing.', 'Give the file to copy.')
      if (!existsSync(from)) throw notFoundError(`there is no ledger at ${from}.`, 'Nothing was copied.')
      const database = databaseOf(context, '--to', to)
      if (preferences.dryRun.value) throw noDryRun(preferences.dryRun.origin, 'ledger copy')
      if (!preferences.yes.value) {
        await prompts.confirm('Has everything ended that sends with this file? Copy it now?', 'Give --yes.')
      }
      const { copyLedger, openLedger } = await import('../../src/ledger/index.ts')
      const { openPostgresLedger } = await import('../../src/ledger/postgres.ts')
      const file = await openLedger(from)
      const closing: Ledger[] = [file]
      try {
        const ledger = await openPostgresLedger(database)
        closing.push(ledger)
        const copy = await copyLedger(file, ledger)
        const rows = fieldsOf(copy)
        await output.data({
          value: copy,
          columns: namedValues('FACT'),
          rows,
          draw: (terminal) => terminal.fields(rows),
        })
        if (copy.conflicts.length > 0) throw conflicting(copy)
      } finally {
        for (const each of closing) await each.close()
      }
    })
}

function fieldsOf({ read, copied, present, conflicts, entries }: LedgerCopy): Fields {
  return [
    ['read', String(read)],
    ['copied', String(copied)],
    ['present', String(present)],
    ...Object.entries(entries).map(([state, count]) => [state, String(count)] as const),
    ...conflicts.map((reference) => ['conflict', reference] as const),
  ]
}

function conflicting({ conflicts: { length } }: LedgerCopy): CliError {
  return new CliError(
    `${length} ${length === 1 ? 'send is' : 'sends are'} in the database with another content.`,
    'They were left as they are there. Compare both: certify invites list --ledger …',
    { code: 'LEDGER_UNUSABLE', exitCode: 5 },
  )
}
