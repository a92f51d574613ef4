import { Option } from 'commander'
import type { CampaignRow } from '../../src/campaign/index.ts'
import {
  type CertificationInvite,
  type CertifyClient,
  type CreateOptions,
  type InviteInput,
  isCertifyError,
  type PackageInvite,
  type PackageInviteInput,
} from '../../src/index.ts'
import { listTracks } from '../bulk/plan.ts'
import { addCallbackOptions, type CallbackFlags, callbacksOf } from '../callbacks/callback-urls.ts'
import { CliError, codeOf } from '../cli-error.ts'
import { IN_MEMORY } from '../config/ledger-place.ts'
import { addLedgerOptions, isAgent } from '../config/settings.ts'
import type { Context, DefineCommand } from '../context.ts'
import { once } from '../flags.ts'
import { addManual } from '../help.ts'
import { addressWarning } from '../invites/doubtful-address.ts'
import { createdColumns, drawInvites, skillColumns } from '../invites/draw.ts'
import { targetOf } from '../invites/titles.ts'
import { type OpenSender, refuseOtherAccounts, unrecordedText, withClient } from '../ledger/open-ledger.ts'
import { nearest } from '../spelling.ts'
import { maskLink, printable } from '../terminal/text.ts'
import { columnNames } from '../terminal/table.ts'

interface Flags extends CallbackFlags {
  readonly quizId?: string
  readonly packageId?: string
  readonly email: string
  readonly name?: string
  readonly sendEmail: boolean
  readonly externalReference?: string
  readonly ifInvited?: 'refuse' | 'reuse' | 'create'
  readonly ifUnknown?: 'refuse' | 'create'
  readonly allowClockSkew?: boolean
  readonly showLinks?: boolean
}

type Created = CertificationInvite | PackageInvite

export const define: DefineCommand = (command, context) => {
  command
    .addOption(new Option('--quiz-id <quiz-id>', 'one invite, to this quiz').argParser(once).conflicts('packageId'))
    .option('--package-id <package-id>', 'an invite to each skill of this package', once)
    .requiredOption('--email <address>', "the candidate's e-mail address", once)
    .option('--name <name>', "the candidate's name", once)
    .option('--no-send-email', 'no e-mail: you deliver the link')
    .addOption(
      new Option('--external-reference <text>', 'your own reference, with --quiz-id')
        .argParser(once)
        .conflicts('packageId'),
    )
    .option('--callback-url <url>', 'an https URL for its events', once)
    .addOption(new Option('--if-invited <what>', 'if already invited').choices(['refuse', 'reuse', 'create']))
    .addOption(new Option('--if-unknown <what>', 'if an earlier outcome is unknown').choices(['refuse', 'create']))
    .option('--show-links', "show links in an agent's shell too, where they are masked")
    .option('--allow-clock-skew', 'send even if the clocks of this machine, the service and the ledger disagree')
  addManual(addLedgerOptions(addCallbackOptions(command)), {
    about: 'Recorded before it is sent; refused if the candidate has, or may have, an open invite.',
    output: `the complete invite, or package, with its links. In a pipe, one row per invite; for a package also ${columnNames(skillColumns)}.`,
    columns: createdColumns(false),
    ids: 'the ids of the invites',
    dryRun: 'print the request, and what the ledger says; send nothing',
    advancedOptions:
      '--external-reference --if-unknown --callback-url --callbacks --callback-base-url --account --show-links --allow-clock-skew',
    examples: [
      'certify invites create --quiz-id quiz_123 --email ada@example.com',
      'certify invites create --package-id pkg_123 --email ada@example.com --json',
    ],
    guide: 'inviting.md',
  }).action(async (flags: Flags) => {
    const { preferences } = context
    const given = inputOf(flags)
    const callbacks = await callbacksOf(context, flags)
    const doubt = addressWarning(flags.email)
    if (doubt !== undefined) await context.output.warn(`check the address: ${doubt}.`)
    const sent: { reference?: string } = {}
    const hooks = {
      onAttempt({ operation, reference }: { readonly operation: string; readonly reference: string }) {
        if (operation.endsWith('.create')) sent.reference = reference
      },
    }
    const { dryRun: readOnly } = preferences
    const { allowClockSkew } = flags
    await withClient(context, { callbacks, hooks, readOnly, allowClockSkew }, async (sender) => {
      if (flags.ifInvited !== 'create') await refuseOtherAccounts(sender, [flags.email])
      const input = await withId(given, sender.client, context.io.interruption)
      if (readOnly) return dryRun(context, sender, input, await context.client('write', { callbacks }))
      if ('packageId' in input) await confirmPackage(context, flags, input)
      const { ifInvited, ifUnknown } = flags
      const options = { signal: context.io.interruption, ifInvited, ifUnknown }
      const created = await create(sender.client, input, options).catch(async (error: unknown) => {
        context.notes.push(...unrecordedText(sender, sent.reference), ...(await unlistedNote(error, input, context)))
        throw error
      })
      const isForgotten = sender.place.path.value === IN_MEMORY
      const isOnlyCopy = isForgotten || sender.unrecorded.error !== undefined
      const isMasked = isAgent(context.io.env) && flags.showLinks !== true && !isOnlyCopy
      await print(context, flags, isMasked ? masked(created) : created, sent.reference === undefined, isForgotten)
      for (const note of unrecordedText(sender, sent.reference)) await warnUnrecorded(context, created, note)
    })
  })
}

