import { html } from 'hono/html'
import { RECEIVER_HOST } from '../contract/callbacks.ts'
import { inviteInput } from '../contract/invite-input.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { NEW_INVITE_PATH, SAMPLE_DATA_PATH } from '../contract/paths.ts'
import { parseWith } from '../contract/validation.ts'
import { refuse } from '../control/control-errors.ts'
import { hasSampleData } from '../control/sample-data.ts'
import { LEVELS } from '../world/model.ts'
import { exampleQuiz } from './example-ids.ts'
import type { Markup } from './markup.ts'
import type { ViewRequest } from './row-list.ts'

/** The fields of the form, as somebody has filled them in. */
export type Entries = Readonly<Record<string, string>>

export interface FormState {
  readonly entries?: Entries
  /** Why the last try was refused. */
  readonly problem?: string
  readonly open?: boolean
}

/** The input of a create from the fields of the form. An empty field is left out. */
export function inputFrom({ what = '', name, email = '', callbackUrl, externalReference, mail }: Entries) {
  const [, kind = '', id = ''] =
    /^(quiz|package) (.+)$/.exec(what) ?? refuse(409, 'NO_CHOICE', 'Choose a quiz or a package.')
  const input = {
    [`${kind}Id`]: id,
    candidate: { ...(name && { name }), email },
    sendInviteEmail: mail !== undefined,
    ...(callbackUrl && { callbackUrl }),
    ...(externalReference && { externalReference }),
  }
  return parseWith(inviteInput, input, 'This invite cannot be created')
}

/** The form that creates an invite. It is a plain form: it works without JavaScript. */
export function inviteForm(mock: MockServer, { prefix, rows }: ViewRequest, state: FormState = {}): Markup {
  const { entries = FIRST_ENTRIES, problem, open = problem !== undefined } = state
  const field = (name: string, label: string, more: Markup): Markup =>
    html`<label>${label} <input name="${name}" value="${entries[name] ?? ''}" autocomplete="off" ${more}></label>`
  return html`<section class="card" aria-labelledby="new-invite-title"><details id="new-invite" ${open ? html`open` : ''}>
<summary><h2 id="new-invite-title">New invite</h2></summary>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
<form class="fields invite-form" method="post" action="${prefix}${NEW_INVITE_PATH}" novalidate data-once>
<label class="wide">Quiz or package <select name="what">${choices(mock, entries['what'] ?? `quiz ${exampleQuiz(mock)}`)}</select></label>
${field('name', 'Candidate’s name', html`placeholder="none" dir="auto"`)}
${field('email', 'Candidate’s e-mail', html`type="email" dir="auto"`)}
${field('callbackUrl', 'Callback URL', html`placeholder="none" type="url" list="receivers"`)}
${field('externalReference', 'External reference, for a quiz', html`placeholder="none" dir="auto"`)}
<datalist id="receivers"><option value="${RECEIVER}">keep what arrives here</option></datalist>
<p class="small wide">Callbacks to <code>${RECEIVER}</code> are kept here, under <a href="${prefix}/callbacks">Callbacks</a>: no server is needed.</p>
<label class="check"><input type="checkbox" name="mail" ${entries['mail'] === undefined ? '' : html`checked`}> Send the e-mail</label>
<button class="primary">Create the invite</button>
</form>
${hasSampleData(rows.invites.kept()) ? '' : sampleForm(prefix)}
</details></section>`
}

function sampleForm(prefix: string): Markup {
  return html`<form class="sample" method="post" action="${prefix}${SAMPLE_DATA_PATH}" data-once><button>Fill with sample data</button> <small>six candidates, in different states</small></form>`
}

/** All packages by track and all quizzes by skill, each by name. */
function choices({ tracks, quizzes }: MockServer, chosen: string): Markup[] {
  const option = (value: string, label: string, isReady: boolean): Markup =>
    html`<option value="${value}" ${value === chosen ? html`selected` : ''}>${label}${isReady ? '' : ' (not READY)'}</option>`
  const sorted = quizzes.toSorted(
    (a, b) => a.skillName.localeCompare(b.skillName, 'en') || LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level),
  )
  const single = sorted.map(({ id, skillName, level, ready }) =>
    option(`quiz ${id}`, `${skillName}, ${level.toLowerCase()}`, ready),
  )
  const packages = tracks.map(({ name, packages: each }) => {
    const options = each.map((pack) => option(`package ${pack.id}`, pack.name, pack.deliverable))
    return options.length === 0 ? '' : html`<optgroup label="Package: ${name}">${options}</optgroup>`
  })
  return [html`<optgroup label="One quiz">${single}</optgroup>`, html`${packages}`]
}

const RECEIVER = `https://${RECEIVER_HOST}/hook`

const FIRST_ENTRIES: Entries = { name: 'Ada Byron', email: 'ada@example.com', callbackUrl: RECEIVER, mail: 'on' }
