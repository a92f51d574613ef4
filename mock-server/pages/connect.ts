import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { CONTROL_PATH, ENDPOINT_PATH } from '../contract/paths.ts'
import { quoted } from './curl-command.ts'
import { exampleQuiz } from './example-ids.ts'
import { action, block, card, copyButton, empty, type Markup, section, table } from './markup.ts'
import { count, type ViewRequest } from './row-list.ts'

/** How to reach the mock from a terminal, a program and curl, to copy. */
export function connectSection(mock: MockServer, base: string): Markup {
  const { apiKey } = mock
  const ways = [
    {
      name: 'In a terminal',
      text: `export CERTIFY_BASE_URL=${base}\nexport CERTIFY_API_KEY=${apiKey}\nnpx certify-sdk invites create --quiz-id ${exampleQuiz(mock)} --email ada@example.com --name "Ada Byron"`,
    },
    {
      name: 'In a program',
      text: `import { CertifyClient } from 'certify-sdk'\n\nconst client = new CertifyClient({\n  baseUrl: ${JSON.stringify(base)},\n  apiKey: ${JSON.stringify(apiKey)},\n})\nawait client.tracks.list()`,
    },
    {
      name: 'With curl',
      text: `curl -sS ${quoted(base + ENDPOINT_PATH)} \\\n  -H ${quoted(`x-api-key: ${apiKey}`)} -H 'content-type: application/json' \\\n  -d '{"query":"{ developerCertificationPackageTracks { slug packages { id } } }"}'`,
    },
  ]
  const columns = ways.map(
    ({ name, text }) =>
      html`<div class="way"><h3>${name}</h3><div class="snippet">${block(name, text)}${copyButton(text, 'Copy', name)}</div></div>`,
  )
  return card('connect', 'Connect', html`<div class="columns">${columns}</div>`)
}
export function keysSection({ apiKeys }: MockServer): Markup {
  const lines = apiKeys.map(
    ({ name, key, scopes }) =>
      html`<tr><td data-label="Name"><b>${name}</b></td><td data-label="Key"><code>${key}</code></td><td data-label="Scopes">${scopes.length === 0 ? 'none' : scopes.map((scope) => html`<code class="scope">${scope}</code> `)}</td><td class="do">${copyButton(key, 'Copy', `the key ${name}`)}</td></tr>`,
  )
  return card('keys', 'API keys', table(['Name', 'Key', 'Scopes'], 'Copy', lines))
}

/** Export, import and reset of the whole world. */
export function stateSection({ prefix }: ViewRequest): Markup {
  const body = html`<p>Invites, e-mails, callbacks, identifiers and the clock, as one JSON file.</p>
<div class="buttons"><a class="button" href="${prefix}${CONTROL_PATH}/state" download="certify-mock-state.json">Export</a>
<label class="file">Import <input type="file" data-import="import" accept="application/json,.json"></label>
${action('POST /reset', 'Back to the beginning', { id: 'reset', about: 'forget everything', asks: RESET_QUESTION })}</div>
<dialog id="import" aria-labelledby="import-title"><h3 id="import-title">Replace everything?</h3>
<p>The state in <bdi class="file-name"></bdi> replaces all invites, e-mails and callbacks of this world.</p>
<form data-api="PUT /state"><textarea name="state" data-whole hidden></textarea><div class="buttons"><button class="danger">Replace</button><button type="button" data-close>Cancel</button></div></form></dialog>`
  return card('state', 'State', body)
}

const RESET_QUESTION =
  'Forget all invites, e-mails, callbacks, faults and requests, and begin again? This cannot be undone.'

/** The other worlds behind the same address. */
export function sessionsSection({ sessions }: MockServer, { prefix }: ViewRequest): Markup {
  const lines = sessions.map(
    ({ id, apiKey }) =>
      html`<li><div class="line"><a href="${prefix}/s/${id}/"><b>${id}</b></a> <code class="url">${apiKey}</code><span class="do">${copyButton(apiKey, 'Copy key', id)}${action(`DELETE /sessions/${id}`, 'Close', { id: `close-${id}`, about: id, asks: `Close ${id}? Its world is lost.` })}</span></div></li>`,
  )
  return section({
    id: 'sessions',
    title: 'Sessions',
    parts: ['sessions'],
    summary: count(sessions.length, 'session'),
    actions: action('POST /sessions', 'Open a session', { id: 'sessions-open' }),
    body:
      lines.length === 0
        ? empty(
            'No session is open. A session is a world of its own behind the same address, chosen by its key. Tests that run at the same time use one each.',
          )
        : html`<ul class="entries">${lines}</ul>`,
  })
}