function inputOf({ quizId, packageId, email, name, sendEmail, externalReference, callbackUrl }: Flags) {
  if (quizId === undefined && packageId === undefined) {
    const hint = '`certify tracks view <slug>` shows the ids of quizzes and packages.'
    throw new CliError('--quiz-id or --package-id is missing.', hint)
  }
  const candidate = { name, email }
  const sendInviteEmail = sendEmail ? undefined : false
  return packageId === undefined
    ? { quizId: quizId ?? '', candidate, sendInviteEmail, externalReference, callbackUrl }
    : { packageId, candidate, sendInviteEmail, callbackUrl }
}

type Input = InviteInput | PackageInviteInput

/* No id has a blank, so a text with one is a title. If the list cannot be read, it is sent as an id. */
async function withId(input: Input, client: CertifyClient, signal: AbortSignal): Promise<Input> {
  const { field, kind, id: text } = targetOf(input)
  if (!/\S\s+\S/.test(text.slice(0, MAX_TEXT_LENGTH))) return input
  const listed = await listTracks(client, signal)
  if (typeof listed === 'string') return input
  const found = listed.idOf(kind, text)
  if ('rule' in found) throw new CliError(`--${kind}-id ${found.rule}.`, '`certify tracks view <slug>` shows the ids.')
  return { ...input, [field]: found.id }
}

const MAX_TEXT_LENGTH = 500

/* Whether the service lists the id that it refused, and which one is similar. */
async function unlistedNote(error: unknown, input: Input, context: Context): Promise<readonly string[]> {
  if (!['NOT_FOUND', 'BAD_USER_INPUT'].includes(codeOf(error) ?? '')) return []
  const { kind, id } = targetOf(input)
  const listed = await listTracks(await context.client('read'), context.io.interruption)
  if (typeof listed === 'string' || listed.get(kind, id) !== undefined) return []
  const near = nearest(id, listed.idsOf(kind))
  const meant = near === undefined ? '' : ` Did you mean ${printable(near)}, ${listed.get(kind, near)?.title}?`
  return [`The service lists no such ${kind}.${meant} \`certify tracks list${context.profileFlag}\` shows all.`]
}

function create(client: CertifyClient, input: Input, options: CreateOptions): Promise<Created> {
  return 'packageId' in input ? client.packageInvites.create(input, options) : client.invites.create(input, options)
}

/* The ledger says what it would do with the create; then the call of the client that sends nothing ends the command. */
async function dryRun(context: Context, sender: OpenSender, input: Input, unsent: CertifyClient): Promise<void> {
  const signal = context.io.interruption
  const row: CampaignRow = { input }
  const { planCampaign } = await import('../../src/campaign/index.ts')
  const [planned] = await planCampaign([row], { client: sender.client, signal, ifExpired: 'invite' }).then(
    ({ rows }) => rows,
    async (error: unknown) => {
      if (!isCertifyError(error) || error.code === 'LEDGER_UNUSABLE') throw error
      await context.output.warn(`the package could not be compared with the ledger (${error.code}).`)
      return []
    },
  )
  const refusal = planned && REFUSALS[planned.status]
  if (refusal !== undefined) await context.output.warn(`the create would be refused: ${refusal}.`)
  await create(unsent, input, { signal })
}

