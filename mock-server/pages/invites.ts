import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { inviteWords } from '../control/row-search.ts'
import type { Invite, MockInvite } from '../world/model.ts'
import { CANDIDATE_ACTS } from './candidate-page.ts'
import { listSection, sortHeading } from './kit/lists.ts'
import { badge, count, type Markup, person, table, time } from './kit/markup.ts'
import { type Orders, rowsOf, type ViewRequest } from './view.ts'

export function invitesSection(_mock: MockServer, requested: ViewRequest): Markup {
  const { invites } = requested.rows
  const { q = '', status = '' } = requested.query
  const hasStatus = status !== '' && { fits: (invite: Invite): boolean => invites.statusOf(invite) === status }
  const orders: Orders<Invite> = { ...ORDERS, status: (invite) => invites.statusOf(invite) }
  const found = rowsOf(invites, { words: inviteWords, ...hasStatus }, requested, 'q', orders)
  return listSection(requested, {
    id: 'invites',
    title: 'Invites',
    parts: ['world', 'clock'],
    found,
    summary: count(found.total, 'invite'),
    actions: html`<a class="button primary" href="#new-invite">New invite</a>`,
    search: ['q', 'candidate, skill or identifier'],
    statuses: () => invites.kept().map(invites.statusOf),
    none: q === '' && status === '' ? 'No invites yet.' : 'No invite matches.',
    rows: (rows) => html`${SELECTION_BAR}${inviteTable(rows, requested)}`,
  })
}

const ORDERS: Orders<Invite> = {
  candidate: ({ candidate }) => (candidate.name ?? candidate.email).toLowerCase(),
  skill: ({ skillName }) => skillName,
  created: ({ createdAt }) => createdAt,
  closes: ({ expiresAt }) => expiresAt,
}

/** Acts as the candidates of all invites that are selected. */
const SELECTION_BAR = html`<div class="selection" role="group" aria-label="Act as the candidates of the selected invites">
<span id="selected-count">0 selected</span>${CANDIDATE_ACTS.map(
  ([act, label]) => html`<button type="button" id="selected-${act}" data-selected="${act}" disabled>${label}</button>`,
)}</div>`

function inviteTable(rows: readonly MockInvite[], requested: ViewRequest): Markup {
  const all = html`<th scope="col" class="select"><input type="checkbox" data-select-all aria-label="Select all"></th>`
  return table(
    [
      all,
      sortHeading(requested, 'candidate', 'Candidate'),
      sortHeading(requested, 'skill', 'Skill'),
      sortHeading(requested, 'status', 'Status'),
      sortHeading(requested, 'created', 'Created'),
      sortHeading(requested, 'closes', 'Closes'),
    ],
    rows.map((invite) => inviteLine(invite, requested.prefix)),
  )
}

function inviteLine(invite: MockInvite, prefix: string): Markup {
  const { inviteId, candidate, skillName, level, status, createdAt, expiresAt, followUpOf } = invite
  const isOpen = status === 'PENDING' || status === 'IN_PROGRESS'
  const box = html`<td class="select"><input type="checkbox" id="select-${inviteId}" data-select="${inviteId}"
  aria-label="Select the invite of ${candidate.email}"></td>`
  return html`<tr id="row-${inviteId}">
${box}
<td class="who"><a href="${prefix}/invites/${inviteId}">${person(candidate, 'beginning')}</a></td>
<td>${skillName} <small>${level.toLowerCase()}${followUpOf ? `, ${followUpOf.kind}` : ''}</small></td>
<td>${badge(status)}</td>
<td>${time(createdAt)}</td>
<td class="wide-only">${isOpen ? time(expiresAt) : html`<span class="off">–</span>`}</td>
</tr>`
}
