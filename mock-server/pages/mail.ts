import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { splitLink } from '../world/invites.ts'
import type { MockMail } from '../generated/contract.ts'
import { creatorOf } from './request-story.ts'
import { badge, copyButton, empty, isolated, type Markup, section, skill, table, time } from './kit/markup.ts'
import { rowsSection, type ViewRequest } from './view.ts'

/** The e-mails that a real service would have sent, each with its link. */
export function outboxSection(mock: MockServer, requested: ViewRequest): Markup {
  return rowsSection(requested.rows.mails, requested, {
    id: 'outbox',
    title: 'Outbox',
    parts: ['world'],
    noun: 'e-mail',
    search: ['to', 'Address'],
    noneYet: html`No e-mail was sent yet. Create an invite with the form <a href="${requested.prefix}/invites">New invite</a>,
and the e-mail to its candidate appears here.`,
    none: 'No e-mail was sent to such an address.',
    show: (rows) => mailTable(rows, mock, requested.prefix),
  })
}

/** The newest e-mail to one address: an address of its own, for bookmarks and tests. */
export function latestSection(mock: MockServer, requested: ViewRequest): Markup {
  // In a query string a plus sign means a space, and addresses have no spaces.
  const to = (requested.query['to'] ?? '').trim().replaceAll(' ', '+')
  const { mails } = requested.rows
  const mail = mails.all().findLast((each) => each.to.toLowerCase() === to.toLowerCase())
  if (mail) return mailPage(mock, mails.row(mail), requested)
  const body = empty(
    html`Nothing was sent to <b>${isolated(to)}</b> so far. This page shows the e-mail as soon as there is one.`,
  )
  return section({ id: 'mail', title: 'No e-mail yet', parts: ['world'], body })
}

/** The outbox beside the letter that is read. */
export function mailPage(mock: MockServer, mail: MockMail, requested: ViewRequest): Markup {
  const outbox = { ...requested, path: '/outbox' }
  return html`<div class="invite-page">${outboxSection(mock, outbox)}${mailSection(mock, mail, requested)}</div>`
}

/** The e-mail of one invite, as a mail program shows it. */
function mailSection(mock: MockServer, mail: MockMail, requested: ViewRequest): Markup {
  const { prefix } = requested
  const { candidate, expiresAt, ...invite } = mock.open(mail.inviteId).invite
  const by = creatorOf(requested, mail.inviteId)
  const link = linkOf(mail, prefix)
  const all = `${prefix}/outbox?to=${encodeURIComponent(mail.to)}`
  const body = html`<dl class="facts">
<dt>From</dt><dd>Certifications &lt;no-reply@certify.test&gt;</dd>
<dt>To</dt><dd>${isolated(mail.to)}</dd>
<dt>Date</dt><dd>${time(mail.sentAt)}</dd>
${by && html`<dt>Cause</dt><dd>${by}</dd>`}
</dl>
<div class="letter">
<p>Hello${candidate.name === null ? '' : html` ${isolated(candidate.name)}`},</p>
<p>You were invited to certify your skill: <b>${skill(invite)}</b>. The link is for you alone, and stays open until
${time(expiresAt)}.</p>
<p><a class="button primary" href="${link}">Open link</a></p>
<p>Good luck!</p>
</div>
<p class="buttons">${copyButton(mail.challengeUrl, 'Copy link', mail.to)}
<a class="button quiet" href="${prefix}/invites/${mail.inviteId}">Invite</a>
<a class="button quiet" href="${all}">All e-mails to this address</a></p>`
  return section({ id: 'mail', title: mail.subject, parts: ['world'], body })
}

function mailTable(rows: readonly MockMail[], mock: MockServer, prefix: string): Markup {
  const lines = rows.map(
    (mail) => html`<tr id="mail-${mail.inviteId}">
<td class="who"><a href="${prefix}/outbox/${mail.inviteId}">${isolated(mail.to, 'beginning')}</a></td>
<td>${isolated(mail.subject.replace(/^.*?: /, ''), 'beginning')}</td>
<td>${badge(mock.open(mail.inviteId).invite.status)}</td>
<td>${time(mail.sentAt)}</td>
</tr>`,
  )
  return table(['To', 'Skill', 'Link', 'Sent'], lines)
}

/** The link below the page's own path. */
export function linkOf({ challengeUrl }: { readonly challengeUrl: string }, prefix: string): string {
  return prefix + splitLink(challengeUrl).path
}
