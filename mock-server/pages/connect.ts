import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { ENDPOINT_PATH } from '../contract/paths.ts'
import { curlCommand, quoted } from './curl-command.ts'
import { CREATE, exampleQuiz } from './examples.ts'
import { blockedHosts, callbackEntry } from './callbacks.ts'
import { ROWS } from './kit/lists.ts'
import { action, copyButton, count, empty, hiddenHeading, type Markup, section, table } from './kit/markup.ts'
import type { ViewRequest } from './view.ts'

/** How to reach the mock from a terminal, a program and curl, to copy. */
export function connectSection(mock: MockServer, base: string): Markup {
  const [quizId, endpoint, { apiKey }] = [exampleQuiz(mock), base + ENDPOINT_PATH, mock]
  const columns = html`<div class="columns snippets">
<div>${snippet('In a terminal', inTerminal(base, apiKey, quizId))}<br>${snippet('With curl', withCurl(endpoint, apiKey, quizId))}</div>
<div>${snippet('In a program', inProgram(base, apiKey, quizId))}</div>
</div>`
  const { authorization = '' } = mock.adminSession.headers
  const facts = html`<dl class="facts"><dt>Endpoint</dt><dd><code>${endpoint}</code> ${copyButton(endpoint, 'Copy', 'endpoint')}</dd>
<dt>Admin session</dt><dd><code>authorization: ${authorization}</code> ${copyButton(authorization, 'Copy', 'admin session')}</dd></dl>`
  return section({ id: 'connect', title: 'Connect', body: html`${facts}${columns}` })
}

/* A retry with the same reference creates nothing twice: no sample goes without one. */

function inTerminal(base: string, apiKey: string, quizId: string): string {
  return `export CERTIFY_BASE_URL=${quoted(base)}
export CERTIFY_API_KEY=${quoted(apiKey)}
npx certify-sdk invites create --external-reference hire-4711 \\
  --quiz-id ${quoted(quizId)} --email ada@example.com --name 'Ada Byron'`
}

function withCurl(endpoint: string, apiKey: string, quizId: string): string {
  const candidate = { name: 'Ada Byron', email: 'ada@example.com' }
  const input = { quizId, candidate, externalReference: 'hire-4711' }
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey }
  return curlCommand(endpoint, headers, JSON.stringify({ query: CREATE, variables: { input } }))
}

function inProgram(base: string, apiKey: string, quizId: string): string {
  const [ofService, ofKey, ofQuiz] = [base, apiKey, quizId].map((text) => JSON.stringify(text))
  return `import { CertifyClient } from 'certify-sdk'
import { openLedger } from 'certify-sdk/ledger'

const ledger = await openLedger('try.ledger')
const client = new CertifyClient({
  baseUrl: ${ofService},
  apiKey: ${ofKey},
  ledger,
})
const candidate = { name: 'Ada Byron', email: 'ada@example.com' }
const invite = await client.invites.create(
  { quizId: ${ofQuiz}, candidate },
  { reference: 'hire-4711' },
)
console.log(invite)`
}

function snippet(name: string, text: string): Markup {
  return html`<div class="line"><h3>${name}</h3>
<span class="do">${copyButton(text, 'Copy', name)}</span></div>
<pre tabindex="0" role="group" aria-label="${name}">${text}</pre>`
}

/** Where callbacks go: to an application on this machine, or to their own addresses. */
export function targetsSection(mock: MockServer, requested: ViewRequest): Markup {
  const { deliverTo } = requested.sender.targets
  const last = requested.rows.callbacks.all().at(-1)
  const body = html`<p>The callback URL of an invite starts with https. Enter the address of your application here, and every
callback goes there, whatever its host: <code>https://app.example/hook</code> arrives at
<code>http://localhost:3000/hook</code>. It applies at once, until a reset. Without it, only this machine is contacted.</p>
<form class="fields row" method="dialog" data-api="PATCH /callbacks/targets" data-done="Callbacks go to {deliverTo}">
<label>Send callbacks to <input name="deliverTo" type="url" required placeholder="http://localhost:3000"
  value="${deliverTo ?? ''}" data-hint="Enter an address such as http://localhost:3000."></label>
<button class="primary">Send callbacks there</button>
</form>
${
  deliverTo === null
    ? ''
    : action('PATCH /callbacks/targets', 'Send callbacks to their own addresses', {
        id: 'targets-clear',
        body: { deliverTo: null },
        done: 'Callbacks go to their own addresses',
      })
}
<form class="fields row" method="dialog" data-api="POST /callbacks/test" data-done="Test event to {url}: {status}">
<label>Callback URL <input name="callbackUrl" type="url" required value="https://app.example/hook"
  data-hint="It must start with https://."></label>
<button>Send a test event</button>
</form>
${last && html`<h3>The last callback</h3>${blockedHosts(requested)}<ul class="entries">${callbackEntry(requested.rows.callbacks.row(last), mock, requested)}</ul>`}`
  return section({ id: 'targets', title: 'Your application', parts: ['callbacks'], body })
}

export function keysSection({ apiKeys }: MockServer): Markup {
  const lines = apiKeys.map(({ name, key, scopes }) => {
    const granted = scopes.length === 0 ? 'none' : scopes.map((scope) => html`<code>${scope}</code> `)
    return html`<tr><td><b>${name}</b></td><td><code>${key}</code></td><td>${granted}</td>
<td class="do">${copyButton(key, 'Copy', `the key ${name}`)}</td></tr>`
  })
  return section({
    id: 'keys',
    title: 'API keys',
    body: table(['Name', 'Key', 'Scopes', hiddenHeading('Copy')], lines),
  })
}

/** The other worlds behind the same address, which tests open. */
export function sessionsSection({ sessions }: MockServer, { prefix }: ViewRequest): Markup {
  const lines = sessions
    .slice(-ROWS)
    .map(({ id, apiKey }) => html`<li><a href="${prefix}/s/${id}/"><b>${id}</b></a> <code>${apiKey}</code></li>`)
  const none = empty(
    'No session is open. A session is a world of its own behind the same address, chosen by its key. Tests that run at ' +
      'the same time each open one, with the control API.',
  )
  return section({
    id: 'sessions',
    title: 'Sessions',
    parts: ['sessions'],
    summary:
      count(sessions.length, 'session') + (sessions.length > ROWS ? `, of which the newest ${ROWS} are shown` : ''),
    body: lines.length === 0 ? none : html`<ul class="entries">${lines}</ul>`,
  })
}
