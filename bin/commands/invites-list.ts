import type { LedgerFilter } from '../../src/ledger/index.ts'
import { readMoment } from '../config/duration.ts'
import { oneOf } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { once } from '../flags.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, addListFlags, LEDGER_ONLY_NOTE, LISTED_SCOPE_NOTE, UNENCRYPTED } from '../ledger/flags.ts'
import { INVITE_ROW_FIELDS, INVITE_ROW_NOTE, inviteTable, LEDGER_STATES, sendTable } from '../ledger/invite-row.ts'
import { type ListFlags, listInvites } from '../ledger/list-invites.ts'

interface Flags extends ListFlags, Pick<LedgerFilter, 'email' | 'quizId' | 'packageId' | 'campaign'> {
  readonly state?: string
  readonly since?: string
}

export const define: DefineCommand = (command, context) => {
  command
    .option('--email <address>', 'for this candidate', once)
    .option('--quiz-id <quiz-id>', 'for this quiz, also as part of a package', once)
    .option('--package-id <package-id>', 'for this package', once)
    .option('--state <state>', `in this state: ${LEDGER_STATES.join(', ')}`, once)
    .option('--since <when>', 'sent since: 7d, 2030-01-31 (UTC) or 2030-01-31T09:00:00Z', once)
    .option('--campaign <name>', 'of this campaign', once)
  addManual(addListFlags(addLedgerFlags(command)), context, {
    notes: [
      LEDGER_ONLY_NOTE,
      'Newest first. The states: sending (in progress), created, refused (by the service), not-executed (it never reached ' +
        'the service) and unknown (it may have been created: certify invites resolve records what became of it). An expired invite ' +
        'is still listed as created.',
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
      "certify invites list --email ada@example.com --json | jq -r '.[].expiresAt'",
    ],
  }).action(async ({ email, quizId, packageId, campaign, state, since, ...flags }: Flags) => {
    const filter: LedgerFilter = {
      email,
      quizId,
      packageId,
      campaign,
      state: state === undefined ? undefined : oneOf('--state', state, LEDGER_STATES),
      since: since === undefined ? undefined : readMoment('--since', since, context.io.now()),
    }
    await listInvites(context, flags, {
      entries: (ledger, scope) => ledger.list({ ...scope, ...filter }),
      includes: (row) => quizId === undefined || row.quizId === null || row.quizId.trim() === quizId.trim(),
      table: state === undefined || state === 'created' ? inviteTable : sendTable,
      none: 'No invites found.',
    })
  })
}
