import { html } from 'hono/html'
import type { FaultRecord } from '../contract/members.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { OPERATIONS } from '../generated/operations.ts'
import { faultSentence } from './fault-sentence.ts'
import { action, empty, type Markup, section, table } from './markup.ts'
import { count } from './row-list.ts'

/** The rules, with their hits. */
export function faultsSection({ faults }: MockServer): Markup {
  const rules = faults.list()
  return section({
    id: 'faults',
    title: 'Faults',
    parts: ['faults'],
    summary: count(rules.length, 'rule'),
    ...(rules.length > 0 && {
      actions: action('DELETE /faults', 'Remove all', {
        id: 'faults-clear',
        asks: 'Remove all rules, with their counts?',
      }),
    }),
    body:
      rules.length === 0
        ? empty('Nothing goes wrong. Add a rule below, and its hits are counted here.')
        : ruleTable(rules),
  })
}

export function faultForms(): Markup {
  return html`<div class="columns">
<section class="card" aria-labelledby="add-request"><h2 id="add-request">Break a request</h2>
<form class="fields" data-api="POST /faults">
<label>Operation <select name="operation"><option value="">any</option>${OPERATIONS.map((name) => html`<option>${name}</option>`)}</select></label>
<label>What happens <select name="fault" data-type="json">${options(REQUEST_FAULTS)}</select></label>
<label>When <select name="phase"><option value="before">before the effect: nothing is created</option><option value="after">after the effect: created, but the answer is lost or changed</option></select></label>
${EMAIL_AND_TIMES}
<button class="primary">Add the fault</button>
</form></section>
<section class="card" aria-labelledby="add-callback"><h2 id="add-callback">Break a callback</h2>
<form class="fields" data-api="POST /faults">
<label>Event <select name="event"><option>any</option><option>certification.completed</option><option>certification.follow_up_claimed</option></select></label>
<label>What happens <select name="fault" data-type="json">${options(CALLBACK_FAULTS)}</select></label>
${EMAIL_AND_TIMES}
<button class="primary">Add the fault</button>
</form></section>
<section class="card" aria-labelledby="add-json"><h2 id="add-json">Any rule, as JSON</h2>
<form class="fields" data-api="POST /faults">
<label>Rule <textarea name="rule" data-whole rows="4" spellcheck="false" class="code">{ "script": [503, 503, "ok", "cut"] }</textarea></label>
<button>Add the rule</button>
</form></section>
</div>`
}

function ruleTable(rules: readonly FaultRecord[]): Markup {
  const lines = rules.map((rule) => {
    const { id, hits, left, ...given } = rule
    const sentence = html`<p class="sentence">${faultSentence(rule)}</p>`
    return html`<tr>
<td data-label="Rule">${sentence}<details id="details-${id}"><summary><code>${id}</code> as JSON</summary><code>${JSON.stringify(given)}</code></details></td>
<td data-label="Hits" class="number">${hits}</td>
<td data-label="Left" class="number">${left === Infinity ? '∞' : left}</td>
<td class="do">${action(`DELETE /faults/${id}`, 'Remove', { id: `remove-${id}`, about: id })}</td>
</tr>`
  })
  const numbers = ['Hits', 'Left'].map((each) => html`<th scope="col" class="number">${each}</th>`)
  return table(['Rule', ...numbers], 'Remove', lines)
}

/* A choice, so that no empty field can mean both once and always. */
const EMAIL_AND_TIMES = html`<label>Candidate’s e-mail <input type="email" name="email" placeholder="anybody" dir="auto"></label>
<label>How often <select name="times" data-type="json">${[1, 2, 3, 5, 10, 100].map((times) => html`<option value="${times}">${times === 1 ? 'once' : `the next ${times} times`}</option>`)}<option value="null">always, until it is removed</option></select></label>`

function options(faults: readonly (readonly [fault: unknown, words: string])[]): Markup[] {
  return faults.map(([fault, words]) => html`<option value="${JSON.stringify(fault)}">${words}</option>`)
}

const REQUEST_FAULTS = [
  ['cut', 'the connection is cut'],
  ['reset', 'the connection is reset'],
  ['hang', 'no answer ever comes'],
  ['stall', 'half an answer, then nothing'],
  ['truncate', 'half an answer, then the end'],
  [503, 'HTTP 503'],
  [502, 'HTTP 502, a page in HTML'],
  [{ status: 429, headers: { 'retry-after': '2' } }, 'HTTP 429, retry after 2 s'],
  [{ code: 'INTERNAL_SERVER_ERROR' }, 'a GraphQL error'],
  [{ delayMs: 3000 }, 'the true answer, 3 s late'],
] as const

const CALLBACK_FAULTS = [
  ['refuse', 'nobody answers'],
  ['drop', 'it is lost'],
  ['duplicate', 'it arrives twice'],
  ['reorder', 'it arrives after the next one'],
  ['forged', 'somebody else sends it first, to a wrong address'],
  ['truncated', 'half of it arrives'],
  ['huge', 'it arrives with five megabytes of spaces'],
  [{ delay: '1h' }, 'it is postponed for an hour'],
] as const
