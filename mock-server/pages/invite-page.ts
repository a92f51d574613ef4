import { html } from 'hono/html'
import type { MockChallenge } from '../contract/members.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { type MockRows, rowWhere } from '../sandbox/rows.ts'
import type { MockInvite, MockMail } from '../world/model.ts'
import { candidateState, linkState } from './candidate-actions.ts'
import type { ViewRequest } from './lists.ts'
import { linkOf } from './mail.ts'
import { copyButton, foreign, type Markup, section, skill } from './markup.ts'

/** What an invite is, and what its candidate may do. */
export function inviteSection(mock: MockServer, challenge: MockChallenge, requested: ViewRequest): Markup {
  const { invite } = challenge
  const { prefix } = requested
  const { inviteId, challengeUrl, quizId, packageId, externalReference, callbackUrl, followUpOf, followedBy } = invite
  const link = linkOf(invite, prefix)
  const mail = mailOf(requested.rows, inviteId)
  const other = (label: string, id: string, words: string): Markup =>
    html`<dt>${label}</dt><dd><a href="${prefix}/invites/${id}">${words}</a></dd>`
  return section({
    id: 'invite',
    title: skill(invite),
    parts: ['world', 'clock'],
    body: html`${candidateState(challenge, html`<a class="button" href="${link}">Open link</a>`)}
<dl class="facts"><dt>Link</dt><dd>${linkState(mock, invite)}<br>
<a href="${link}"><code>${challengeUrl}</code></a> ${copyButton(challengeUrl, 'Copy', 'link')}</dd>
<dt>E-mail</dt><dd>${mailWords(invite, mail, prefix)}</dd>
<dt>Quiz</dt><dd><code>${quizId}</code></dd>
${packageId === null ? '' : html`<dt>Package</dt><dd><code>${packageId}</code></dd>`}
<dt>Invite</dt><dd><code>${inviteId}</code> ${copyButton(inviteId, 'Copy', 'inviteId')}</dd>
<dt>Reference</dt><dd>${externalReference === null ? 'none' : foreign(externalReference)}</dd>
<dt>Callback URL</dt><dd>${callbackUrl === null ? 'none' : foreign(callbackUrl)}</dd>
${followUpOf ? other('Follows', followUpOf.inviteId, `an earlier invite, as its ${followUpOf.kind}`) : ''}
${followedBy === null ? '' : other('Followed by', followedBy, 'the invite that was claimed')}</dl>`,
  })
}

/** The e-mail with the link of this invite. */
export function mailOf({ mails }: MockRows, inviteId: string): MockMail | undefined {
  return rowWhere(mails, (mail) => mail.inviteId === inviteId)
}

function mailWords({ emailSent, followUpOf }: MockInvite, mail: MockMail | undefined, prefix: string): Markup | string {
  if (mail) return html`sent: <a href="${prefix}/outbox/${mail.inviteId}">${foreign(mail.subject)}</a>`
  if (emailSent) return 'sent, but lost on its way'
  return followUpOf ? 'none: the candidate claimed this invite' : 'none was sent'
}
