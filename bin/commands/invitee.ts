import type { Command } from 'commander'
import type { Candidate, CertificationInvite } from '../../src/index.ts'
import type { Fields, Output } from '../terminal/output.ts'
import { once } from './flags.ts'

/** The flags that a single invite and a package invite share. */
export interface InviteFlags {
  readonly email: string
  readonly name?: string
  readonly sendEmail: boolean
  readonly callbackUrl?: string
}

/** Whether the e-mails went out as asked. `unsent` and `unasked` are to be said aloud. */
type Delivery = 'sent' | 'kept' | 'unsent' | 'unasked'

export function addInviteFlags(command: Command): Command {
  return command
    .option('--email <address>', "the candidate's e-mail address (required)", once)
    .option('--name <name>', "the candidate's name", once)
    .option('--no-send-email', 'keep the service from e-mailing the link; what this prints is then its only copy')
    .option('--callback-url <url>', 'where the service sends events; starts with https://', once)
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

/** Says aloud what the service did with an e-mail against what was asked. */
export async function warnAboutEmail(
  output: Output,
  invites: readonly CertificationInvite[],
  flags: InviteFlags,
): Promise<void> {
  const deliveries = new Set(invites.map((invite) => deliveryOf(invite, flags)))
  if (deliveries.has('unsent')) {
    await output.warn(
      'an e-mail was asked for, but the service says that it did not send it. Deliver the link yourself.',
    )
  }
  if (deliveries.has('unasked')) {
    await output.warn('no e-mail was asked for, but the service says that it sent one.')
  }
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
