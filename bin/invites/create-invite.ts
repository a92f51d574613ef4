import type { Command } from 'commander'
import type { Candidate, CertificationInvite } from '../../src/index.ts'
import type { GuardedCallOptions, GuardedClient } from '../../src/ledger/index.ts'
import { addCallbackFlags, type CallbackFlags, callbacksOf } from '../callbacks/callback-urls.ts'
import { CliError } from '../cli-error.ts'
import { readLedgerPlace } from '../config/ledger.ts'
import type { Preferences } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { once } from '../flags.ts'
import { createWithLedger, type LedgerCreateFlags } from '../ledger/create-with-ledger.ts'
import type { Fields, Terminal } from '../terminal/output.ts'
import { type Column, fieldColumns } from '../terminal/table.ts'
import { shown } from './descriptive.ts'

/** The flags that all commands with a create share. */
export interface CreateFlags extends LedgerCreateFlags, CallbackFlags {
  readonly email: string
  readonly name?: string
  readonly sendEmail: boolean
}

/** A note for the help of every create. */
export const NEVER_TWICE =
  'The request is never sent twice once the service may have executed it, and the service does not refuse a second ' +
  'invite: look at the exit code before you repeat the command (certify help exit-codes).'

export function addCreateFlags(command: Command): Command {
  command
    .option('--email <address>', "the candidate's e-mail address (required)", once)
    .option('--name <name>', "the candidate's name", once)
    .option('--no-send-email', 'no e-mail: this command prints the only copy of the link')
    .option('--callback-url <url>', 'the address for events; starts with https://', once)
  return addCallbackFlags(command)
}

export function commonInput({ email, name, sendEmail, callbackUrl }: CreateFlags): {
  candidate: Candidate
  sendInviteEmail: boolean | undefined
  callbackUrl: string | undefined
} {
  return { candidate: { name, email }, sendInviteEmail: sendEmail ? undefined : false, callbackUrl }
}

/** One create: what the commands do not share. */
export interface Create<Created, Invite extends CertificationInvite> {
  /** The field of the JSON document that has the links. */
  readonly linkField: string
  readonly confirm?: () => Promise<void>
  readonly create: (client: GuardedClient, options: GuardedCallOptions) => Promise<Created>
  readonly invitesOf: (created: Created) => readonly Invite[]
  readonly columns: readonly Column<Invite>[]
  readonly draw: (created: Created, isReused: boolean, terminal: Terminal) => string
}

/** Creates, prints the invites, and warns of unexpected e-mails. @throws CliError, CertifyError */
export async function createAndPrint<Created, Invite extends CertificationInvite>(
  context: Context,
  flags: CreateFlags,
  { linkField, confirm, create, invitesOf, columns, draw }: Create<Created, Invite>,
): Promise<void> {
  const { output, preferences } = context
  const hiding = hidesLinks(preferences, linkField)
  const hasLedger = readLedgerPlace(context.io, context.program.root.opts(), flags).turnedOnBy !== undefined
  if (!flags.sendEmail && !preferences.dryRun.value && hiding !== undefined && !hasLedger) {
    throw new CliError(
      `with --no-send-email this command prints the only copy of each link, and ${hiding} would leave it out.`,
      `${preferences.quiet.value ? `Leave out ${hiding}` : `Choose ${linkField} as well`}, or record the invite with --ledger.`,
    )
  }
  if (!preferences.dryRun.value && !hasLedger) refuseLostOutput(context, flags)
  const withUrls = await callbacksOf(context, flags)
  await confirm?.()
  const { created, isReused, isRecorded, warning } = await createWithLedger(context, flags, withUrls, create)
  const invites = invitesOf(created)
  const links = invites.map(({ challengeUrl }) => challengeUrl)
  const data = {
    value: created,
    columns,
    rows: invites,
    ids: invites.map(({ inviteId }) => inviteId),
    draw: (terminal: Terminal) => draw(created, isReused, terminal),
  }
  const isDiscarded = context.io.stdout.lost !== undefined
  const mayLeaveOut = isDiscarded || hiding !== undefined || preferences.jq.value !== undefined
  let printed = ''
  try {
    if (isReused) await output.data(data)
    else printed = await output.onlyCopy(data, flags.sendEmail || isRecorded || !mayLeaveOut ? [] : links)
  } finally {
    if (warning !== undefined) await output.warn(warning)
  }
  /* What a filter leaves out is known only now. */
  const filter = preferences.jq.value === undefined ? preferences.fields : preferences.jq
  const isLost = (text: string) => filter.value !== undefined && !isRecorded && !printed.includes(text)
  const areHidden = hiding !== undefined || (isDiscarded && !isRecorded) || links.some(isLost)
  for (const text of emailWarnings(invites, flags, areHidden)) await output.warn(text)
  const unnamed = invites.filter(({ inviteId, challengeUrl }) => isLost(inviteId) && isLost(challengeUrl))
  if (unnamed.length > 0) {
    await output.warn(
      `${filter.origin} left out what was created: ${unnamed.map(({ inviteId }) => inviteId).join(' ')}`,
    )
  }
}

