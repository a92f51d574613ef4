import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { CONTROL_PATH, VIEWS } from '../contract/paths.ts'
import { clockBar } from './clock-bar.ts'
import type { Markup } from './markup.ts'

export interface Page {
  readonly title: string
  /** The beginning of every path on the page. */
  readonly prefix: string
  readonly body: Markup
  readonly top?: Markup
}

/** A whole document, with the banner that every page has. */
export function document({ title, prefix, body, top }: Page): Markup {
  const assets = prefix + CONTROL_PATH
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · certify sandbox</title>
<link rel="icon" type="image/svg+xml" href="${assets}/favicon.svg">
<link rel="stylesheet" href="${assets}/page.css">
<script type="module" src="${assets}/page.js"></script>
<script type="module" src="${assets}/forms.js"></script>
</head>
<body data-prefix="${prefix}">
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
  const entries = VIEWS.map(
    (each) =>
      html`<li><a href="${prefix}${each.path}" ${each.path === path ? html`aria-current="page"` : ''}>${each.name}</a></li>`,
  )
  const top = html`<header class="top">
<a class="brand" href="${prefix}/">certify <span>sandbox</span></a>
<nav aria-label="Views"><ul>${entries}</ul></nav>
${clockBar(mock)}
</header>
<noscript><p class="notice">Without JavaScript this page shows everything and creates invites. It changes nothing else, and does not stay up to date.</p></noscript>`
  return document({ ...page, top })
}
