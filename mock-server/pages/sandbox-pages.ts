import type { Context } from 'hono'
import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import type { MockServer } from '../contract/mock-server.ts'
import { CONTROL_PATH } from '../contract/paths.ts'
import type { SiteEnv } from '../control/control-api.ts'
import css from './assets/page.css?raw'
import script from './assets/page.js?raw'
import { callbacksSection } from './callbacks.ts'
import { connectSection, keysSection, sessionsSection, stateSection } from './connect.ts'
import { consoleSection } from './console.ts'
import { faultForms, faultsSection } from './faults.ts'
import { invitesSection } from './invites.ts'
import { view } from './layout.ts'
import type { Markup } from './markup.ts'
import { latestSection, outboxSection } from './outbox.ts'
import { requestsSection } from './requests.ts'
import type { ViewRequest } from './row-list.ts'

/** The page of a mock: its views, and the two files that they need. */
export function pagesOf(mock: MockServer): Hono<SiteEnv> {
  const shown = (title: string, bodyOf: (requested: ViewRequest, base: string) => Markup) => (c: Context<SiteEnv>) => {
    const { prefix, base } = c.env
    const path = c.req.path
    const body = html`<h1 class="hidden">${title}</h1>${bodyOf({ prefix, path, query: c.req.query() }, base)}`
    return c.html(view(mock, { title, prefix, path, body }))
  }
  return new Hono<SiteEnv>()
    .onError((_error, c) => c.text('Something went wrong in the mock itself.\n', 500))
    .get(`${CONTROL_PATH}/page.css`, (c) => c.body(css, 200, { 'content-type': 'text/css; charset=utf-8' }))
    .get(`${CONTROL_PATH}/page.js`, (c) => c.body(script, 200, { 'content-type': 'text/javascript; charset=utf-8' }))
    .get(
      '/',
      shown('Overview', (requested, base) => overview(mock, requested, base)),
    )
    .get(
      '/outbox',
      shown('Outbox', (requested) => outboxSection(mock, requested)),
    )
    .get(
      '/outbox/latest',
      shown('Latest e-mail', (requested) => latestSection(mock, requested)),
    )
    .get(
      '/invites',
      shown('Invites', (requested) => invitesSection(mock.invites, requested)),
    )
    .get(
      '/callbacks',
      shown('Callbacks', (requested) => callbacksSection(mock, requested)),
    )
    .get(
      '/faults',
      shown('Faults', () => html`${faultsSection(mock)}${faultForms()}`),
    )
    .get(
      '/requests',
      shown('Requests', (requested, base) => requestsSection(mock, requested, base)),
    )
    .get(
      '/console',
      shown('Console', ({ prefix }) => consoleSection(mock, prefix)),
    )
    .get(
      '/connect',
      shown(
        'Connect',
        ({ prefix }, base) =>
          html`${connectSection(mock, base)}${keysSection(mock)}${sessionsSection(mock, prefix)}${stateSection(prefix)}`,
      ),
    )
}

/** How to begin while there is nothing; from then on what is new, a few rows each. */
function overview(mock: MockServer, requested: ViewRequest, base: string): Markup {
  const { invites } = mock
  const isNew = invites.length === 0
  return html`${isNew ? connectSection(mock, base) : ''}${outboxSection(mock, requested, FEW)}${invitesSection(invites, requested, FEW)}${callbacksSection(mock, requested, FEW)}${isNew ? '' : connectSection(mock, base)}`
}

const FEW = 5