/*
 * Without the ledger, the response is the only record of the invite: nothing is sent if nobody gets it. A program that starts
 * this one without a stdout looks the same as a closed one.
 */
function refuseLostOutput({ io }: Context, flags: CreateFlags): void {
  const { lost } = io.stdout
  if (lost === undefined || (lost === 'null device' && flags.sendEmail)) return
  throw new CliError(
    lost === 'closed'
      ? 'stdout is closed or ignored, so the response would be lost. Nothing was sent.'
      : 'with --no-send-email this command prints the only copy of each link, and stdout is the null device. Nothing was sent.',
    `Redirect stdout to a file, as in > invite.json, or record the invite with --ledger.${lost === 'closed' && flags.sendEmail ? ' To discard it: > /dev/null.' : ''}`,
    { code: 'OUTPUT_FAILED' },
  )
}

/* The setting that keeps the links out of the output. */
function hidesLinks({ quiet, fields }: Preferences, linkField: string): string | undefined {
  if (quiet.value) return quiet.origin
  return fields.value === undefined || fields.value.includes(linkField) ? undefined : fields.origin
}

function emailWarnings(
  invites: readonly CertificationInvite[],
  { sendEmail }: CreateFlags,
  areLinksHidden: boolean,
): readonly string[] {
  if (!sendEmail) {
    const isUnwanted = invites.some(({ emailSent }) => emailSent === true)
    return isUnwanted ? ['no e-mail was requested, but the service reports that it sent one.'] : []
  }
  const unsent = invites.filter(({ emailSent }) => emailSent === false)
  if (unsent.length === 0) return []
  const links = areLinksHidden ? `: ${unsent.map(({ challengeUrl }) => challengeUrl).join(' ')}` : '.'
  return [`an e-mail was requested, but the service reports that it did not send it. Deliver the link yourself${links}`]
}

export const createdColumns: readonly Column<CertificationInvite>[] = fieldColumns({
  'INVITE ID': 'inviteId',
  STATUS: 'status',
  LINK: 'challengeUrl',
  EXPIRES: 'expiresAt',
  'E-MAILED': 'emailSent',
})

export function inviteFields(invite: CertificationInvite, { email, sendEmail }: CreateFlags): Fields {
  return [
    ['for', email],
    ['invite id', invite.inviteId],
    ['status', shown(invite.status)],
    ['link', invite.challengeUrl],
    ['expires', invite.expiresAt ?? '- (the service did not say; by its rules, 14 days after the invite was created)'],
    ['e-mail', (sendEmail ? REQUESTED : NOT_REQUESTED)[sendingOf(invite)]],
  ]
}

function sendingOf({ emailSent }: CertificationInvite): keyof typeof REQUESTED {
  if (emailSent === null) return 'notSaid'
  return emailSent ? 'sent' : 'notSent'
}

const REQUESTED = {
  notSaid: '- (requested; the service did not say whether it was sent)',
  sent: 'sent by the service',
  notSent: 'NOT SENT, although requested: deliver the link yourself',
}
const NOT_REQUESTED = {
  notSaid: '- (not requested; this is the only copy of the link)',
  sent: 'SENT, although not requested',
  notSent: 'not sent, as requested: this is the only copy of the link',
}
