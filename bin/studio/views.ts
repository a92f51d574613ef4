import { html } from 'hono/html'
import manifest from '../../package.json' with { type: 'json' }
import { pageOf } from '../../mock-server/pages/kit/document.ts'
import type { ListRequest } from '../../mock-server/pages/kit/lists.ts'
import type { Markup } from '../../mock-server/pages/kit/markup.ts'
import { callbacksView } from './callbacks.ts'
import { decidedView } from './decided.ts'
import { decisionsView } from './decisions.ts'
import { overviewView } from './overview.ts'
import { recordView } from './record.ts'
import { recordsView } from './records.ts'
import { nameOf, scopeOf, type Studio } from './studio.ts'

const VIEWS = [
  { path: '/', name: 'Overview', show: overviewView },
  { path: '/decisions', name: 'Needs a decision', show: decisionsView },
  { path: '/decided', name: 'Decisions', show: decidedView },
  { path: '/records', name: 'Records', show: recordsView },
  { path: '/callbacks', name: 'Callbacks', show: callbacksView },
] as const

/** The page at an address. */
export async function viewOf(studio: Studio, { pathname: path, searchParams }: URL) {
  const request: ListRequest = { prefix: '', path, query: Object.fromEntries(searchParams) }
  const view = VIEWS.find((each) => each.path === path)
  const [, reference = ''] = /^\/records\/(.+)$/.exec(path) ?? []
  const body =
    view === undefined
      ? reference !== '' && (await recordView(studio, request, decoded(reference)))
      : await view.show(studio, request)
  if (body === false || body === undefined) {
    const missing = html`<section class="card narrow"><h1>Not found</h1><p>The ledger has no such record, and the studio no such page.</p>
<p><a href="/">To the overview</a></p></section>`
    return { status: 404, page: await documentOf(studio, path, 'Not found', missing) }
  }
  const title = view?.name ?? 'Record'
  return { status: 200, page: await documentOf(studio, path, title, html`<h1 class="hidden">${title}</h1>${body}`) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

async function documentOf(studio: Studio, path: string, title: string, body: Markup): Promise<string> {
  const { ledger } = studio
  const unknown = await ledger.count({ ...scopeOf(studio), state: 'unknown' })
  const where = await placeOf(studio)
  const entries = VIEWS.map((each) => {
    const isCurrent = each.path === path || (each.path === '/records' && path.startsWith('/records/'))
    const mark =
      each.path === '/decisions' && html`<span id="unknown" class="mark" data-parts="ledger">${unknown || ''}</span>`
    return html`<li><a href="${each.path}" ${isCurrent ? html`aria-current="page"` : ''}>${each.name}</a>${mark || ''}</li>`
  })
  const page = pageOf({
    title,
    product: `${where} · certify studio`,
    prefix: '',
    api: '',
    style: 'assets/studio',
    scripts: ['assets/studio'],
    server: 'studio',
    body,
    top: html`<header class="top">
<div class="bar">
  <a class="brand" href="/" aria-label="certify studio">certify</a>
  <nav class="views" aria-label="Views"><ul>${entries}</ul></nav>
  <bdi class="where small">${where}</bdi>
  <button type="button" id="theme" aria-label="Colours">◐</button>
</div>
<p id="away" class="away" role="status"></p>
</header>`,
    live: true,
    footer: html`<p>Ledger <code>${ledger.path}</code></p>
<p>certify-sdk ${manifest.version} · The studio sends nothing to the service.
<button type="button" class="quiet" popovertarget="shortcuts">Keys</button>
<button type="button" class="quiet" data-zone>Local time or UTC</button></p>
<div class="question" popover id="shortcuts" role="dialog" aria-label="Keys"><dl class="facts">${KEYS.map(
      ([key, does]) => html`<dt><kbd>${key}</kbd></dt><dd>${does}</dd>`,
    )}</dl></div>`,
  })
  return String(await page)
}

const KEYS = [
  ['/', 'search'],
  ['j, k', 'the next record that needs a decision, the one before'],
  ['e, n', 'it exists, it does not exist: this record, or all that are selected'],
  ['a', 'copies a question to the candidate'],
  ['x', 'selects'],
  ['u', 'undoes what was decided last'],
  ['?', 'shows the keys'],
] as const

/* The ledger, the service and the account: with two tabs open, a person must see which of them they decide in. */
async function placeOf({ ledger, account }: Studio): Promise<string> {
  const name = nameOf(ledger)
  for await (const newest of ledger.list({ ...(account !== undefined && { account }), limit: 1 })) {
    const isOnly = account !== undefined || (await ledger.count({ account: newest.account })) === (await ledger.count())
    return isOnly ? `${name} · ${hostOf(newest.baseUrl)} · account ${newest.account}` : `${name} · all accounts`
  }
  return account === undefined ? name : `${name} · account ${account}`
}

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl
}
