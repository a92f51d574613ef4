import { html } from 'hono/html'
import type { MockChallenge } from '../contract/members.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { type MockRows, rowWhere } from '../sandbox/rows.ts'
import type { MockInvite, MockMail } from '../world/model.ts'
import { candidateButtons, followUpReason, linkState, STATUS_TEXTS } from './candidate-actions.ts'
import { badge, copyButton, foreign, type Markup, person, section, statusName } from './markup.ts'
import { linkOf } from './outbox.ts'
import type { ViewRequest } from './row-list.ts'

/** What an invite is, and what its candidate may do. */
export function inviteSection(mock: MockServer, challenge: MockChallenge, requested: ViewRequest): Markup {
  const { invite } = challenge
  const { prefix } = requested
  const { candidate, skillName, level, status, inviteId, challengeUrl } = invite
  const link = linkOf(invite, prefix)
  const reason = followUpReason(mock, challenge)
  const mail = mailOf(requested.rows, inviteId)
  return section({
    id: 'invite',
    title: `${skillName}, ${level.toLowerCase()}`,
    parts: ['world', 'clock'],
    summary: statusName(status),
    body: html`<p class="lead">${badge(status)} ${STATUS_TEXTS[status]}</p>
${reason === null ? '' : html`<p class="small">${reason}</p>`}
<div class="buttons">${candidateButtons(challenge, link, 'invite')}<a class="button" href="${link}">Open link</a></div>
<dl class="facts"><dt>Candidate</dt><dd>${person(candidate)}</dd>
<dt>Link</dt><dd>${linkState(mock, invite)}<br><a href="${link}"><code>${challengeUrl}</code></a> ${copyButton(challengeUrl, 'Copy link', inviteId)}</dd>
<dt>E-mail</dt><dd>${mailWords(invite, mail, prefix)}</dd>
<dt>Quiz</dt><dd><code>${invite.quizId}</code></dd>
${invite.packageId === null ? '' : html`<dt>Package</dt><dd><code>${invite.packageId}</code></dd>`}
<dt>Invite</dt><dd><code>${inviteId}</code> ${copyButton(inviteId, 'Copy id', inviteId)}</dd>
<dt>Reference</dt><dd>${invite.externalReference === null ? 'none' : foreign(invite.externalReference)}</dd>
<dt>Callback URL</dt><dd>${invite.callbackUrl === null ? 'none' : foreign(invite.callbackUrl)}</dd>
${followUps(invite, prefix)}</dl>`,
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

function followUps({ followUpOf, followedBy }: MockInvite, prefix: string): Markup {
  const to = (inviteId: string, words: string): Markup => html`<a href="${prefix}/invites/${inviteId}">${words}</a>`
  return html`${followUpOf ? html`<dt>Came from</dt><dd>${to(followUpOf.inviteId, 'an earlier invite')}, as its ${followUpOf.kind}</dd>` : ''}${followedBy === null ? '' : html`<dt>Followed by</dt><dd>${to(followedBy, 'the invite that was claimed')}</dd>`}`
}
