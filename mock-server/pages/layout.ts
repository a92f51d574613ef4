import { html } from 'hono/html'
import type { MockServer, MockSession } from '../contract/mock-server.ts'
import { CONTROL_PATH, VIEWS } from '../contract/paths.ts'
import { clockBar } from './clock-bar.ts'
import type { Markup } from './markup.ts'

export interface Page {
  readonly title: string
  /** The beginning of every path on the page. */
  readonly prefix: string
  readonly body: Markup
  /** What stands above the content. A page that has it is live: it shows every change at once. */
  readonly top?: Markup
  /** The name of the session that the page is about. */
  readonly session?: string | undefined
}

/** A whole document, with the banner that every page has. */
export function document({ title, prefix, body, top, session }: Page): Markup {
  const assets = prefix + CONTROL_PATH
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · certify sandbox${session === undefined ? '' : ` · ${session}`}</title>
<link rel="icon" type="image/svg+xml" href="${assets}/favicon.svg">
<link rel="stylesheet" href="${assets}/page.css">
<script type="module" src="${assets}/page.js"></script>
<script type="module" src="${assets}/forms.js"></script>
</head>
<body data-prefix="${prefix}" ${session === undefined ? '' : html`data-session="${session}"`} ${top === undefined ? '' : html`data-live`}>
<a class="skip" href="#main">Skip to the content</a>
<aside class="banner" aria-label="Sandbox"><strong>Sandbox.</strong> Nothing here is real: no e-mail is sent and nobody is certified.</aside>
${top}
<main id="main" tabindex="-1">
${body}
</main>
<p id="status" class="status" role="status"></p>
</body>
</html>`
}

/** A view of the page, with the menu and the clock. */
export function view(mock: MockServer, { path, ...page }: Page & { readonly path: string }): Markup {
  const { prefix } = page
  const session = sessionOf(mock)
  const entries = VIEWS.map(
    (each) =>
      html`<li><a href="${prefix}${each.path}" ${each.path === path ? html`aria-current="page"` : ''}>${each.name}</a></li>`,
  )
  const top = html`<header class="top">
<a class="brand" href="${prefix}/">certify <span>sandbox</span></a>
${session === undefined ? '' : sessionLine(session, prefix)}
<nav aria-label="Views"><ul>${entries}</ul></nav>
${inEffect(mock, prefix)}
${clockBar(mock)}
<p id="away" class="away" role="status"></p>
</header>
<noscript><p class="notice">Without JavaScript this page shows everything and creates invites. It changes nothing else, and does not stay up to date.</p></noscript>`
  return document({ ...page, top, session })
}

/** Whose page it is, with the way to the other world. */
function sessionLine(session: string, prefix: string): Markup {
  const main = prefix.slice(0, -`/s/${session}`.length)
  return html`<span class="session">Session <b>${session}</b> · <a href="${main}/connect">main world</a></span>`
}

/** What a tester has turned on, and may have forgotten: it changes what clients get. */
function inEffect({ faults, callbacks }: MockServer, prefix: string): Markup {
  const active = faults.list().filter(({ left }) => left > 0).length
  const notes = [
    active === 0 ? '' : html`<a href="${prefix}/faults">${active} active ${active === 1 ? 'fault' : 'faults'}</a>`,
    callbacks.paused ? html`<a href="${prefix}/callbacks">callbacks paused</a>` : '',
  ]
  return html`<span id="in-effect" class="in-effect" data-parts="faults callbacks">${notes}</span>`
}

/** The name of the session; `undefined` for a mock itself. */
function sessionOf(mock: MockServer | MockSession): string | undefined {
  return 'id' in mock ? mock.id : undefined
}
