import { html } from 'hono/html'
import { RECEIVER_HOST } from '../contract/members.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { ENDPOINT_PATH } from '../contract/paths.ts'
import { hasSampleData } from '../control/sample-data.ts'
import { LEVELS } from '../world/model.ts'
import { CREATE, CREATE_PACKAGE, exampleQuiz } from './console-examples.ts'
import { action, type Markup, section, skill } from './kit/markup.ts'
import { snippetButtons, type ViewRequest } from './view.ts'

/** The form that creates an invite. A field is named after its place in the input of the service. */
export function inviteForm(mock: MockServer, { prefix, rows }: ViewRequest): Markup {
  const body = html`<form class="fields grid" id="invite-form" method="dialog" data-api="POST /invites"
  data-done="Invite created" data-to="/invites/{invites.0.inviteId}" data-to-many="/invites?q={invites.0.candidate.email}"
  data-endpoint="${prefix}${ENDPOINT_PATH}" data-headers="${JSON.stringify({ 'x-api-key': mock.apiKey })}"
  data-documents="${JSON.stringify([CREATE, CREATE_PACKAGE])}">
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
<div class="buttons wide"><button class="primary">Create the invite</button>
${snippetButtons('this invite')}</div>
</form>
${hasSampleData(rows.invites.kept()) ? '' : sampleForm()}`
  return section({ id: 'new-invite', title: 'New invite', body })
}

function sampleForm(): Markup {
  return html`<div class="buttons">${action('POST /sample-data', 'Fill with sample data', {
    id: 'sample-data',
    done: 'Sample data: six candidates',
    to: '/invites',
  })} <small>six candidates, in different states</small></div>`
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
