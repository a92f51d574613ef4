import type { CertificationInvite } from '../../src/index.ts'
import type { DefineCommand } from '../context.ts'
import { once, requireFlags } from '../flags.ts'
import { addManual } from '../help/manual.ts'
import {
  addInviteFlags,
  type InviteFlags,
  inviteFields,
  NEVER_TWICE,
  readInvitee,
  refuseToLoseLinks,
  warnAboutEmail,
} from '../invites/create-invite.ts'
import { createWithLedger, type LedgerCreateFlags } from '../ledger/create-with-ledger.ts'
import { addLedgerCreateFlags, LEDGER_CREATE_NOTE, UNENCRYPTED } from '../ledger/flags.ts'
import type { Terminal } from '../terminal/output.ts'
import type { Column } from '../terminal/table.ts'

interface Flags extends InviteFlags, LedgerCreateFlags {
  readonly quizId: string
  readonly externalReference?: string
}

const LINK_FIELD = 'challengeUrl'

export const define: DefineCommand = (command, context) => {
  command.option('--quiz-id <quiz-id>', 'the quiz, as tracks view shows it (required)', once)
  requireFlags(command, '--quiz-id', '--email')
  addInviteFlags(command).option(
    '--external-reference <text>',
    'your own reference; a follow-up attempt inherits it',
    once,
  )
  addManual(addLedgerCreateFlags(command), context, {
    scope: 'CERTIFICATION_INVITE_CREATE',
    notes: [NEVER_TWICE, LEDGER_CREATE_NOTE, UNENCRYPTED],
    output:
      'the invite whole, with its link. Into a pipe, one row: invite id, status, link, expiry, whether it was e-mailed.',
    json: '{"inviteId","status","challengeUrl","expiresAt","emailSent"}.',
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
    const { output, preferences } = context
    refuseToLoseLinks(preferences, flags, LINK_FIELD)
    const input = { quizId, externalReference, ...readInvitee(flags) }
    const created = await createWithLedger(context, flags, (client, options) => client.invites.create(input, options))
    const { answer: invite, isReused, warning } = created
    await output.onlyCopy({
      value: invite,
      columns,
      rows: [invite],
      ids: [invite.inviteId],
      draw: (terminal) => drawInvite(invite, isReused, quizId, flags, terminal),
    })
    if (warning !== undefined) await output.warn(warning)
    await warnAboutEmail(context, [invite], flags, LINK_FIELD)
  })
}

function drawInvite(
  invite: CertificationInvite,
  isReused: boolean,
  quizId: string,
  flags: InviteFlags,
  terminal: Terminal,
): string {
  const title = isReused ? 'Recorded invite; nothing was sent' : 'Invite created'
  return `${terminal.bold(title)}  ${terminal.dim(quizId)}\n${terminal.fields(inviteFields(invite, flags))}`
}

const columns: readonly Column<CertificationInvite>[] = [
  { title: 'INVITE ID', value: ({ inviteId }) => inviteId },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'LINK', value: ({ challengeUrl }) => challengeUrl },
  { title: 'EXPIRES', value: ({ expiresAt }) => expiresAt },
  { title: 'E-MAILED', value: ({ emailSent }) => String(emailSent) },
]
