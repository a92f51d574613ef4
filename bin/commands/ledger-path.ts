import { existsSync } from 'node:fs'
import { type LedgerFlags, readLedgerPlace } from '../config/ledger.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, UNENCRYPTED } from '../ledger/flags.ts'

interface Place {
  readonly path: string
  readonly origin: string
  readonly exists: boolean
}

export const define: DefineCommand = (command, context) => {
  addManual(addLedgerFlags(command), context, {
    notes: [
      'Where the ledger is that bulk and the commands on recorded invites use, and single creates where it is turned on: ' +
        '--ledger, CERTIFY_LEDGER, the profile, or the place for it in XDG_STATE_HOME, ~/.local/state or LOCALAPPDATA.',
      UNENCRYPTED,
    ],
    output: 'the path.',
    json: '{"path","origin","exists"}.',
    fields: ['path', 'origin', 'exists'],
    ids: 'the path',
    examples: ['certify ledger path', 'certify ledger path --json'],
  }).action(async (flags: LedgerFlags) => {
    const { io, output, program } = context
    const { value: path, origin } = readLedgerPlace(io, program.root.opts(), flags).path
    const place: Place = { path, origin, exists: existsSync(path) }
    const columns = [{ title: 'PATH', value: (each: Place) => each.path }]
    await output.data({ value: place, columns, rows: [place], ids: [path], draw: () => `${path}\n` })
    if (!place.exists) await output.remark('There is no ledger yet.')
  })
}
