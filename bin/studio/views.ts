import type { Context } from 'hono'
import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import manifest from '../../package.json' with { type: 'json' }
import type { SiteEnv } from '../../mock-server/control/local-site.ts'
import { header, missing, pageOf, shortcuts, viewLink } from '../../mock-server/pages/kit/document.ts'
import type { Markup } from '../../mock-server/pages/kit/markup.ts'
import { shownAddress } from '../config/connection.ts'
import { callbacksView } from './callbacks.ts'
import { decidedView } from './decided.ts'
import { decisionsView, KEYS } from './decisions.ts'
import { overviewView } from './overview.ts'
import { recordView } from './record.ts'
import { recordsView } from './records.ts'
import { nameOf, newestRecord, scopeOf, type Studio } from './studio.ts'

const VIEWS = [
  { path: '/', name: 'Overview', show: overviewView },
  { path: '/decisions', name: 'Needs a decision', show: decisionsView },
  { path: '/decided', name: 'Decisions', show: decidedView },
  { path: '/records', name: 'Records', show: recordsView },
  { path: '/callbacks', name: 'Callbacks', show: callbacksView },
] as const

/** The pages of a ledger. */
export function pages(studio: Studio): Hono<SiteEnv> {
  const app = new Hono<SiteEnv>()
  const answer = async (c: Context<SiteEnv>, title: string, show: typeof recordView) => {
    const { path } = c.req
    const body = await show(studio, { prefix: '', path, query: c.req.query() }, c.req.param('reference') ?? '')
    if (body === undefined) return c.notFound()
    return c.html(documentOf(studio, path, title, html`<h1 class="hidden">${title}</h1>${body}`))
  }
  for (const { path, name, show } of VIEWS) app.get(path, (c) => answer(c, name, show))
  return app.get('/records/:reference{.+}', (c) => answer(c, 'Record', recordView))
}

/** The page for an address that leads nowhere. */
export async function notFound(studio: Studio, c: Context<SiteEnv>): Promise<Response> {
  const body = missing('Not found', 'The ledger has no such record, and the studio no such page.', '/')
  return c.html(documentOf(studio, c.req.path, 'Not found', body), 404)
}

async function documentOf(studio: Studio, path: string, title: string, body: Markup): Promise<string> {
  const unknown = await studio.ledger.count({ ...scopeOf(studio), state: 'unknown' })
  const where = await placeOf(studio)
  const links = VIEWS.map((each) => {
    const mark = html`<span id="unknown" class="mark" data-parts="ledger">${unknown || ''}</span>`
    const isCurrent = each.path === path || (each.path === '/records' && path.startsWith('/records/'))
    return viewLink(each.path, each.name, isCurrent, each.path === '/decisions' ? mark : '')
  })
  const page = pageOf({
    title,
    product: `${where} · certify studio`,
    prefix: '',
    api: '',
    style: 'assets/studio',
    script: 'assets/studio',
    server: 'studio',
    body,
    top: html`${header('certify studio', '/', html`<ul>${links}</ul>`, html`<bdi class="where small">${where}</bdi>`)}
${shortcuts(KEYS)}`,
    live: true,
    footer: html`<p>Ledger <code>${studio.ledger.path}</code></p>
<p>certify-sdk ${manifest.version} · The studio sends nothing to the service.
<button type="button" class="quiet" popovertarget="shortcuts">Keys</button></p>`,
  })
  return String(await page)
}

/* The ledger, the service and the account: with two tabs open, a person must see which of them they decide in. */
async function placeOf(studio: Studio): Promise<string> {
  const { ledger, account } = studio
  const newest = await newestRecord(studio)
  if (newest === undefined) return account === undefined ? nameOf(ledger) : `${nameOf(ledger)} · account ${account}`
  const isOnly = account !== undefined || (await ledger.count({ account: newest.account })) === (await ledger.count())
  const service = shownAddress(newest.baseUrl).replace(/^https?:\/\//, '')
  return `${nameOf(ledger)} · ${isOnly ? `${service} · account ${newest.account}` : 'all accounts'}`
}
