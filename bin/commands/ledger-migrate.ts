import type { PostgresMigration } from '../../src/ledger/postgres/index.ts'
import type { LedgerFlags } from '../config/ledger.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { databaseOf } from '../ledger/database.ts'
import { addLedgerFlags, POSTGRES_NOTE } from '../ledger/flags.ts'

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerFlags(command), context, {
    notes: [
      'Creates the tables of a ledger in Postgres, or adds what this version needs. It needs a user who may create tables. The ' +
        'others then need none of that right: see docs/postgres.md.',
      'It may run while earlier versions send, and repeating it changes nothing. --dry-run prints the SQL instead.',
      POSTGRES_NOTE,
    ],
    output: 'the URL without user and password, and the number of steps; with --dry-run, the SQL.',
    json: '{"path","statements"}.',
    writes: true,
    words: { dryRun: 'print the SQL, and change nothing' },
    refusesJq: true,
    examples: [
      'certify ledger migrate --ledger postgres://owner@db.internal/hiring',
      'certify ledger migrate --ledger postgres://owner@db.internal/hiring \\\n--dry-run > migration.sql',
    ],
  }).action(async (flags: LedgerFlags) => {
    const { output, preferences } = context
    const dryRun = preferences.dryRun.value
    const { migratePostgresLedger } = await import('../../src/ledger/postgres/index.ts')
    const migration = await migratePostgresLedger({ ...databaseOf(context, '--ledger', flags.ledger), dryRun })
    if (dryRun && !preferences.json.value) await output.text(scriptOf(migration))
    else await output.data({ value: migration, columns: COLUMNS, rows: [migration] })
    if (migration.statements.length === 0) await output.remark('The tables are new enough: there is nothing to do.')
  })
}

const COLUMNS = [
  { title: 'PATH', value: ({ path }: PostgresMigration) => path },
  { title: 'STEPS', value: ({ statements }: PostgresMigration) => String(statements.length) },
]

function scriptOf({ statements }: PostgresMigration): string {
  return statements.map((statement) => `${statement.trim()};\n`).join('\n')
}
