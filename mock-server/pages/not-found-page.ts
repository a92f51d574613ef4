import type { Context } from 'hono'
import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import type { SiteEnv } from '../control/control-api.ts'
import { view } from './layout.ts'
import { foreign } from './markup.ts'

/** The page for a path that leads nowhere, with the menu to go on. */
export function notFoundPage(mock: MockServer, c: Context<SiteEnv>, what?: string): Response | Promise<Response> {
  const { prefix } = c.env
  const words = what ?? html`Nothing is served at <code>${foreign(prefix + c.req.path)}</code>.`
  const body = html`<section class="card narrow"><h1>Not found</h1><p>${words}</p>
<p><a href="${prefix}/">To the overview</a></p></section>`
  return c.html(view(mock, { title: 'Not found', prefix, path: '', body }), 404)
}
