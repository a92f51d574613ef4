import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, addListFlags, LEDGER_ONLY_NOTE, LISTED_SCOPE_NOTE, UNENCRYPTED } from '../ledger/flags.ts'
import { INVITE_ROW_FIELDS, INVITE_ROW_NOTE, inviteTable, resultTable, sendTable } from '../ledger/invite-row.ts'
import { addFilterFlags, type FilterFlags, readFilter, STATES_NOTE } from '../ledger/list-filter.ts'
import { type ListFlags, listInvites } from '../ledger/list-invites.ts'

export const define: DefineCommand = (command, context) => {
  addManual(addListFlags(addLedgerFlags(addFilterFlags(command))), context, {
    notes: [
      LEDGER_ONLY_NOTE,
      `Newest first. ${STATES_NOTE}`,
      'A retake or a level-up that a candidate claimed is a row of its own.',
      LISTED_SCOPE_NOTE,
      UNENCRYPTED,
    ],
    output: `one row an invite: ${INVITE_ROW_NOTE}. A send without a known invite is a row too.`,
    json: 'the list of them, with everything that is recorded.',
    fields: INVITE_ROW_FIELDS,
    ids: 'the id of each invite; the reference if none is known',
    examples: [
      'certify invites list --since 7d',
      'certify invites list --state unknown',
      'certify invites list --state passed --since 4w',
      "certify invites list --email ada@example.com --jq '.[].expiresAt'",
    ],
  }).action(async (flags: FilterFlags & ListFlags) => {
    const { filter, includes, isByResult, state } = readFilter(flags, context.io.now())
    await listInvites(context, flags, {
      entries: (ledger, scope) => ledger.list({ ...scope, ...filter }),
      includes,
      table: isByResult ? resultTable : state === undefined || state === 'created' ? inviteTable : sendTable,
      none: 'No invites found.',
    })
  })
}
