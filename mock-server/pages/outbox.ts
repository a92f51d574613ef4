import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import type { MockMail } from '../contract/rows.ts'
import { newestFirst, type RowPage, wholeNumber } from '../control/row-search.ts'
import { splitLink } from '../world/challenge-links.ts'
import { copyButton, empty, type Markup, section, time } from './markup.ts'
import { count, pager, ROWS, searchForm, type ViewRequest } from './row-list.ts'

/** The e-mails that a real service would have sent, each with its link. */
export function outboxSection(mock: MockServer, requested: ViewRequest, size: number = ROWS): Markup {
  const { to = '', page } = requested.query
  const found = newestFirst(mock.outbox, { search: to, words: (mail) => [mail.to], page: wholeNumber(page, 1), size })
  return section({
    id: 'outbox',
    title: 'Outbox',
    parts: ['world'],
    summary: count(found.total, 'e-mail'),
    ...(size < ROWS && { actions: html`<a href="${requested.prefix}/outbox">All e-mails</a>` }),
    body: html`${size < ROWS ? '' : searchForm(requested, 'to', 'To')}${found.rows.length === 0 ? none(to, requested) : table(found, requested)}${size < ROWS ? '' : pager(requested, found)}`,
  })
}

/** The newest e-mail to somebody: an address that stays the same. */
export function latestSection(mock: MockServer, { prefix, query: { to = '' } }: ViewRequest): Markup {
  const mail = mock.outbox.findLast((each) => each.to.toLowerCase() === to.trim().toLowerCase())
  return section({
    id: 'latest',
    title: mail?.subject ?? 'No e-mail yet',
    parts: ['world'],
    summary: mail ? '1 e-mail' : 'none',
    body: mail
      ? html`<dl class="facts"><dt>To</dt><dd>${mail.to}</dd><dt>Sent</dt><dd>${time(mail.sentAt)}</dd></dl>
<p>You were invited to certify your skill. The link is yours alone.</p>
<p><a class="button primary" href="${linkOf(mail, prefix)}">Open the challenge</a> ${copyButton(mail.challengeUrl, 'Copy link', mail.to)}</p>`
      : empty(html`Nothing was sent to <b>${to}</b> so far. This page shows the e-mail as soon as there is one.`),
  })
}

function table({ rows }: RowPage<MockMail>, { prefix }: ViewRequest): Markup {
  const lines = rows.map(
    (mail) => html`<tr>
<td data-label="To" class="who"><a href="${prefix}/outbox/latest?to=${encodeURIComponent(mail.to)}" title="The newest e-mail to this address">${mail.to}</a></td>
<td data-label="Subject">${mail.subject}</td>
<td data-label="Sent">${time(mail.sentAt)}</td>
<td class="do"><a class="button" id="mail-${mail.inviteId}" href="${linkOf(mail, prefix)}" aria-label="Open link: e-mail to ${mail.to}">Open link</a>${copyButton(mail.challengeUrl, 'Copy link', mail.to)}</td>
</tr>`,
  )
  return html`<div class="scroll"><table>
<thead><tr><th scope="col">To</th><th scope="col">Subject</th><th scope="col">Sent</th><th scope="col"><span class="hidden">Link</span></th></tr></thead>
<tbody>${lines}</tbody></table></div>`
}

function none(to: string, { prefix }: ViewRequest): Markup {
  return empty(
    to === ''
      ? html`No e-mail was sent yet. Create an invite, in the <a href="${prefix}/console">Console</a> for instance, and the e-mail to its candidate appears here.`
      : 'No e-mail was sent to such an address.',
  )
}

/** The link as it is reached from where the page is looked at. */
export function linkOf({ challengeUrl }: { readonly challengeUrl: string }, prefix: string): string {
  return prefix + splitLink(challengeUrl).path
}
