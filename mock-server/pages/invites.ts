import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { inviteWords } from '../control/row-search.ts'
import type { Invite, MockInvite } from '../world/model.ts'
import { badge, copyButton, type Markup, person, statusName, table, time } from './markup.ts'
import { linkOf } from './outbox.ts'
import { count, listSection, rowsOf, searchForm, type ViewRequest } from './row-list.ts'

export function invitesSection(_mock: MockServer, requested: ViewRequest): Markup {
  const { invites } = requested.rows
  const { q = '', status = '' } = requested.query
  const hasStatus = status !== '' && { fits: (invite: Invite): boolean => invites.statusOf(invite) === status }
  const found = rowsOf(invites, { words: inviteWords, ...hasStatus }, requested, 'q')
  const choices = STATUSES.map(
    (each) => html`<option value="${each}" ${each === status ? html`selected` : ''}>${statusName(each)}</option>`,
  )
  const filter = html`<label>Status <select name="status"><option value="">any</option>${choices}</select></label>`
  return listSection(requested, {
    id: 'invites',
    title: 'Invites',
    parts: ['world', 'clock'],
    found,
    summary: count(found.total, 'invite'),
    all: 'All invites',
    search: searchForm(requested, 'q', 'Candidate, skill or identifier', filter),
    none: q === '' && status === '' ? 'No invite was created yet.' : 'No invite matches.',
    rows: (rows) => inviteTable(rows, requested),
  })
}

function inviteTable(rows: readonly MockInvite[], { prefix }: ViewRequest): Markup {
  const lines = rows.map(
    (invite) => html`<tr>
<td data-label="Candidate" class="who"><a href="${prefix}/invites/${invite.inviteId}">${person(invite.candidate, 'beginning')}</a></td>
<td data-label="Skill"><a href="${prefix}/invites/${invite.inviteId}" aria-label="${invite.skillName}: invite of ${invite.candidate.email}">${invite.skillName}</a> <small>${invite.level.toLowerCase()}</small></td>
<td data-label="Status">${badge(invite.status)}${followUpLinks(invite, prefix)}</td>
<td data-label="Closes">${time(invite.expiresAt)}</td>
<td class="do"><a class="button" id="invite-${invite.inviteId}" href="${linkOf(invite, prefix)}" aria-label="Open link: invite of ${invite.candidate.email}">Open link</a>${copyButton(invite.inviteId, 'Copy id', invite.inviteId)}</td>
</tr>`,
  )
  return table(['Candidate', 'Skill', 'Status', 'Closes'], 'Link', lines)
}

function followUpLinks({ followUpOf, followedBy }: MockInvite, prefix: string): Markup {
  const to = (inviteId: string, words: string): Markup =>
    html`<a class="follow" href="${prefix}/invites/${inviteId}">${words}</a>`
  return html`${followUpOf ? to(followUpOf.inviteId, `${followUpOf.kind} of another`) : ''}${followedBy === null ? '' : to(followedBy, 'was followed up')}`
}

const STATUSES = ['PENDING', 'IN_PROGRESS', 'PASSED', 'FAILED', 'ABANDONED', 'EXPIRED', 'WITHDRAWN'] as const
