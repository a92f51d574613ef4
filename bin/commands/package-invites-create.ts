import type { PackageInvite, PackageInviteInput, SkillInvite } from '../../src/index.ts'
import { remember } from '../completion/name-cache.ts'
import type { Context, DefineCommand } from '../context.ts'
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
import { drawPackage } from '../invites/draw-package.ts'
import { createWithLedger, type LedgerCreateFlags } from '../ledger/create-with-ledger.ts'
import { addLedgerCreateFlags, LEDGER_CREATE_NOTE, UNENCRYPTED } from '../ledger/flags.ts'
import type { Terminal } from '../terminal/output.ts'
import type { Column } from '../terminal/table.ts'

interface Flags extends InviteFlags, LedgerCreateFlags {
  readonly packageId: string
}

const LINK_FIELD = 'invites'

export const define: DefineCommand = (command, context) => {
  command.option('--package-id <package-id>', 'the package, as tracks view shows it (required)', once)
  requireFlags(command, '--package-id', '--email')
  addManual(addLedgerCreateFlags(addInviteFlags(command)), context, {
    scope: 'CERTIFICATION_INVITE_CREATE',
    notes: [
      'One invite for every skill of the package, or none at all; each link is e-mailed on its own. On a terminal the ' +
        'skills are shown first, where the key may list them, and you are asked; --yes goes ahead. With --no-input or CI ' +
        'set, a terminal needs --yes; without a terminal on stdin nothing has to be confirmed.',
      NEVER_TWICE,
      LEDGER_CREATE_NOTE,
      'So that a package after a single invite is seen, the listing of packages is read first, where the key may.',
      UNENCRYPTED,
    ],
    output:
      'the invites whole, with their links. Into a pipe, one row a skill: invite id, status, link, expiry, whether it ' +
      'was e-mailed, quiz id, skill name, level.',
    json: '{"packageId","packageName","invites":[…]}.',
    fields: ['packageId', 'packageName', LINK_FIELD],
    ids: 'the ids of the invites',
    writes: true,
    examples: [
      'certify package-invites create --package-id pkg_123 \\\n--email ada@example.com --name "Ada Byron"',
      "certify package-invites create --package-id pkg_123 \\\n--email ada@example.com --json | jq -r '.invites[].challengeUrl'",
      'certify package-invites create --package-id pkg_123 \\\n--email ada@example.com --ledger --account acme-production',
    ],
  }).action(async ({ packageId, ...flags }: Flags) => {
    const { io, output, preferences } = context
    refuseToLoseLinks(preferences, flags, LINK_FIELD)
    const input = { packageId, ...readInvitee(flags) }
    if (io.stdin.isTTY && !preferences.yes.value && !preferences.dryRun.value) await confirm(context, input)
    const ended = await createWithLedger(context, flags, (client, options) =>
      client.packageInvites.create(input, options),
    )
    const { answer: created, isReused, warning } = ended
    await output.onlyCopy({
      value: created,
      columns,
      rows: created.invites,
      ids: created.invites.map(({ inviteId }) => inviteId),
      draw: (terminal) => drawPackageInvite(created, isReused, flags, terminal),
    })
    if (warning !== undefined) await output.warn(warning)
    await warnAboutEmail(context, created.invites, flags, LINK_FIELD)
  })
}

/* One command that e-mails several times: whoever is at a terminal confirms it. In a script the command line is the answer. */
async function confirm(context: Context, input: PackageInviteInput): Promise<void> {
  const { output, prompts, client } = context
  const { packageId, candidate, sendInviteEmail } = input
  await refuseInvalid((await client('check')).packageInvites.create(input))
  const instead = 'Give --yes.'
  if (!prompts.possible) return prompts.confirm('A package invite has to be confirmed at a terminal.', instead)
  const packages = await listPackages(context)
  const pack = packages?.find(({ id }) => id === packageId)
  if (pack !== undefined) await output.show((terminal) => `${drawPackage(pack, terminal)}\n`)
  else if (packages !== undefined) await output.warn('this package is not among those that can be delivered now.')
  const count = pack === undefined ? 'every skill' : `${pack.skills.length} skills`
  const mails = sendInviteEmail === false ? 'no e-mail' : 'one e-mail a skill'
  const what = `${count} of ${pack?.name ?? 'the package'}, with ${mails}`
  await prompts.confirm(`Invite ${candidate.email} to ${what}?`, instead)
}

/* What can be delivered; `undefined` where the key may not list. */
async function listPackages({ io, client, connection }: Context) {
  try {
    const tracks = await (await client('read')).tracks.list({}, { signal: io.interruption })
    remember(io, connection(), tracks)
    return tracks.flatMap(({ packages }) => packages)
  } catch (error) {
    if (codeOf(error) === 'FORBIDDEN') return undefined
    throw error
  }
}

/* Nobody is asked about what will be refused anyway. */
async function refuseInvalid(checked: Promise<unknown>): Promise<void> {
  const error: unknown = await checked.catch((reason: unknown) => reason)
  if (['INPUT_INVALID', 'CONFIG_INVALID'].includes(codeOf(error) ?? '')) throw error
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
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

function drawPackageInvite(
  { packageName, packageId, invites }: PackageInvite,
  isReused: boolean,
  flags: InviteFlags,
  terminal: Terminal,
): string {
  const what = isReused ? 'recorded invites; nothing was sent' : 'invites created'
  const title = `${terminal.bold(`${packageName}: ${invites.length} ${what}`)}  ${terminal.dim(packageId)}\n`
  const drawn = invites.map((invite) => {
    return `\n${terminal.bold(invite.skillName)}  ${terminal.dim(`${invite.level} · ${invite.quizId}`)}\n${terminal.fields(inviteFields(invite, flags))}`
  })
  return title + drawn.join('')
}