const REFUSALS: Readonly<Record<string, string>> = {
  already_invited: 'the ledger has an open invite for this candidate',
  partly_invited: 'the ledger has an open invite for this candidate, to part of the package',
  unknown: 'the ledger has a create for this candidate whose outcome is unknown',
}

/* One command, several e-mails: a person confirms it. A script needs no confirmation. */
async function confirmPackage(context: Context, flags: Flags, input: PackageInviteInput): Promise<void> {
  const { io, output, prompts, client, preferences } = context
  if (!io.stdin.isTTY || preferences.noInput || preferences.yes) return
  const checked: unknown = await create(await client('check'), input, {}).catch((reason: unknown) => reason)
  if (['INPUT_INVALID', 'CONFIG_INVALID'].includes(codeOf(checked) ?? '')) throw checked
  const found = prompts.possible ? await listTracks(await client('read'), io.interruption) : ''
  const listed = typeof found === 'string' ? undefined : found
  const { title = 'the package', quizIds } = listed?.get('package', input.packageId) ?? {}
  const skills = quizIds?.map((id) => `  ${listed?.get('quiz', id)?.title}, ${printable(id)}\n`)
  if (skills !== undefined) await output.show(() => skills.join(''))
  else if (listed !== undefined) await output.warn('this package is not among those that can be delivered now.')
  const count = quizIds === undefined ? 'every skill' : `${quizIds.length} skills`
  const mails = flags.sendEmail ? 'one e-mail per skill' : 'no e-mail'
  const question = `Invite ${flags.email} to ${count} of ${title}, with ${mails}?`
  await prompts.confirm(question, 'Give --yes.', 'A package invite must be confirmed at a terminal.')
}

/* An agent's conversation is no place for links; the ledger has them. */
function masked(created: Created): Created {
  return 'invites' in created ? { ...created, invites: created.invites.map(withMaskedLink) } : withMaskedLink(created)
}

function withMaskedLink<Invite extends { readonly challengeUrl: string }>(invite: Invite): Invite {
  return { ...invite, challengeUrl: maskLink(invite.challengeUrl) }
}

async function print(
  { output, preferences }: Context,
  flags: Flags,
  created: Created,
  isReused: boolean,
  isForgotten: boolean,
): Promise<void> {
  const invites = 'invites' in created ? created.invites : [created]
  const ids = invites.map(({ inviteId }) => inviteId)
  try {
    await output.data({
      value: created,
      columns: createdColumns('invites' in created),
      rows: invites,
      ids,
      draw: (terminal) => drawInvites(created, flags, isReused, terminal),
    })
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    const kept = isForgotten ? 'Save the response.' : `The ledger has it: certify invites view ${ids[0]} --show-links.`
    const hint = `Do not run it again. ${kept}`
    throw new CliError(`it was created, but ${error.message}`, hint, {
      code: error.code,
      exitCode: 6,
      partial: created,
    })
  }
  const unsent = invites.filter(({ emailSent }) => emailSent === false)
  if (flags.sendEmail && unsent.length > 0) {
    const links = preferences.quiet ? `: ${unsent.map(({ challengeUrl }) => challengeUrl).join(' ')}` : '.'
    await output.warn(`an e-mail was requested, but the service did not send it. Deliver the link yourself${links}`)
  }
  if (!flags.sendEmail && invites.some(({ emailSent }) => emailSent === true)) {
    await output.warn('no e-mail was requested, but the service reports that it sent one.')
  }
}

/* Nothing else has the link: if the output leaves it out, the warning shows it. */
async function warnUnrecorded({ output, preferences }: Context, created: Created, note: string): Promise<void> {
  const invites = 'invites' in created ? created.invites : [created]
  const copies = preferences.quiet
    ? `: ${invites.map(({ inviteId, challengeUrl }) => `${inviteId} ${challengeUrl}`).join(', ')}`
    : ''
  await output.warn(`it was created${copies}. ${note}`)
}
