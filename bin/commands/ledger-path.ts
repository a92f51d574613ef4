import { existsSync } from 'node:fs'
import { type LedgerFlags, readLedgerPlace } from '../config/ledger.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, POSTGRES_NOTE, UNENCRYPTED } from '../ledger/flags.ts'

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerFlags(command), context, {
    notes: [
      'The ledger of bulk and of the commands on recorded invites; single creates use it only if it is turned on. Its ' +
        'path comes from --ledger, CERTIFY_LEDGER, the profile, or the default place in XDG_STATE_HOME, ~/.local/state or LOCALAPPDATA.',
      'Of a ledger in a database it prints the URL without user and password, and does not connect: `exists` is null.',
      POSTGRES_NOTE,
      UNENCRYPTED,
    ],
    output: 'the path, or the URL of the database.',
    fields: ['path', 'origin', 'exists'],
    ids: 'the path',
    examples: ['certify ledger path', 'certify ledger path --json'],
  }).action(async (flags: LedgerFlags) => {
    const { io, output, program } = context
    const place = readLedgerPlace(io, program.root.opts(), flags)
    const { value: path, origin } = place.path
    /* A database is not connected to. */
    const exists = place.databaseUrl === undefined ? existsSync(path) : null
    const columns = [{ title: 'PATH', value: () => path }]
    await output.data({ value: { path, origin, exists }, columns, rows: [path], ids: [path], draw: () => `${path}\n` })
    if (exists === false) await output.remark('There is no ledger yet.')
  })
}
