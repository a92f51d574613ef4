import { readSpan } from '../config/duration.ts'
import type { DefineCommand } from '../context.ts'
import { once } from '../flags.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, addListFlags, LEDGER_ONLY_NOTE, LISTED_SCOPE_NOTE, UNENCRYPTED } from '../ledger/flags.ts'
import { INVITE_ROW_FIELDS, INVITE_ROW_NOTE, inviteTable } from '../ledger/invite-row.ts'
import { type ListFlags, listInvites } from '../ledger/list-invites.ts'

interface Flags extends ListFlags {
  readonly within: string
}

export const define: DefineCommand = (command, context) => {
  command.option('--within <span>', 'the time until expiry: 12h, 3d or 1w; default: 3d', once)
  addManual(addListFlags(addLedgerFlags(command)), context, {
    notes: [
      LEDGER_ONLY_NOTE,
      'Open invites that expire soon, the next to expire first. The ledger knows whether a link was used only if an ' +
        'event has said so: invites with a result are left out.',
      LISTED_SCOPE_NOTE,
      UNENCRYPTED,
    ],
    output: `one row an invite: ${INVITE_ROW_NOTE}.`,
    json: 'the list of them, with everything that is recorded.',
    fields: INVITE_ROW_FIELDS,
    ids: 'the ids of the invites',
    examples: ['certify invites expiring --within 3d', 'certify invites expiring --within 1w --json'],
  }).action(async ({ within = '3d', ...flags }: Partial<Flags>) => {
    const withinMs = readSpan('--within', within)
    await listInvites(context, flags, {
      entries: (ledger, scope) => ledger.expiring(withinMs, scope),
      /* No event says when a follow-up expires. */
      includes: ({ result, expiresAt, verified }) => result === null && (expiresAt !== null || verified === null),
      table: inviteTable,
      none: `No invites that expire within ${within}.`,
    })
  })
}
