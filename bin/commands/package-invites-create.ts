import type { PackageInvite, PackageInviteInput, SkillInvite } from '../../src/index.ts'
import { CALLBACKS_NOTE } from '../callbacks/callback-urls.ts'
import { codeOf } from '../cli-error.ts'
import { cacheNames } from '../completion/name-cache.ts'
import type { Context, DefineCommand } from '../context.ts'
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
import { shown } from '../invites/descriptive.ts'
import { drawPackage } from '../invites/draw-package.ts'
import { addLedgerCreateFlags, LEDGER_CREATE_NOTE, UNENCRYPTED } from '../ledger/flags.ts'
import type { Terminal } from '../terminal/output.ts'
import { type Column, fieldColumns } from '../terminal/table.ts'

interface Flags extends CreateFlags {
  readonly packageId: string
}

const LINK_FIELD = 'invites'

export const define: DefineCommand = (command, context) => {
  command.option('--package-id <package-id>', 'the package, as tracks view shows it (required)', once)
  requireFlags(command, '--package-id', '--email')
  addManual(addLedgerCreateFlags(addCreateFlags(command)), context, {
    scope: 'CERTIFICATION_INVITE_CREATE',
    notes: [
      'One invite for every skill of the package, or none at all; each link is e-mailed on its own. On a terminal it ' +
        'shows the skills, if the key may list them, and asks; --yes confirms. With --no-input or CI set, a terminal ' +
        'needs --yes; without a terminal on stdin no confirmation is needed.',
      NEVER_TWICE,
      LEDGER_CREATE_NOTE,
      'With the ledger it first lists the packages, if the key may, to find single invites of the same skills.',
      CALLBACKS_NOTE,
      UNENCRYPTED,
    ],
    output:
      'the complete invites, with their links. Into a pipe, one row a skill: invite id, status, link, expiry, whether it ' +
      'was e-mailed, quiz id, skill name, level.',
    json: '{"packageId","packageName","invites":[…]}.',
    fields: ['packageId', 'packageName', LINK_FIELD],
    ids: 'the ids of the invites',
    writes: true,
    examples: [
      'certify package-invites create --package-id pkg_123 \\\n--email ada@example.com --name "Ada Byron"',
      "certify package-invites create --package-id pkg_123 \\\n--email ada@example.com --jq '.invites[].challengeUrl'",
      'certify package-invites create --package-id pkg_123 \\\n--email ada@example.com --ledger --account acme-production',
    ],
  }).action(async ({ packageId, ...flags }: Flags) => {
    const { io, preferences } = context
    const input = { packageId, ...commonInput(flags) }
    /* One command, several e-mails: a person confirms it. A script needs no confirmation. */
    const asks = io.stdin.isTTY && !preferences.yes.value && !preferences.dryRun.value
    await createAndPrint<PackageInvite, SkillInvite>(context, flags, {
      linkField: LINK_FIELD,
      ...(asks && { confirm: () => confirm(context, input) }),
      create: (client, options) => client.packageInvites.create(input, options),
      invitesOf: ({ invites }) => invites,
      columns,
      draw: (created, isReused, terminal) => drawPackageInvite(created, isReused, flags, terminal),
    })
  })
}

async function confirm(context: Context, input: PackageInviteInput): Promise<void> {
  const { output, prompts, client } = context
  const { packageId, candidate, sendInviteEmail } = input
  await refuseInvalid((await client('check')).packageInvites.create(input))
  const packages = prompts.possible ? await listPackages(context) : undefined
  const pack = packages?.find(({ id }) => id === packageId)
  if (pack !== undefined) await output.show((terminal) => `${drawPackage(pack, terminal)}\n`)
  else if (packages !== undefined) await output.warn('this package is not among those that can be delivered now.')
  const count = pack === undefined ? 'every skill' : `${pack.skills.length} skills`
  const mails = sendInviteEmail === false ? 'no e-mail' : 'one e-mail a skill'
  const question = `Invite ${candidate.email} to ${count} of ${pack?.name ?? 'the package'}, with ${mails}?`
  await prompts.confirm(question, 'Give --yes.', 'A package invite has to be confirmed at a terminal.')
}

/* The deliverable packages; `undefined` if the key may not list them. */
async function listPackages({ io, client, connection }: Context) {
  try {
    const tracks = await (await client('read')).tracks.list({}, { signal: io.interruption })
    cacheNames(io, connection(), tracks)
    return tracks.flatMap(({ packages }) => packages)
  } catch (error) {
    if (codeOf(error) === 'FORBIDDEN') return undefined
    throw error
  }
}

/* Before the question: invalid input would be refused anyway. */
async function refuseInvalid(checked: Promise<unknown>): Promise<void> {
  const error: unknown = await checked.catch((reason: unknown) => reason)
  if (['INPUT_INVALID', 'CONFIG_INVALID'].includes(codeOf(error) ?? '')) throw error
}

const columns: readonly Column<SkillInvite>[] = [
  ...createdColumns,
  ...fieldColumns<SkillInvite>({ 'QUIZ ID': 'quizId', SKILL: 'skillName', LEVEL: 'level' }),
]

function drawPackageInvite(
  { packageName, packageId, invites }: PackageInvite,
  isReused: boolean,
  flags: CreateFlags,
  terminal: Terminal,
): string {
  const what = isReused ? 'recorded invites; nothing was sent' : 'invites created'
  const title = `${terminal.bold(`${shown(packageName)}: ${invites.length} ${what}`)}  ${terminal.dim(packageId)}\n`
  const drawn = invites.map((invite) => {
    const subtitle = `${terminal.bold(shown(invite.skillName))}  ${terminal.dim(`${shown(invite.level)} · ${invite.quizId}`)}`
    return `\n${subtitle}\n${terminal.fields(inviteFields(invite, flags))}`
  })
  return title + drawn.join('')
}
