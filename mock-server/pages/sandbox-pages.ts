import type { Context } from 'hono'
import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import type { MockServer } from '../contract/mock-server.ts'
import {
  CONSOLE_PATH,
  CONTROL_PATH,
  LATEST_MAIL_PATH,
  NEW_INVITE_PATH,
  SAMPLE_DATA_PATH,
  VIEWS,
} from '../contract/paths.ts'
import type { SiteEnv } from '../control/control-api.ts'
import { errorAnswer } from '../control/control-errors.ts'
import { addSampleData } from '../control/sample-data.ts'
import type { Internals } from '../sandbox/rows.ts'
import { ASSETS } from './assets.ts'
import { callbacksSection } from './callbacks.ts'
import { challengeOf } from './candidate-page.ts'
import { connectSection, keysSection, sessionsSection, stateSection } from './connect.ts'
import { consoleSection, postedText } from './console.ts'
import { faultForms, faultsSection } from './faults.ts'
import { type Entries, type FormState, inputFrom, inviteForm } from './invite-form.ts'
import { inviteSection, mailOf } from './invite-page.ts'
import { timelineSection } from './invite-timeline.ts'
import { invitesSection } from './invites.ts'
import { view } from './layout.ts'
import type { Markup } from './markup.ts'
import { notFoundPage } from './not-found-page.ts'
import type { Openings } from './openings.ts'
import { latestSection, mailSection, outboxSection } from './outbox.ts'
import { requestsSection } from './requests.ts'
import { ROWS, type ViewRequest } from './row-list.ts'

/** The page of a mock: its views, and the files that they load. */
export function sandboxPages(mock: MockServer, internals: Internals, openings: Openings): Hono<SiteEnv> {
  const { rows, requestLog, create } = internals
  const app = new Hono<SiteEnv>().onError((_error, c) => c.text('Something went wrong in the mock itself.\n', 500))
  for (const [path, { text, type }] of ASSETS) app.get(path, (c) => c.body(text, 200, { 'content-type': type }))
  app.get(`${CONTROL_PATH}/console-editor.js`, async (c) =>
    c.body(await consoleEditor(), 200, { 'content-type': 'text/javascript; charset=utf-8' }),
  )
  const show = (c: Context<SiteEnv>, title: string, bodyOf: Body, status: 200 | 409 = 200) => {
    const { prefix, base } = c.env
    const { path } = c.req
    const requested = { prefix, path, query: c.req.query(), size: ROWS, rows, requestLog }
    const body = html`<h1 class="hidden">${title}</h1>${bodyOf(mock, requested, base)}`
    return c.html(view(mock, { title, prefix, path: parentOf(path), body }), status)
  }
  for (const { path, name } of VIEWS) app.get(path, (c) => show(c, name, BODIES[path]))
  app.get(LATEST_MAIL_PATH, (c) => show(c, 'Latest e-mail', latestSection))
  app.get('/outbox/:inviteId', (c) => {
    const mail = mailOf(rows, c.req.param('inviteId'))
    if (!mail) return notFoundPage(c, 'This world has no such e-mail. It may have been reset since.')
    return show(c, mail.subject, (_mock, requested) => mailSection(mail, requested))
  })
  app.get('/invites/:inviteId', (c) => {
    const challenge = challengeOf(mock, c.req.param('inviteId'))
    if (!challenge) return notFoundPage(c, 'This world has no such invite. It may have been reset since.')
    return show(c, `Invite of ${challenge.invite.candidate.email}`, (_mock, requested) => {
      const timeline = timelineSection(mock, challenge, requested, openings)
      return html`<div class="invite-page">${inviteSection(mock, challenge, requested)}${timeline}</div>`
    })
  })
  /** Does what a form asks for; where it is refused, shows the form again with what was filled in. */
  const submitted = async (c: Context<SiteEnv>, work: (entries: Entries) => string) => {
    // A body that cannot be read is a form without entries.
    const entries: Entries = Object.fromEntries(new URLSearchParams((await c.env.readBody()) ?? ''))
    try {
      return c.redirect(c.env.prefix + work(entries), 303)
    } catch (error) {
      const { status, message } = errorAnswer(error instanceof Error ? error : new Error(String(error)))
      if (status === 500) throw error
      const state = { problem: message, ...(entries['what'] !== undefined && { entries }) }
      return show(c, 'Invites', (_mock, requested) => invitesView(mock, requested, state), 409)
    }
  }
  app.post(NEW_INVITE_PATH, (c) =>
    submitted(c, (entries) => {
      const [first, ...more] = create(inputFrom(entries), c.env.base)
      if (!first) return '/invites'
      const all = new URLSearchParams({ q: first.candidate.email })
      return more.length === 0 ? `/invites/${first.inviteId}` : `/invites?${all.toString()}`
    }),
  )
  // The page that refuses has this address: a reload requests it by GET.
  app.get(SAMPLE_DATA_PATH, (c) => c.redirect(`${c.env.prefix}/invites`, 303))
  app.post(SAMPLE_DATA_PATH, (c) =>
    submitted(c, () => {
      addSampleData(mock, create, c.env.base)
      return '/invites'
    }),
  )
  app.post(CONSOLE_PATH, async (c) => {
    const posted = postedText(new URLSearchParams((await c.env.readBody()) ?? ''))
    return show(c, 'Console', (...page) => consoleSection(...page, posted))
  })
  return app
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
  '/invites': (mock, requested) => invitesView(mock, requested),
  '/callbacks': callbacksSection,
  '/faults': (mock) => html`${faultsSection(mock)}${faultForms()}`,
  '/requests': requestsSection,
  '/console': consoleSection,
  '/connect': (mock, requested, base) =>
    html`${connectSection(mock, base)}${keysSection(mock)}${sessionsSection(mock, requested)}${stateSection(requested)}`,
}

function invitesView(mock: MockServer, requested: ViewRequest, state?: FormState): Markup {
  return html`${inviteForm(mock, requested, state)}${invitesSection(mock, requested)}`
}

/** First how to begin, while there is no invite; and a few new rows of each list. */
function overview(mock: MockServer, requested: ViewRequest, base: string): Markup {
  const isNew = requested.rows.invites.size === 0
  const connect = connectSection(mock, base)
  const few = { ...requested, size: FEW }
  const form = inviteForm(mock, requested, { open: isNew })
  return html`${form}${isNew ? connect : ''}${outboxSection(mock, few)}${invitesSection(mock, few)}${callbacksSection(mock, few)}${isNew ? '' : connect}`
}

const FEW = 5

/** The view in the menu that a page belongs to. */
function parentOf(path: string): string {
  return path.replace(/^(\/\w+)\/.*$/, '$1')
}
