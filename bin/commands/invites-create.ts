import type { CertificationInvite } from '../../src/index.ts'
import { addManual } from '../help/manual.ts'
import type { Terminal } from '../terminal/output.ts'
import type { Column } from '../terminal/table.ts'
import type { DefineCommand } from './command.ts'
import { once, requireFlags } from './flags.ts'
import {
  addInviteFlags,
  type InviteFlags,
  inviteFields,
  NEVER_TWICE,
  readInvitee,
  refuseToLoseLinks,
  warnAboutEmail,
} from './invitee.ts'

interface Flags extends InviteFlags {
  readonly quizId: string
  readonly externalReference?: string
}

const LINK_FIELD = 'challengeUrl'

/** certify invites create */
export const define: DefineCommand = (command, context) => {
  command.option('--quiz-id <quiz-id>', 'the quiz, as tracks view shows it (required)', once)
  requireFlags(command, '--quiz-id', '--email')
  addInviteFlags(command).option(
    '--external-reference <text>',
    'your own reference; a follow-up attempt inherits it',
    once,
  )
  addManual(command, context, {
    scope: 'CERTIFICATION_INVITE_CREATE',
    notes: [NEVER_TWICE],
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
    ],
  }).action(async ({ quizId, externalReference, ...flags }: Flags) => {
    const { io, output, client, preferences } = context
    refuseToLoseLinks(preferences, flags, LINK_FIELD)
    const input = { quizId, externalReference, ...readInvitee(flags) }
    const invite = await (await client('write')).invites.create(input, { signal: io.interruption })
    await output.onlyCopy({
      value: invite,
      columns,
      rows: [invite],
      ids: [invite.inviteId],
      draw: (terminal) => drawInvite(invite, quizId, flags, terminal),
    })
    await warnAboutEmail(context, [invite], flags, LINK_FIELD)
  })
}

function drawInvite(invite: CertificationInvite, quizId: string, flags: InviteFlags, terminal: Terminal): string {
  return `${terminal.bold('Invite created')}  ${terminal.dim(quizId)}\n${terminal.fields(inviteFields(invite, flags))}`
}

const columns: readonly Column<CertificationInvite>[] = [
  { title: 'INVITE ID', value: ({ inviteId }) => inviteId },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'LINK', value: ({ challengeUrl }) => challengeUrl },
  { title: 'EXPIRES', value: ({ expiresAt }) => expiresAt },
  { title: 'E-MAILED', value: ({ emailSent }) => String(emailSent) },
]
