import { html } from 'hono/html'
import type { FaultRecord } from '../contract/members.ts'
import type { MockServer } from '../contract/mock-server.ts'
import type { CallbackFault, Fault } from '../generated/contract.ts'
import { OPERATIONS } from '../generated/operations.ts'
import { action, count, empty, foreign, hiddenHeading, type Markup, section, snippetButtons, table } from './markup.ts'

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
        look: 'quiet',
        asks: `Remove ${count(rules.length, 'rule')}, with the counts?`,
        done: `Removed ${count(rules.length, 'rule')}`,
      }),
    }),
    body:
      rules.length === 0 ? empty('No fault is set. Add a rule below; its hits are counted here.') : ruleTable(rules),
  })
}

export function faultForms(): Markup {
  const operations = OPERATIONS.map((name) => html`<option>${name}</option>`)
  return html`<div class="columns">${ruleForm(
    'add-request',
    'Break a request',
    html`<label>Operation <select name="operation"><option value="">any</option>${operations}</select></label>
<label>What happens <select name="fault" data-type="json">${options(REQUEST_FAULTS)}</select></label>
<label>When <select name="phase"><option value="before">before it takes effect</option>
<option value="after">after it took effect</option></select></label>
${EMAIL_AND_TIMES}`,
  )}${ruleForm(
    'add-callback',
    'Break a callback',
    html`<label>Event <select name="event"><option>any</option><option>certification.completed</option>
<option>certification.follow_up_claimed</option></select></label>
<label>What happens <select name="fault" data-type="json">${options(CALLBACK_FAULTS)}</select></label>
${EMAIL_AND_TIMES}`,
  )}</div>
<p class="small">Scripts, probabilities and keys are set by the control API, and are listed here too.</p>`
}

function ruleForm(id: string, title: string, fields: Markup): Markup {
  const body = html`<form class="fields grid" id="${id}-form" method="dialog" data-api="POST /faults"
  data-done="Fault {id} added">
${fields}
<div class="buttons wide"><button class="primary">Add the fault</button> ${snippetButtons(title, ['curl'])}</div>
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
    return html`<tr id="row-${id}">
<td><p>${faultSentence(rule)}</p>
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

function options(faults: readonly (readonly [fault: unknown, words: string])[]): Markup[] {
  return faults.map(([fault, words]) => html`<option value="${JSON.stringify(fault)}">${words}</option>`)
}

const REQUEST_FAULTS = [
  ['cut', 'the connection is cut'],
  ['reset', 'the connection is reset'],
  ['hang', 'no response ever comes'],
  ['stall', 'half a response, then nothing'],
  ['truncate', 'half a response, then the end'],
  [503, 'HTTP 503'],
  [502, 'HTTP 502, a page in HTML'],
  [{ status: 429, headers: { 'retry-after': '2' } }, 'HTTP 429, retry after 2 s'],
  [{ code: 'INTERNAL_SERVER_ERROR' }, 'the error INTERNAL_SERVER_ERROR'],
  [{ delayMs: 3000 }, 'the response, 3 s late'],
] as const

const CALLBACK_FAULTS = [
  ['refuse', 'the connection is refused'],
  ['duplicate', 'it arrives twice'],
  [{ delay: '1h' }, 'it arrives an hour late'],
] as const

/** A rule as a sentence: what it affects, and what happens to it. How often it applies is shown beside it. */
function faultSentence(rule: FaultRecord): Markup {
  const { email, probability = 1, script } = rule
  const share = probability < 1 ? `${Math.round(probability * 1000) / 10} % of the ` : ''
  const candidate = email === undefined ? '' : html` for ${foreign(email, 'beginning')}`
  const key = 'key' in rule ? ` with the key ${rule.key}` : ''
  const what = script ? `in turn ${script.map(faultWords).join(', ')}` : faultWords(rule.fault ?? 'ok')
  return html`${upperCased(share + subjectOf(rule))}${candidate}${key}: ${what}${effectOf(rule)}.`
}

function subjectOf(rule: FaultRecord): string {
  if ('event' in rule) return rule.event === 'any' ? 'callbacks' : `callbacks ${rule.event}`
  return SUBJECTS[rule.operation ?? ''] ?? 'requests'
}

const SUBJECTS: Readonly<Record<string, string>> = {
  developerCreateCertificationInvite: 'creates',
  developerCreateCertificationPackageInvite: 'package creates',
  developerCertificationPackageTracks: 'listings',
}

/** Whether the request has an effect. A late answer always follows an effect. */
function effectOf(rule: FaultRecord): string {
  const faults = [rule.fault, rule.script].flat().filter((fault) => fault !== undefined)
  if ('event' in rule || faults.every((fault) => 'delayMs' in Object(fault))) return ''
  return 'phase' in rule && rule.phase === 'after' ? ' after they took effect' : ', before they take effect'
}

function faultWords(fault: Fault | CallbackFault | 'ok'): string {
  if (typeof fault === 'number') return `HTTP ${fault}`
  if (typeof fault === 'string') return WORDS[fault]
  if ('delay' in fault) return `delivered ${fault.delay}${typeof fault.delay === 'number' ? ' ms' : ''} later`
  if ('code' in fault) return `the error ${fault.code}`
  if ('status' in fault) {
    const headers = Object.entries(fault.headers ?? {}).map(([name, value]) => `${name} ${value}`)
    return `HTTP ${fault.status}${headers.length === 0 ? '' : ` with ${headers.join(' and ')}`}`
  }
  return `answered ${fault.delayMs / 1000} s late`
}

const WORDS: Readonly<Record<Extract<Fault | CallbackFault | 'ok', string>, string>> = {
  ok: 'nothing',
  cut: 'cut',
  reset: 'reset',
  hang: 'no response',
  stall: 'half a response, then nothing',
  truncate: 'half a response, then the end',
  refuse: 'connection refused',
  duplicate: 'delivered twice',
}

function upperCased(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
