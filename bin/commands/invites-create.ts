import { CALLBACKS_NOTE } from '../callbacks/callback-urls.ts'
import type { DefineCommand } from '../context.ts'
import { once, requireFlags } from '../flags.ts'
import { addManual } from '../help/manual.ts'
import {
  addCreateFlags,
  type CreateFlags,
  commonInput,
  createAndPrint,
  createdColumns,
  inviteFields,
  NEVER_TWICE,
} from '../invites/create-invite.ts'
import { addLedgerCreateFlags, LEDGER_CREATE_NOTE, UNENCRYPTED } from '../ledger/flags.ts'

interface Flags extends CreateFlags {
  readonly quizId: string
  readonly externalReference?: string
}

const LINK_FIELD = 'challengeUrl'

export const define: DefineCommand = (command, context) => {
  command.option(
    '--quiz-id <quiz-id>',
    'the quiz, from the catalog (levels[].quizId); tracks view shows ids, too (required)',
    once,
  )
  requireFlags(command, '--quiz-id', '--email')
  addCreateFlags(command)
  command.option('--external-reference <text>', 'your own reference; a follow-up attempt inherits it', once)
  addManual(addLedgerCreateFlags(command), context, {
    scope: 'CERTIFICATION_INVITE_CREATE',
    notes: [NEVER_TWICE, LEDGER_CREATE_NOTE, CALLBACKS_NOTE, UNENCRYPTED],
    output:
      'the complete invite, with its link. Into a pipe, one row: invite id, status, link, expiry, whether it was e-mailed.',
    fields: ['inviteId', 'status', LINK_FIELD, 'expiresAt', 'emailSent'],
    ids: 'the id of the invite',
    writes: true,
    examples: [
      'certify invites create --quiz-id quiz_123 --email ada@example.com \\\n--name "Ada Byron"',
      'certify invites create --quiz-id quiz_123 --email ada@example.com \\\n--no-send-email --json',
      'certify invites create --quiz-id quiz_123 --email ada@example.com --dry-run',
      'certify invites create --quiz-id quiz_123 --email ada@example.com \\\n--ledger --if-invited reuse',
    ],
  }).action(async ({ quizId, externalReference, ...flags }: Flags) => {
    const input = { quizId, externalReference, ...commonInput(flags) }
    await createAndPrint(context, flags, {
      linkField: LINK_FIELD,
      create: (client, options) => client.invites.create(input, options),
      invitesOf: (invite) => [invite],
      columns: createdColumns,
      draw: (invite, isReused, terminal) => {
        const title = isReused ? 'Recorded invite; nothing was sent' : 'Invite created'
        return `${terminal.bold(title)}  ${terminal.dim(quizId)}\n${terminal.fields(inviteFields(invite, flags))}`
      },
    })
  })
}
