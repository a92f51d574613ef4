import type { Command } from 'commander'
import type { Candidate, CertificationInvite } from '../../src/index.ts'
import type { Fields, Output } from '../terminal/output.ts'

/** The flags that a single invite and a package invite share. */
export interface InviteFlags {
  readonly email: string
  readonly name?: string
  readonly sendEmail: boolean
  readonly callbackUrl?: string
}

/** How the links reach the candidate. `failed` is the one to worry about: an e-mail was asked for and not sent. */
export type Delivery = 'sent' | 'not-asked' | 'failed'

export function addInviteFlags(command: Command): Command {
  return command
    .requiredOption('--email <address>', "the candidate's e-mail address")
    .option('--name <name>', "the candidate's name")
    .option('--no-send-email', 'keep the service from e-mailing the link; what this prints is then its only copy')
    .option('--callback-url <url>', 'where the service sends events; starts with https://')
}

export function readInvitee({ email, name, sendEmail, callbackUrl }: InviteFlags): {
  candidate: Candidate
  sendInviteEmail: boolean | undefined
  callbackUrl: string | undefined
} {
  return { candidate: { name, email }, sendInviteEmail: sendEmail ? undefined : false, callbackUrl }
}

export function deliveryOf(invites: readonly CertificationInvite[], { sendEmail }: InviteFlags): Delivery {
  if (invites.every(({ emailSent }) => emailSent)) return 'sent'
  return sendEmail ? 'failed' : 'not-asked'
}

export function inviteFields(invite: CertificationInvite, delivery: Delivery): Fields {
  return [
    ['invite id', invite.inviteId],
    ['status', invite.status],
    ['link', invite.challengeUrl],
    ['expires', invite.expiresAt],
    ['e-mail', E_MAIL[delivery]],
  ]
}

export function warnAboutEmail(output: Output, delivery: Delivery): void {
  if (delivery !== 'failed') return
  output.warn('an e-mail was asked for, but the service says that it did not send it. Deliver the link yourself.')
}

const E_MAIL: Readonly<Record<Delivery, string>> = {
  sent: 'sent by the service',
  'not-asked': 'not sent, as asked: this is the only copy of the link',
  failed: 'NOT SENT, although asked for: deliver the link yourself',
}
