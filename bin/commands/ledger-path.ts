import { existsSync } from 'node:fs'
import { type LedgerFlags, readLedgerPlace } from '../config/ledger.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, UNENCRYPTED } from '../ledger/flags.ts'

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerFlags(command), context, {
    notes: [
      'The ledger of bulk and of the commands on recorded invites; single creates use it only if it is turned on. Its ' +
        'path comes from --ledger, CERTIFY_LEDGER, the profile, or the default place in XDG_STATE_HOME, ~/.local/state or LOCALAPPDATA.',
      UNENCRYPTED,
    ],
    output: 'the path.',
    fields: ['path', 'origin', 'exists'],
    ids: 'the path',
    examples: ['certify ledger path', 'certify ledger path --json'],
  }).action(async (flags: LedgerFlags) => {
    const { io, output, program } = context
    const { value: path, origin } = readLedgerPlace(io, program.root.opts(), flags).path
    const exists = existsSync(path)
    const columns = [{ title: 'PATH', value: () => path }]
    await output.data({ value: { path, origin, exists }, columns, rows: [path], ids: [path], draw: () => `${path}\n` })
    if (!exists) await output.remark('There is no ledger yet.')
  })
}
