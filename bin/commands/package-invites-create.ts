import type { PackageInvite, SkillInvite } from '../../src/index.ts'
import type { Terminal } from '../terminal/output.ts'
import type { Column } from '../terminal/table.ts'
import type { DefineCommand } from './command.ts'
import { once, requireFlags } from './flags.ts'
import { addInviteFlags, type InviteFlags, inviteFields, readInvitee, warnAboutEmail } from './invitee.ts'

interface Flags extends InviteFlags {
  readonly packageId: string
}

/** certify package-invites create */
export const define: DefineCommand = (command, { client, output, io }) => {
  command.option('--package-id <id>', 'the package, as `certify tracks view` shows it (required)', once)
  requireFlags(command, '--package-id', '--email')
  addInviteFlags(command)
    .addHelpText(
      'after',
      `
One invite for every skill of the package, or none at all; each link is
e-mailed on its own. Needs a key with the scope CERTIFICATION_INVITE_CREATE.

The request is never sent twice once it may have arrived, and the service does
not refuse a second invite: look at the exit code before you repeat the command
(certify help exit-codes).

Output: the invites whole, with their links. Into a pipe, one row a skill:
invite id, status, link, expiry, whether it was e-mailed, quiz id, skill name,
level.
With --json: {"packageId","packageName","invites":[…]}.

Examples:
  $ certify package-invites create --package-id pkg_123 \\
      --email ada@example.com --name "Ada Byron"
  $ certify package-invites create --package-id pkg_123 \\
      --email ada@example.com --json | jq -r '.invites[].challengeUrl'`,
    )
    .action(async ({ packageId, ...flags }: Flags) => {
      const input = { packageId, ...readInvitee(flags) }
      const created = await (await client()).packageInvites.create(input, { signal: io.interruption })
      await output.onlyCopy({
        value: created,
        columns,
        rows: created.invites,
        draw: (terminal) => drawPackageInvite(created, flags, terminal),
      })
      await warnAboutEmail(output, created.invites, flags)
    })
}

const columns: readonly Column<SkillInvite>[] = [
  { title: 'INVITE ID', value: ({ inviteId }) => inviteId },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'LINK', value: ({ challengeUrl }) => challengeUrl },
  { title: 'EXPIRES', value: ({ expiresAt }) => expiresAt },
  { title: 'E-MAILED', value: ({ emailSent }) => String(emailSent) },
  { title: 'QUIZ ID', value: ({ quizId }) => quizId },
  { title: 'SKILL', value: ({ skillName }) => skillName },
  { title: 'LEVEL', value: ({ level }) => level },
]

function drawPackageInvite({ packageName, packageId, invites }: PackageInvite, flags: InviteFlags, terminal: Terminal) {
  const title = `${terminal.bold(`${packageName}: ${invites.length} invites created`)}  ${terminal.dim(packageId)}\n`
  const drawn = invites.map((invite) => {
    return `\n${terminal.bold(invite.skillName)}  ${terminal.dim(`${invite.level} · ${invite.quizId}`)}\n${terminal.fields(inviteFields(invite, flags))}`
  })
  return title + drawn.join('')
}
