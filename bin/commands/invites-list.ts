import type { LedgerFilter } from '../../src/ledger/index.ts'
import { readMoment } from '../config/duration.ts'
import { oneOf } from '../config/settings.ts'
import { addManual } from '../help/manual.ts'
import { type ListFlags, listRecorded } from '../ledger/listing.ts'
import { drawnColumns, drawnSends, LEDGER_STATES, RECORDED_FIELDS, RECORDED_ROW } from '../ledger/recorded.ts'
import type { DefineCommand } from '../context.ts'
import { once } from '../flags.ts'
import { addLedgerFlags, addListFlags, UNENCRYPTED, LISTED, OF_THE_RECORD } from '../ledger/flags.ts'

interface Flags extends ListFlags, Pick<LedgerFilter, 'email' | 'quizId' | 'packageId' | 'campaign'> {
  readonly state?: string
  readonly since?: string
}

export const define: DefineCommand = (command, context) => {
  command
    .option('--email <address>', 'of this candidate', once)
    .option('--quiz-id <quiz-id>', 'of this quiz, also as part of a package', once)
    .option('--package-id <package-id>', 'of this package', once)
    .option('--state <state>', `in this state: ${LEDGER_STATES.join(', ')}`, once)
    .option('--since <when>', 'sent since then: 7d, 2030-01-31 (UTC) or 2030-01-31T09:00:00Z', once)
    .option('--campaign <name>', 'of this campaign', once)
  addManual(addListFlags(addLedgerFlags(command)), context, {
    notes: [
      OF_THE_RECORD,
      'Newest first. The states: sending (on its way), created, refused (the service said no), not-executed (it never got ' +
        'there) and unknown (it may have been created: certify invites resolve records what became of it). An invite whose expiry is ' +
        'past is still listed as created.',
      LISTED,
      UNENCRYPTED,
    ],
    output: `one row an invite: ${RECORDED_ROW}. A send of which no invite is known is a row without one.`,
    json: 'the list of them, with what else is recorded.',
    fields: RECORDED_FIELDS,
    ids: 'the id of each invite; the reference where none is known',
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
    await listRecorded(context, flags, {
      entries: (ledger, scope) => ledger.list({ ...scope, ...filter }),
      keeps: (row) => quizId === undefined || row.quizId === null || row.quizId.trim() === quizId.trim(),
      drawn: state === undefined || state === 'created' ? drawnColumns : drawnSends,
      nothing: 'No invites found.',
    })
  })
}
