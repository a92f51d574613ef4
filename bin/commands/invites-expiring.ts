import { readSpan } from '../config/duration.ts'
import { addManual } from '../help/manual.ts'
import { type ListFlags, listRecorded } from '../ledger/listing.ts'
import { drawnColumns, RECORDED_FIELDS, RECORDED_ROW } from '../ledger/recorded.ts'
import type { DefineCommand } from '../context.ts'
import { once } from '../flags.ts'
import { addLedgerFlags, addListFlags, UNENCRYPTED, LISTED, OF_THE_RECORD } from '../ledger/flags.ts'

interface Flags extends ListFlags {
  readonly within: string
}

export const define: DefineCommand = (command, context) => {
  command.option('--within <span>', 'how soon: 12h, 3d or 1w; default: 3d', once)
  addManual(addListFlags(addLedgerFlags(command)), context, {
    notes: [
      OF_THE_RECORD,
      'Those that are open and expire soon, the first to expire first. Whether a link was used already, the ledger cannot know.',
      LISTED,
      UNENCRYPTED,
    ],
    output: `one row an invite: ${RECORDED_ROW}.`,
    json: 'the list of them, with what else is recorded.',
    fields: RECORDED_FIELDS,
    ids: 'the ids of the invites',
    examples: ['certify invites expiring --within 3d', 'certify invites expiring --within 1w --json'],
  }).action(async ({ within = '3d', ...flags }: Partial<Flags>) => {
    const withinMs = readSpan('--within', within)
    await listRecorded(context, flags, {
      entries: (ledger, scope) => ledger.expiring(withinMs, scope),
      drawn: drawnColumns,
      nothing: `No invites that expire within ${within}.`,
    })
  })
}
