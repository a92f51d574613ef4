import { html } from 'hono/html'
import { SDL } from '../api/schema.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { CONSOLE_PATH, CONTROL_PATH, ENDPOINT_PATH } from '../contract/paths.ts'
import type { MockExchange } from '../generated/contract.ts'
import type { SentRequests } from '../sandbox/request-log.ts'
import { rowWhere } from '../sandbox/rows.ts'
import { type Example, examplesFor } from './console-examples.ts'
import { curlCommand } from './curl-command.ts'
import { card, type Markup } from './markup.ts'
import type { ViewRequest } from './row-list.ts'

/** What is in the form: what a request of the log had, or what was sent without JavaScript. */
export interface ConsoleText {
  readonly query: string
  readonly variables: string
  readonly credentials: string
  /** Why the text is not that of the request that was asked for. */
  readonly problem?: string
}

/** A form that sends documents to the endpoint, and the schema. Its script sends them; without it, it shows a command. */
export function consoleSection(mock: MockServer, requested: ViewRequest, base: string, posted?: ConsoleText): Markup {
  const known = credentialsOf(mock)
  const { operations, refusals } = examplesFor(mock)
  const { prefix, query } = requested
  const text = posted ?? loggedText(requested, query['request'])
  const shown = text ?? textOf(operations[0])
  const options = known.map(
    ({ name, headers }) =>
      html`<option data-headers="${JSON.stringify(headers)}" ${name === shown.credentials ? html`selected` : ''}>${name}</option>`,
  )
  const assets = prefix + CONTROL_PATH
  const form = html`<form class="fields" id="console" method="post" action="${prefix}${CONSOLE_PATH}" data-endpoint="${prefix}${ENDPOINT_PATH}" ${text === null ? '' : html`data-given`}>
${shown.problem === undefined ? '' : html`<p class="problem" role="alert">${shown.problem}</p>`}
<div class="field"><label for="console-credentials">Key or session</label><select name="credentials" id="console-credentials">${options}</select></div>
<div class="field"><label for="console-example">Example</label><select name="example" id="console-example"><option value="">choose one</option><optgroup label="Operations">${operations.map(choice)}</optgroup><optgroup label="Refusals">${refusals.map(choice)}</optgroup></select></div>
<p class="small only-edited"><kbd>Ctrl Space</kbd> completes, <kbd>Shift Alt F</kbd> formats, <kbd>Tab</kbd> leaves the editor.</p>
<div class="field"><label for="console-query">Document</label><textarea name="query" id="console-query" rows="9" spellcheck="false" class="code">${shown.query}</textarea></div>
<div class="field"><label for="console-variables">Variables</label><textarea name="variables" id="console-variables" rows="9" spellcheck="false" class="code">${shown.variables}</textarea></div>
<div class="buttons"><button class="primary">Run <kbd>Ctrl Enter</kbd></button> <button type="button" id="console-cancel" hidden>Cancel</button> <span id="console-outcome" class="outcome small" role="status"></span></div>
</form>
<h3>Answer</h3>
<pre id="answer" class="answer" tabindex="0" role="log" aria-label="Answer" aria-live="polite">${posted === undefined ? 'Nothing was sent yet.' : commandFor(posted, known, base)}</pre>
<script type="module" src="${assets}/console.js"></script>
<script type="module" src="${assets}/console-editor.js"></script>`
  // The editor reads it from here.
  const sdl = html`<pre id="schema" tabindex="0" role="group" aria-label="Schema">${SDL}</pre>`
  return html`<div class="console">${card('console', 'Console', form)}${card('schema', 'Schema', sdl, 'schema')}</div>`
}

/** What a form without JavaScript sent. */
export function postedText(fields: URLSearchParams): ConsoleText {
  const text = (name: string): string => fields.get(name) ?? ''
  return { query: text('query'), variables: text('variables'), credentials: text('credentials') }
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
  return html`<option data-query="${query}" data-variables="${JSON.stringify(variables, null, 2)}" data-credentials="${credentials}">${name}${code === undefined ? '' : ` (${code})`}</option>`
}

function textOf({ query, variables, credentials }: Example): ConsoleText {
  return { query, variables: JSON.stringify(variables, null, 2), credentials }
}

/** The document and variables of a request of the log; `null` where none is asked for. */
function loggedText({ rows, requestLog }: ViewRequest, number: string | undefined): ConsoleText | null {
  if (number === undefined) return null
  const exchange = rowWhere(rows.requests, (each) => String(each.number) === number)
  const credentials = exchange ? credentialsName(exchange, requestLog) : 'none'
  const nothing = { query: '', variables: '{}', credentials }
  if (!exchange) return { ...nothing, problem: `The request log has no request ${number} any more.` }
  const { query, variables } = documentIn(exchange.body) ?? {}
  if (typeof query !== 'string')
    return { ...nothing, problem: `Request ${number} cannot be opened here: the log has no whole document of it.` }
  return { query, variables: JSON.stringify(variables ?? {}, null, 2), credentials }
}

/** The name of the credentials that a request had, among those of the form. */
function credentialsName({ number, key }: MockExchange, sentRequests: SentRequests): string {
  const sent = sentRequests.sentWith(number)
  if (key !== null) return `key ${key}`
  if (sent?.adminSession) return 'admin session'
  return sent?.unknownCredentials ? 'unknown key' : 'none'
}

function documentIn(body: string | null): { readonly query?: unknown; readonly variables?: unknown } | null {
  try {
    return Object(JSON.parse(body ?? '')) as { query?: unknown; variables?: unknown }
  } catch {
    return null
  }
}

/** What a form without JavaScript is answered with: a command that sends it. */
function commandFor(
  { query, variables, credentials }: ConsoleText,
  known: readonly Credentials[],
  base: string,
): string {
  const headers = known.find(({ name }) => name === credentials)?.headers ?? {}
  try {
    const body = JSON.stringify({ query, variables: JSON.parse(variables || '{}') as unknown })
    const command = curlCommand({
      url: base + ENDPOINT_PATH,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    return `Without JavaScript this page sends nothing. Run this in a terminal:\n\n${command}`
  } catch {
    return 'The variables are not JSON.'
  }
}
