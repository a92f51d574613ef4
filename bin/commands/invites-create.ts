import type { CertificationInvite } from '../../src/index.ts'
import type { Terminal } from '../terminal/output.ts'
import type { Column } from '../terminal/table.ts'
import type { DefineCommand } from './command.ts'
import { once, requireFlags } from './flags.ts'
import { addInviteFlags, type InviteFlags, inviteFields, readInvitee, warnAboutEmail } from './invitee.ts'

interface Flags extends InviteFlags {
  readonly quizId: string
  readonly externalReference?: string
}

/** certify invites create */
export const define: DefineCommand = (command, { client, output, io }) => {
  command.option('--quiz-id <id>', 'the quiz, as `certify tracks view` shows it (required)', once)
  requireFlags(command, '--quiz-id', '--email')
  addInviteFlags(command)
    .option('--external-reference <text>', 'your own reference; a follow-up attempt inherits it', once)
    .addHelpText(
      'after',
      `
Needs a key with the scope CERTIFICATION_INVITE_CREATE.

The request is never sent twice once it may have arrived, and the service does
not refuse a second invite: look at the exit code before you repeat the command
(certify help exit-codes).

Output: the invite whole, with its link. Into a pipe, one row: invite id,
status, link, expiry, whether it was e-mailed. With --json:
{"inviteId","status","challengeUrl","expiresAt","emailSent"}.

Examples:
  $ certify invites create --quiz-id quiz_123 --email ada@example.com \\
      --name "Ada Byron"
  $ certify invites create --quiz-id quiz_123 --email ada@example.com \\
      --no-send-email --json`,
    )
    .action(async ({ quizId, externalReference, ...flags }: Flags) => {
      const input = { quizId, externalReference, ...readInvitee(flags) }
      const invite = await (await client()).invites.create(input, { signal: io.interruption })
      await output.onlyCopy({
        value: invite,
        columns,
        rows: [invite],
        draw: (terminal) => drawInvite(invite, quizId, flags, terminal),
      })
      await warnAboutEmail(output, [invite], flags)
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
