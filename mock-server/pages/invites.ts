import { html } from 'hono/html'
import type { MockInvite } from '../contract/rows.ts'
import { inviteWords, newestFirst, wholeNumber } from '../control/row-search.ts'
import { copyButton, empty, type Markup, section, time } from './markup.ts'
import { linkOf } from './outbox.ts'
import { count, pager, ROWS, searchForm, type ViewRequest } from './row-list.ts'

/** All invites, with where they stand and what came after them. */
export function invitesSection(invites: readonly MockInvite[], requested: ViewRequest, size: number = ROWS): Markup {
  const { q = '', status = '', page } = requested.query
  const all = invites.filter((invite) => status === '' || invite.status === status)
  const found = newestFirst(all, { search: q, words: inviteWords, page: wholeNumber(page, 1), size })
  const choices = STATUSES.map(
    (each) => html`<option value="${each}" ${each === status ? html`selected` : ''}>${statusName(each)}</option>`,
  )
  const filter = html`<label>Status <select name="status"><option value="">any</option>${choices}</select></label>`
  const none = q === '' && status === '' ? 'No invite was created yet.' : 'No invite is like that.'
  return section({
    id: 'invites',
    title: 'Invites',
    parts: ['world', 'clock'],
    summary: count(found.total, 'invite'),
    ...(size < ROWS && { actions: html`<a href="${requested.prefix}/invites">All invites</a>` }),
    body: html`${size < ROWS ? '' : searchForm(requested, 'q', 'Candidate, skill or identifier', filter)}
${found.rows.length === 0 ? empty(none) : table(found.rows, requested.prefix)}${size < ROWS ? '' : pager(requested, found)}`,
  })
}

/** Where an invite stands, as a badge. */
export function badge(status: string): Markup {
  return html`<span class="badge ${status.toLowerCase().replace(' ', '-')}">${statusName(status)}</span>`
}

function table(rows: readonly MockInvite[], prefix: string): Markup {
  const lines = rows.map(
    (invite) => html`<tr>
<td data-label="Candidate" class="who">${invite.candidate.name === null ? '' : html`<b>${invite.candidate.name}</b> `}<span>${invite.candidate.email}</span></td>
<td data-label="Skill">${invite.skillName} <small>${invite.level.toLowerCase()}</small></td>
<td data-label="Status">${badge(invite.status)}${followUps(invite, prefix)}</td>
<td data-label="Closes">${time(invite.expiresAt)}</td>
<td class="do"><a class="button" id="invite-${invite.inviteId}" href="${linkOf(invite, prefix)}" aria-label="Open link: invite of ${invite.candidate.email}">Open link</a>${copyButton(invite.inviteId, 'Copy id', invite.inviteId)}</td>
</tr>`,
  )
  return html`<div class="scroll"><table>
<thead><tr><th scope="col">Candidate</th><th scope="col">Skill</th><th scope="col">Status</th><th scope="col">Closes</th><th scope="col"><span class="hidden">Link</span></th></tr></thead>
<tbody>${lines}</tbody></table></div>`
}

function followUps({ followUpOf, followedBy }: MockInvite, prefix: string): Markup {
  const to = (inviteId: string, words: string): Markup =>
    html`<a class="follow" href="${prefix}/invites?q=${inviteId}">${words}</a>`
  return html`${followUpOf ? to(followUpOf.inviteId, `${followUpOf.kind} of another`) : ''}${followedBy === null ? '' : to(followedBy, 'was followed up')}`
}

function statusName(status: string): string {
  return status.toLowerCase().replace('_', ' ')
}

const STATUSES = ['PENDING', 'IN_PROGRESS', 'PASSED', 'FAILED', 'ABANDONED', 'EXPIRED', 'WITHDRAWN'] as const
