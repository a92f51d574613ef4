import { html } from 'hono/html'
import type { FaultRecord } from '../contract/members.ts'
import type { MockServer } from '../contract/mock-server.ts'
import type { FaultRule } from '../generated/contract.ts'
import { OPERATIONS } from '../generated/operations.ts'
import { EVENT_TYPES } from '../world/events.ts'
import { type EachFault, faultSentence, faultWords, KINDS } from './fault-sentence.ts'
import { action, badge, count, empty, hiddenHeading, isolated, type Markup, section, table } from './kit/markup.ts'
import { operationName } from './view.ts'

/** The rules, with their hits, and the most wanted ones as buttons. */
export function faultsSection({ faults }: MockServer): Markup {
  const rules = faults.list()
  const presets = PRESETS.map(([label, rule], index) =>
    action('POST /faults', label, {
      id: `preset-${index}`,
      body: { ...rule },
      about: faultSentence(rule),
      done: 'Fault {id} added',
    }),
  )
  return section({
    id: 'faults',
    title: 'Faults',
    parts: ['faults'],
    summary: count(rules.length, 'rule'),
    ...(rules.length > 0 && {
      actions: action('DELETE /faults', 'Remove all', {
        id: 'faults-clear',
        look: 'quiet',
        asks: `Remove ${count(rules.length, 'rule')}, with the counts?`,
        done: `Removed ${count(rules.length, 'rule')}`,
      }),
    }),
    body: html`<div class="buttons">${presets}</div>
<p class="small">The first rule that matches a request, and is not used up, decides.</p>
${rules.length === 0 ? empty('No fault is set. Choose one above, or make a rule below; its hits are counted here.') : ruleTable(rules)}`,
  })
}

const CREATE = 'developerCreateCertificationInvite'

const PRESETS: readonly (readonly [label: string, rule: FaultRule])[] = [
  ['Response lost after the invite was created', { operation: CREATE, phase: 'after', fault: 'cut' }],
  ['Service down (503)', { fault: 503, times: null }],
  ['Rate limited', { fault: { status: 429, headers: { 'retry-after': '2' } } }],
  ['Slow (3 s)', { fault: { delayMs: 3000 }, times: null }],
  ['Time-out', { operation: CREATE, phase: 'after', fault: 'hang' }],
]

export function faultForms(): Markup {
  const operations = OPERATIONS.map((name) => html`<option value="${name}">${operationName(name)}</option>`)
  const events = EVENT_TYPES.map((type) => html`<option>${type}</option>`)
  return html`<div class="columns">${ruleForm(
    'add-request',
    'Break a request',
    html`<label>Operation <select name="operation"><option value="">any</option>${operations}</select></label>
<label>What happens <select name="fault" data-type="json">${options(REQUEST_FAULTS)}</select></label>
<label>When <select name="phase"><option value="before">before the request is executed</option>
<option value="after">after it was executed</option></select></label>
${EMAIL_AND_TIMES}`,
  )}${ruleForm(
    'add-callback',
    'Break a callback',
    html`<label>Event <select name="event"><option>any</option>${events}</select></label>
<label>What happens <select name="fault" data-type="json">${options(CALLBACK_FAULTS)}</select></label>
${EMAIL_AND_TIMES}`,
  )}</div>
<p class="small">Scripts, probabilities and keys are set by the control API, and are listed here too.</p>`
}

function ruleForm(id: string, title: string, fields: Markup): Markup {
  const body = html`<form class="fields grid" id="${id}-form" method="dialog" data-api="POST /faults"
  data-done="Fault {id} added">
${fields}
<div class="buttons wide"><button class="primary">Add the fault</button></div>
</form>`
  return section({ id, title, body })
}

function ruleTable(rules: readonly FaultRecord[]): Markup {
  const lines = rules.map((rule) => {
    const { id, hits, left, ...given } = rule
    const remove = action(`DELETE /faults/${id}`, 'Remove', {
      id: `remove-${id}`,
      look: 'quiet',
      about: id,
      done: `Removed ${id}`,
    })
    return html`<tr id="row-${id}" class="${left === 0 ? 'used-up' : ''}">
<td><p>${isolated(faultSentence(rule))} ${left === 0 ? badge('used up') : ''}</p>
<details id="details-${id}"><summary><code>${id}</code> as JSON</summary><code>${JSON.stringify(given)}</code></details></td>
<td data-label="Hits" class="number">${hits}</td>
<td data-label="Left" class="number">${left === Infinity ? '∞' : left}</td>
<td class="do">${remove}</td>
</tr>`
  })
  const numbers = ['Hits', 'Left'].map((each) => html`<th scope="col" class="number">${each}</th>`)
  return table(['Rule', ...numbers, hiddenHeading('Remove')], lines)
}

/* A choice, so that no empty field can mean both once and always. */
const TIMES = [1, 2, 3, 5, 10, 100].map(
  (times) => html`<option value="${times}">${times === 1 ? 'once' : `the next ${times} times`}</option>`,
)

const EMAIL_AND_TIMES = html`<label>Candidate’s e-mail
<input type="email" name="email" placeholder="anybody" dir="auto"></label>
<label>How often <select name="times" data-type="json">${TIMES}
<option value="null">always, until it is removed</option></select></label>`

function options(faults: readonly EachFault[]): Markup[] {
  return faults.map((fault) => html`<option value="${JSON.stringify(fault)}">${faultWords(fault)}</option>`)
}

const REQUEST_FAULTS: readonly EachFault[] = [
  ...(Object.keys(KINDS) as (keyof typeof KINDS)[]),
  503,
  502,
  { status: 429, headers: { 'retry-after': '2' } },
  { code: 'INTERNAL_SERVER_ERROR' },
  { delayMs: 3000 },
]

const CALLBACK_FAULTS: readonly EachFault[] = ['refuse', 'duplicate', { delay: '1h' }]
