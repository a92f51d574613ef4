import { html } from 'hono/html'
import { RECEIVER_HOST } from '../contract/members.ts'
import type { MockServer } from '../contract/mock-server.ts'
import type { MockInvite } from '../generated/contract.ts'
import { LEVELS } from '../world/model.ts'
import { exampleQuiz } from './examples.ts'
import { badge, type Markup, person, section, skill, table, time } from './kit/markup.ts'
import { rowsSection, STATUSES, type ViewRequest } from './view.ts'

export function invitesSection(_mock: MockServer, requested: ViewRequest): Markup {
  const { invites } = requested.rows
  return rowsSection(invites, requested, {
    id: 'invites',
    title: 'Invites',
    parts: ['world', 'clock'],
    noun: 'invite',
    labels: STATUSES,
    actions: html`<a class="button primary" href="#new-invite">New invite</a>`,
    search: ['q', 'candidate, skill or identifier'],
    noneYet: 'No invites yet.',
    none: 'No invite matches.',
    show: (rows) => inviteTable(rows, requested.prefix),
  })
}

function inviteTable(rows: readonly MockInvite[], prefix: string): Markup {
  return table(
    ['Candidate', 'Skill', 'Status', 'Created', 'Closes'],
    rows.map((invite) => inviteLine(invite, prefix)),
  )
}

function inviteLine(invite: MockInvite, prefix: string): Markup {
  const { inviteId, candidate, skillName, level, status, createdAt, expiresAt, followUpOf } = invite
  const isOpen = status === 'PENDING' || status === 'IN_PROGRESS'
  return html`<tr id="row-${inviteId}">
<td class="who"><a href="${prefix}/invites/${inviteId}">${person(candidate, 'beginning')}</a></td>
<td>${skillName} <small>${level.toLowerCase()}${followUpOf ? `, ${followUpOf.kind}` : ''}</small></td>
<td>${badge(status)}</td>
<td>${time(createdAt)}</td>
<td class="wide-only">${isOpen ? time(expiresAt) : html`<span class="off">–</span>`}</td>
</tr>`
}

/** The form that creates an invite. A field is named after its place in the input of the service. */
export function inviteForm(mock: MockServer, { prefix }: ViewRequest): Markup {
  const body = html`<form class="fields grid" id="invite-form" method="dialog" data-api="POST /invites"
  data-done="Invite created" data-to="/invites/{invites.0.inviteId}" data-to-many="/invites?q={invites.0.candidate.email}">
<label class="wide">Quiz or package <select name="" data-type="members">${choices(mock)}</select></label>
<label>Candidate’s name <input name="candidate.name" value="Ada Byron" placeholder="none" autocomplete="off" dir="auto"></label>
<label>Candidate’s e-mail <input name="candidate.email" type="email" value="ada@example.com" required
  autocomplete="off" dir="auto"></label>
<label>Callback URL <input name="callbackUrl" type="url" value="${RECEIVER}" placeholder="none" list="receivers"
  autocomplete="off" data-hint="It must start with https://; map it to your application under Connect."></label>
<label>External reference, for a quiz <input name="externalReference" placeholder="none" autocomplete="off" dir="auto"
  data-hint="Only an invite to one quiz has a reference."></label>
<datalist id="receivers"><option value="${RECEIVER}">keep what arrives here</option></datalist>
<p class="small wide">Callbacks to <code>${RECEIVER}</code> are kept under <a href="${prefix}/callbacks">Callbacks</a>.
To receive them in your application, see <a href="${prefix}/connect#targets">Connect</a>.</p>
<label class="check wide"><input type="checkbox" name="sendInviteEmail" data-type="boolean" checked> Send the e-mail</label>
<div class="buttons wide"><button class="primary">Create the invite</button></div>
</form>`
  return section({ id: 'new-invite', title: 'New invite', body })
}

/** All packages by track and all quizzes by skill, each by name. */
function choices(mock: MockServer): Markup[] {
  const chosen = exampleQuiz(mock)
  const option = (member: 'quizId' | 'packageId', id: string, label: string, isReady: boolean): Markup =>
    html`<option value="${JSON.stringify({ [member]: id })}" ${id === chosen ? html`selected` : ''}
>${label}${isReady ? '' : ' (not READY)'}</option>`
  const sorted = mock.quizzes.toSorted(
    (a, b) => a.skillName.localeCompare(b.skillName, 'en') || LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level),
  )
  const single = sorted.map((quiz) => option('quizId', quiz.id, skill(quiz), quiz.ready))
  const packages = mock.tracks.map(({ name, packages: each }) => {
    const options = each.map((pack) => option('packageId', pack.id, pack.name, pack.deliverable))
    return options.length === 0 ? '' : html`<optgroup label="Package: ${name}">${options}</optgroup>`
  })
  return [html`<optgroup label="One quiz">${single}</optgroup>`, html`${packages}`]
}

const RECEIVER = `https://${RECEIVER_HOST}/hook`
