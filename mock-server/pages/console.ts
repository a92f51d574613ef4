import { html } from 'hono/html'
import { SDL } from '../api/schema.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { CONTROL_PATH, ENDPOINT_PATH } from '../contract/paths.ts'
import { type Example, examplesFor } from './console-examples.ts'
import { type Markup, section } from './kit/markup.ts'
import { snippetButtons, type ViewRequest } from './view.ts'

/** A form that sends documents to the endpoint, and the schema. Its script sends them. */
export function consoleSection(mock: MockServer, requested: ViewRequest): Markup {
  const { operations, refusals } = examplesFor(mock)
  const { prefix } = requested
  const [first] = operations
  const credentials = credentialsOf(mock).map(
    ({ name, headers }) => html`<option data-headers="${JSON.stringify(headers)}">${name}</option>`,
  )
  const body = html`<form class="fields console" id="console-form" method="dialog"
  data-endpoint="${prefix}${ENDPOINT_PATH}">
<div class="toolbar">
  <button class="primary">Run <kbd>Ctrl Enter</kbd></button>
  <button type="button" id="console-cancel" hidden>Cancel</button>
  <label>Credentials <select id="credentials">${credentials}</select></label>
  <label>Example <select id="example"><option value="">choose one</option>
    <optgroup label="Operations">${operations.map(choice)}</optgroup>
    <optgroup label="Refusals">${refusals.map(choice)}</optgroup></select></label>
  <label>History <select id="history"><option value="">nothing yet</option></select></label>
  <button type="button" class="quiet" id="console-format">Format</button>
  ${snippetButtons('this document')}
</div>
<div class="editors">
${editor('query', 'Document', first.query, 12)}
${editor('variables', 'Variables', JSON.stringify(first.variables, null, 2), 9)}
<p class="small" id="console-keys"><kbd>Tab</kbd> indents; after <kbd>Esc</kbd> it leaves the field.</p>
</div>
<div class="result">
<div class="line"><h3 id="response-title">Response</h3> <span id="console-outcome" class="small" role="status"></span></div>
<div id="response" class="response" tabindex="0" role="region" aria-labelledby="response-title">Nothing was sent yet.</div>
</div>
</form>
<details id="schema"><summary>Schema</summary>
<input type="search" id="schema-search" aria-label="Search the schema" placeholder="Search the schema">
${DEFINITIONS.map((text) => html`<pre tabindex="0" role="group" aria-label="Definition" data-language="graphql">${text}</pre>`)}</details>
<script type="module" src="${prefix}${CONTROL_PATH}/assets/console.js"></script>`
  return section({ id: 'console', title: 'Console', body })
}

/* Each with the description before it. */
const DEFINITIONS = SDL.trim().split(/\n{2,}(?="|type )/)

/** A text area, which the script lays over the same text in colours. */
function editor(name: string, label: string, text: string, rows: number): Markup {
  return html`<label for="console-${name}">${label}</label>
<div class="editor"><pre aria-hidden="true"></pre><textarea name="${name}" id="console-${name}" rows="${rows}"
  data-type="${name === 'variables' ? 'json' : 'text'}" spellcheck="false" aria-describedby="console-keys"
>${text}</textarea></div>`
}

/** Every way to authenticate in this world, and ways that it refuses. */
function credentialsOf({ apiKeys, adminSession }: MockServer): Credentials[] {
  return [
    ...apiKeys.map(({ name, key }) => ({ name: `key ${name}`, headers: { 'x-api-key': key } })),
    { name: 'admin session', headers: adminSession.headers },
    { name: 'none', headers: {} },
    { name: 'unknown key', headers: { 'x-api-key': 'ck_unknown' } },
    { name: 'unknown session', headers: { authorization: 'Bearer unknown' } },
  ]
}

interface Credentials {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
}

function choice({ name, query, variables, credentials, code }: Example): Markup {
  const text = JSON.stringify({ query, variables: JSON.stringify(variables, null, 2), credentials })
  return html`<option data-text="${text}">${name}${code === undefined ? '' : ` (${code})`}</option>`
}
