import { existsSync } from 'node:fs'
import { Option } from 'commander'
import type { Ledger, LedgerCopy } from '../../src/ledger/index.ts'
import { isUrl } from '../../src/util/index.ts'
import { CliError, notFoundError } from '../cli-error.ts'
import { readLedgerUrl } from '../config/ledger-place.ts'
import { readOption } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { once } from '../flags.ts'
import { addManual } from '../help.ts'
import type { Fields } from '../terminal/output.ts'
import { namedValues } from '../terminal/table.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, {
    about:
      'First stop everything that creates invites, and do not use the file afterwards. The copy can be repeated. A reference ' +
      'with different content in the target is a conflict: it is named and left as it is, and the exit code is 5.',
    output: 'one row per count of records, and per conflict.',
    columns,
    examples: ['certify ledger copy --from invites.ledger --to postgres://db.internal/hiring'],
    guide: 'ledger.md',
  })
    .requiredOption('--from <path>', 'the file of the ledger', once)
    .addOption(new Option('--to <url>', 'postgres://…, without a password').env('CERTIFY_LEDGER').argParser(once))
    .action(async ({ from }: { readonly from: string }) => {
      const { output, preferences, prompts, program } = context
      const to = readOption(program.current, 'to')
      if (to === undefined || !isUrl(to.value)) {
        const hint = 'Give --to postgres://<user>@<host>/<database>, or set CERTIFY_LEDGER to that.'
        throw new CliError('the target must be a ledger in Postgres.', hint)
      }
      const { url } = readLedgerUrl(to.value, to.origin)
      if (isUrl(from)) throw new CliError('--from is a URL.', 'Give the path of the file.')
      if (!existsSync(from)) throw notFoundError(`there is no ledger at ${from}.`, 'Nothing was copied.')
      if (!preferences.yes) {
        await prompts.confirm('Everything that uses this file must be stopped. Copy it now?', 'Give --yes.')
      }
      const { copyLedger, openLedger } = await import('../../src/ledger/index.ts')
      const { openPostgresLedger } = await import('../../src/ledger/postgres.ts')
      const file = await openLedger(from)
      const closing: Ledger[] = [file]
      try {
        const ledger = await openPostgresLedger({ url })
        closing.push(ledger)
        const copy = await copyLedger(file, ledger)
        const rows = fieldsOf(copy)
        await output.data({ value: copy, columns, rows, draw: (terminal) => terminal.fields(rows) })
        if (copy.conflicts.length > 0) throw conflicting(copy)
      } finally {
        for (const each of closing) await each.close()
      }
    })
}

const columns = namedValues('FACT')

function fieldsOf({ read, copied, present, conflicts, records }: LedgerCopy): Fields {
  return [
    ['read', String(read)],
    ['copied', String(copied)],
    ['present', String(present)],
    ...Object.entries(records).map(([state, count]) => [state, String(count)] as const),
    ...conflicts.map((reference) => ['conflict', reference] as const),
  ]
}

function conflicting({ conflicts: { length } }: LedgerCopy): CliError {
  return new CliError(
    `${length} ${length === 1 ? 'record is' : 'records are'} in the database with different content.`,
    'They were left unchanged there. Compare both: certify invites list --ledger …',
    { code: 'LEDGER_UNUSABLE', exitCode: 5 },
  )
}
