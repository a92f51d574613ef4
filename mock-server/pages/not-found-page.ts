import type { Context } from 'hono'
import { html } from 'hono/html'
import { VIEWS } from '../contract/paths.ts'
import type { SiteEnv } from '../control/control-api.ts'
import { document } from './layout.ts'
import { foreign } from './markup.ts'

/** The page for a path that leads nowhere, with the ways to go on. */
export function notFoundPage(c: Context<SiteEnv>, what?: string): Response | Promise<Response> {
  const { prefix } = c.env
  const ways = VIEWS.map(({ path, name }) => html`<li><a href="${prefix}${path}">${name}</a></li>`)
  const words = what ?? html`Nothing is served at <code>${foreign(prefix + c.req.path)}</code>.`
  const body = html`<section class="card candidate"><h1>Not found</h1><p>${words}</p><nav aria-label="Views"><ul>${ways}</ul></nav></section>`
  return c.html(document({ title: 'Not found', prefix, body }), 404)
}
