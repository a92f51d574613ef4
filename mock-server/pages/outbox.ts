import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { mailWords } from '../control/row-search.ts'
import { splitLink } from '../world/challenge-links.ts'
import type { MockMail } from '../world/model.ts'
import { copyButton, empty, foreign, type Markup, section, table, time } from './markup.ts'
import { count, listSection, rowsOf, searchForm, type ViewRequest } from './row-list.ts'

/** The e-mails that a real service would have sent, each with its link. */
export function outboxSection(_mock: MockServer, requested: ViewRequest): Markup {
  const found = rowsOf(requested.rows.mails, { words: mailWords }, requested, 'to')
  return listSection(requested, {
    id: 'outbox',
    title: 'Outbox',
    parts: ['world'],
    found,
    summary: count(found.total, 'e-mail'),
    all: 'All e-mails',
    search: searchForm(requested, 'to', 'To'),
    none: noneFor(requested),
    rows: (rows) => mailTable(rows, requested),
  })
}

/** The newest e-mail to one address: an address of its own, for bookmarks and tests. */
export function latestSection(_mock: MockServer, requested: ViewRequest): Markup {
  // In a query string a plus sign is a space, and an address has none.
  const to = (requested.query['to'] ?? '').trim().replaceAll(' ', '+')
  const { mails } = requested.rows
  const mail = mails.kept().findLast((each) => each.to.toLowerCase() === to.toLowerCase())
  if (mail) return mailSection(mails.row(mail), requested)
  const body = empty(
    html`Nothing was sent to <b>${foreign(to)}</b> so far. This page shows the e-mail as soon as there is one.`,
  )
  return section({ id: 'mail', title: 'No e-mail yet', parts: ['world'], summary: 'none', body })
}

/** The e-mail of one invite. */
export function mailSection(mail: MockMail, { prefix }: ViewRequest): Markup {
  return section({
    id: 'mail',
    title: mail.subject,
    parts: ['world'],
    summary: '1 e-mail',
    body: html`<dl class="facts"><dt>To</dt><dd>${foreign(mail.to)}</dd><dt>Sent</dt><dd>${time(mail.sentAt)}</dd></dl>
<p>You were invited to certify your skill. The link is yours alone.</p>
<p class="buttons"><a class="button primary" href="${linkOf(mail, prefix)}">Open link</a>${copyButton(mail.challengeUrl, 'Copy link', mail.to)}</p>
<p class="small"><a href="${prefix}/invites/${mail.inviteId}">The invite of this e-mail</a> · <a href="${prefix}/outbox?to=${encodeURIComponent(mail.to)}">All e-mails to this address</a></p>`,
  })
}

function mailTable(rows: readonly MockMail[], { prefix }: ViewRequest): Markup {
  const lines = rows.map(
    (mail) => html`<tr>
<td data-label="To" class="who"><a href="${prefix}/outbox/latest?to=${encodeURIComponent(mail.to)}" title="The newest e-mail to this address">${foreign(mail.to, 'beginning')}</a></td>
<td data-label="Subject"><a href="${prefix}/outbox/${mail.inviteId}">${foreign(mail.subject, 'beginning')}</a></td>
<td data-label="Sent">${time(mail.sentAt)}</td>
<td class="do"><a href="${prefix}/invites/${mail.inviteId}" aria-label="Invite: e-mail to ${mail.to}">Invite</a><a class="button" id="mail-${mail.inviteId}" href="${linkOf(mail, prefix)}" aria-label="Open link: e-mail to ${mail.to}">Open link</a>${copyButton(mail.challengeUrl, 'Copy link', mail.to)}</td>
</tr>`,
  )
  return table(['To', 'Subject', 'Sent'], 'Link', lines)
}

function noneFor({ prefix, query: { to = '' } }: ViewRequest): string | Markup {
  if (to !== '') return 'No e-mail was sent to such an address.'
  return html`No e-mail was sent yet. Create an invite with the form <a href="${prefix}/invites">New invite</a>, and the e-mail to its candidate appears here.`
}

/** The link below the path that the page itself has. */
export function linkOf({ challengeUrl }: { readonly challengeUrl: string }, prefix: string): string {
  return prefix + splitLink(challengeUrl).path
}
