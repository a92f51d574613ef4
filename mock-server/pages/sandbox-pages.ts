import type { Context } from 'hono'
import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import type { MockServer } from '../contract/mock-server.ts'
import { CONSOLE_PATH, CONTROL_PATH, LATEST_MAIL_PATH, VIEWS } from '../contract/paths.ts'
import type { SiteEnv } from '../control/control-api.ts'
import type { Internals } from '../sandbox/rows.ts'
import { ASSETS } from './assets.ts'
import { callbacksSection } from './callbacks.ts'
import { connectSection, keysSection, sessionsSection, stateSection } from './connect.ts'
import { consoleSection, postedText } from './console.ts'
import { faultForms, faultsSection } from './faults.ts'
import { invitesSection } from './invites.ts'
import { view } from './layout.ts'
import type { Markup } from './markup.ts'
import { latestSection, outboxSection } from './outbox.ts'
import { requestsSection } from './requests.ts'
import { ROWS, type ViewRequest } from './row-list.ts'

/** The page of a mock: its views, and the files that they load. */
export function sandboxPages(mock: MockServer, { rows, requestLog }: Internals): Hono<SiteEnv> {
  const app = new Hono<SiteEnv>().onError((_error, c) => c.text('Something went wrong in the mock itself.\n', 500))
  for (const [path, { text, type }] of ASSETS) app.get(path, (c) => c.body(text, 200, { 'content-type': type }))
  app.get(`${CONTROL_PATH}/console-editor.js`, async (c) =>
    c.body(await consoleEditor(), 200, { 'content-type': 'text/javascript; charset=utf-8' }),
  )
  const show = (title: string, bodyOf: Body) => (c: Context<SiteEnv>) => {
    const { prefix, base } = c.env
    const { path } = c.req
    const requested = { prefix, path, query: c.req.query(), size: ROWS, rows, requestLog }
    const body = html`<h1 class="hidden">${title}</h1>${bodyOf(mock, requested, base)}`
    return c.html(view(mock, { title, prefix, path, body }))
  }
  for (const { path, name } of VIEWS) app.get(path, show(name, BODIES[path]))
  return app.get(LATEST_MAIL_PATH, show('Latest e-mail', latestSection)).post(CONSOLE_PATH, async (c) => {
    const posted = postedText(new URLSearchParams(await c.req.text()))
    return show('Console', (...page) => consoleSection(...page, posted))(c)
  })
}

/** The editors, loaded when the Console is: they are large. Where they cannot be loaded, it has its text areas. */
function consoleEditor(): Promise<string> {
  return import('./console-editor.ts').then(
    (editor) => editor.script,
    () => '',
  )
}

type Body = (mock: MockServer, requested: ViewRequest, base: string) => Markup

const BODIES: Readonly<Record<(typeof VIEWS)[number]['path'], Body>> = {
  '/': overview,
  '/outbox': outboxSection,
  '/invites': invitesSection,
  '/callbacks': callbacksSection,
  '/faults': (mock) => html`${faultsSection(mock)}${faultForms()}`,
  '/requests': requestsSection,
  '/console': consoleSection,
  '/connect': (mock, requested, base) =>
    html`${connectSection(mock, base)}${keysSection(mock)}${sessionsSection(mock, requested)}${stateSection(requested)}`,
}

/** How to connect, first while there is no invite; and a few new rows of each list. */
function overview(mock: MockServer, requested: ViewRequest, base: string): Markup {
  const isNew = requested.rows.invites.size === 0
  const connect = connectSection(mock, base)
  const few = { ...requested, size: FEW }
  return html`${isNew ? connect : ''}${outboxSection(mock, few)}${invitesSection(mock, few)}${callbacksSection(mock, few)}${isNew ? '' : connect}`
}

const FEW = 5
