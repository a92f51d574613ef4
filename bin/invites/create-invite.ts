import type { Command } from 'commander'
import type { Candidate, CertificationInvite } from '../../src/index.ts'
import { CliError } from '../cli-error.ts'
import type { Preferences } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { once } from '../flags.ts'
import type { Fields } from '../terminal/output.ts'

/** The flags that a single invite and a package invite share. */
export interface InviteFlags {
  readonly email: string
  readonly name?: string
  readonly sendEmail: boolean
  readonly callbackUrl?: string
}

/** What the help of every create says. */
export const NEVER_TWICE =
  'The request is never sent twice once it may have arrived, and the service does not refuse a second invite: look at ' +
  'the exit code before you repeat the command (certify help exit-codes).'

/** Whether the e-mails went out as asked. `unsent` and `unasked` are to be said aloud. */
type Delivery = 'sent' | 'kept' | 'unsent' | 'unasked'

export function addInviteFlags(command: Command): Command {
  return command
    .option('--email <address>', "the candidate's e-mail address (required)", once)
    .option('--name <name>', "the candidate's name", once)
    .option('--no-send-email', 'no e-mail: what this prints is the only copy')
    .option('--callback-url <url>', 'where events are sent; starts with https://', once)
}

export function readInvitee({ email, name, sendEmail, callbackUrl }: InviteFlags): {
  candidate: Candidate
  sendInviteEmail: boolean | undefined
  callbackUrl: string | undefined
} {
  return { candidate: { name, email }, sendInviteEmail: sendEmail ? undefined : false, callbackUrl }
}

export function inviteFields(invite: CertificationInvite, flags: InviteFlags): Fields {
  return [
    ['for', flags.email],
    ['invite id', invite.inviteId],
    ['status', invite.status],
    ['link', invite.challengeUrl],
    ['expires', invite.expiresAt],
    ['e-mail', E_MAIL[deliveryOf(invite, flags)]],
  ]
}

/** A form of output that leaves out the only copy of a link is refused before anything is sent. @throws CliError */
export function refuseToLoseLinks(preferences: Preferences, { sendEmail }: InviteFlags, linkField: string): void {
  const hiding = hidesLinks(preferences, linkField)
  if (sendEmail || preferences.dryRun.value || hiding === undefined) return
  throw new CliError(
    `with --no-send-email this command prints the only copy of each link, and ${hiding} would leave it out.`,
    preferences.quiet.value ? `Leave out ${hiding}.` : `Choose ${linkField} as well.`,
  )
}

/** Says aloud what the service did with an e-mail against what was asked. */
export async function warnAboutEmail(
  { output, preferences }: Context,
  invites: readonly CertificationInvite[],
  flags: InviteFlags,
  linkField: string,
): Promise<void> {
  const deliveries = new Set(invites.map((invite) => deliveryOf(invite, flags)))
  if (deliveries.has('unsent')) {
    const unsent = invites.filter((invite) => deliveryOf(invite, flags) === 'unsent')
    const links = hidesLinks(preferences, linkField) === undefined ? [] : unsent.map(({ challengeUrl }) => challengeUrl)
    const text = 'an e-mail was asked for, but the service says that it did not send it. Deliver the link yourself'
    await output.warn(links.length === 0 ? `${text}.` : `${text}: ${links.join(' ')}`)
  }
  if (deliveries.has('unasked')) {
    await output.warn('no e-mail was asked for, but the service says that it sent one.')
  }
}

/* What keeps the links out of the output, if anything does. */
function hidesLinks({ quiet, fields }: Preferences, linkField: string): string | undefined {
  if (quiet.value) return quiet.origin
  return fields.value === undefined || fields.value.includes(linkField) ? undefined : fields.origin
}

function deliveryOf({ emailSent }: CertificationInvite, { sendEmail }: InviteFlags): Delivery {
  if (sendEmail) return emailSent ? 'sent' : 'unsent'
  return emailSent ? 'unasked' : 'kept'
}

const E_MAIL: Readonly<Record<Delivery, string>> = {
  sent: 'sent by the service',
  kept: 'not sent, as asked: this is the only copy of the link',
  unsent: 'NOT SENT, although asked for: deliver the link yourself',
  unasked: 'SENT, although not asked for',
}
