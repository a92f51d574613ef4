import { html } from 'hono/html'
import { factList, type Markup } from './markup.ts'

/** A page, whatever it is about. */
export interface Page {
  readonly title: string
  /** What the page belongs to, in its title. */
  readonly product: string
  /** The beginning of every path on the page. */
  readonly prefix: string
  /** The address of its files, of its events, and of what its forms send. */
  readonly api: string
  /** A module besides those of the kit, without `.js`. */
  readonly script?: string
  /** A style sheet besides that of the kit, without `.css`. */
  readonly style?: string
  /** What its scripts call the program that serves it. Default: `mock`. */
  readonly server?: string
  readonly body: Markup
  /** What is shown above the content. */
  readonly top?: Markup
  /** Whether the page shows every change at once. Its reader must be allowed to read its events. */
  readonly live: boolean
  readonly footer: Markup
  /** What its scripts call a part of the product that may go, such as a session. */
  readonly session?: string | undefined
}

/** A complete HTML document. */
export function pageOf({
  title,
  product,
  prefix,
  api,
  script,
  body,
  top,
  live,
  footer,
  session,
  ...page
}: Page): Markup {
  const { style, server = 'mock' } = page
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${product}</title>
<link rel="icon" type="image/svg+xml" href="${api}/kit/assets/favicon.svg">
<link rel="stylesheet" href="${api}/kit/assets/page.css">
${style && html`<link rel="stylesheet" href="${api}/${style}.css">`}
<script src="${api}/kit/assets/early.js"></script>
${MODULES.map((name) => html`<link rel="modulepreload" href="${api}/${name}.js">`)}
<script type="module" blocking="render" src="${api}/kit/assets/page.js"></script>
${script && html`<script type="module" blocking="render" src="${api}/${script}.js"></script>`}
</head>
<body data-prefix="${prefix}" data-api="${api}" data-server="${server}" ${session === undefined ? '' : html`data-session="${session}"`}
${live ? html`data-live` : ''}>
<a class="skip" href="#main">Skip to the content</a>
${top}
<noscript><p>Without JavaScript this page shows everything, and changes nothing.</p></noscript>
<main id="main" tabindex="-1">
${body}
</main>
<footer>
${footer}
</footer>
<p id="status" class="status" role="status"></p>
</body>
</html>`
}

/** The header of a view: its product, the other views, and the tools of the product. */
export function header(product: string, home: string, views: Markup, tools: Markup, below: Markup | '' = ''): Markup {
  return html`<header class="top">
<div class="bar">
  <a class="brand" href="${home}" aria-label="${product}">certify</a>
  <nav class="views" aria-label="Views">${views}</nav>
  ${tools}
  <button type="button" id="theme" aria-label="Colours">◐</button>
</div>
${below}
<p id="away" class="away" role="status"></p>
</header>`
}

/** A view in the menu. `mark` is what a reader should know before opening it. */
export function viewLink(to: string, name: string, isCurrent: boolean, mark: Markup | '' = '', look = ''): Markup {
  return html`<li class="${look}"><a href="${to}" ${isCurrent ? html`aria-current="page"` : ''}>${name}</a>${mark}</li>`
}

/** What the keys of a page do, behind the key `?`. */
export function shortcuts(own: readonly (readonly [key: string, does: string])[]): Markup {
  const keys = [['/', 'search'], ...own, ['?', 'these shortcuts'], ['Esc', 'close what is open']] as const
  const list = factList(keys.map(([key, does]) => [html`<kbd>${key}</kbd>`, does] as const))
  return html`<div popover id="shortcuts" class="question" role="dialog" aria-label="Shortcuts">
<h2>Shortcuts</h2>${list}</div>`
}

/** The card of an address that has nothing to show, with a link to the overview. */
export function missing(title: string, words: string | Markup, home: string): Markup {
  return html`<section class="card narrow"><h1>${title}</h1><p>${words}</p>
<p><a href="${home}">To the overview</a></p></section>`
}

/** What `page.js` imports: loaded at once, and not one after the other. */
const MODULES = ['forms', 'live', 'payload', 'times', 'idiomorph'].map((name) => `kit/assets/${name}`)
