import { html } from 'hono/html'
import manifest from '../../package.json' with { type: 'json' }
import type { MockServer, MockSession } from '../contract/mock-server.ts'
import { CONTROL_PATH, VIEWS } from '../contract/paths.ts'
import { clockBar } from './clock-bar.ts'
import type { Markup } from './markup.ts'

export interface Page {
  readonly title: string
  /** The beginning of every path on the page. */
  readonly prefix: string
  readonly body: Markup
  /** What is shown above the content. A page that has it is live: it shows every change at once. */
  readonly top?: Markup
  /** The name of the session that the page is about. */
  readonly session?: string | undefined
}

/** A complete HTML document. */
export function document({ title, prefix, body, top, session }: Page): Markup {
  const assets = prefix + CONTROL_PATH
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · certify sandbox${session === undefined ? '' : ` · ${session}`}</title>
<link rel="icon" type="image/svg+xml" href="${assets}/favicon.svg">
<link rel="stylesheet" href="${assets}/page.css">
<script src="${assets}/early.js"></script>
${MODULES.map((name) => html`<link rel="modulepreload" href="${assets}/${name}.js">`)}
<script type="module" blocking="render" src="${assets}/page.js"></script>
</head>
<body data-prefix="${prefix}" ${session === undefined ? '' : html`data-session="${session}"`}
${top === undefined ? '' : html`data-live`}>
<a class="skip" href="#main">Skip to the content</a>
${top}
<noscript><p>Without JavaScript this page shows everything, and changes nothing.</p></noscript>
<main id="main" tabindex="-1">
${body}
</main>
<footer>
<p><b>Sandbox.</b> Nothing here is real: no e-mail is sent and nobody is certified.</p>
<p>certify-sdk ${manifest.version} · guide: <code>docs/sandbox.md</code> in the package ·
<a href="${assets}/openapi.json">Control API</a></p>
</footer>
<p id="status" class="status" role="status"></p>
</body>
</html>`
}

/** What `page.js` imports: loaded at once, and not one after the other. */
const MODULES = ['fault-sentence', 'forms', 'graphql-text', 'live', 'payload', 'snippets', 'times', 'idiomorph']

/** A view of the page, with the menu and the clock. */
export function view(mock: MockServer, { path, ...page }: Page & { readonly path: string }): Markup {
  const { prefix } = page
  const session = sessionOf(mock)
  const entries = VIEWS.map(
    (each) => html`<li><a href="${prefix}${each.path}" ${each.path === path ? html`aria-current="page"` : ''}
>${each.name}</a>${markOf(mock, each.path)}</li>`,
  )
  const top = html`<header class="top">
<div class="bar">
  <a class="brand" href="${prefix}/" aria-label="certify sandbox">certify</a>
  <nav class="views" aria-label="Views"><ul>${entries}</ul></nav>
  ${clockBar(mock)}
  <button type="button" id="theme" aria-label="Colours">◐</button>
</div>
${session === undefined ? '' : sessionLine(session, prefix)}
<p id="away" class="away" role="status"></p>
</header>
${SHORTCUTS}`
  return document({ ...page, top, session })
}

/** The session that the page is about, with a link to the main world. */
function sessionLine(session: string, prefix: string): Markup {
  const main = prefix.slice(0, -`/s/${session}`.length)
  return html`<p class="session">Session <b>${session}</b> · <a href="${main}/connect">main world</a></p>`
}

/** What a tester has turned on, and may have forgotten: it changes what clients get. Its space is always reserved. */
function markOf({ faults, callbacks }: MockServer, path: string): Markup | '' {
  if (path === '/faults') {
    const active = faults.list().filter(({ left }) => left > 0).length
    const text = active === 0 ? '' : html`${active}<span class="hidden"> active</span>`
    return html`<span id="active-faults" class="mark" data-parts="faults">${text}</span>`
  }
  if (path !== '/callbacks') return ''
  const text = callbacks.paused ? html`‖<span class="hidden">paused</span>` : ''
  return html`<span id="callbacks-paused" class="mark" data-parts="callbacks">${text}</span>`
}

const SHORTCUTS = html`<div popover id="shortcuts" class="question" role="dialog" aria-label="Shortcuts">
<h2>Shortcuts</h2>
<dl class="facts">
<dt><kbd>/</kbd></dt><dd>search</dd>
<dt><kbd>?</kbd></dt><dd>these shortcuts</dd>
<dt><kbd>Esc</kbd></dt><dd>close what is open</dd>
<dt><kbd>Ctrl</kbd> <kbd>Enter</kbd></dt><dd>send the form of a text area, run the document of the Console</dd>
</dl>
</div>`

/** The name of the session; `undefined` for a mock itself. */
function sessionOf(mock: MockServer | MockSession): string | undefined {
  return 'id' in mock ? mock.id : undefined
}
