import type { Context } from 'hono'
import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import type { MockServer } from '../contract/mock-server.ts'
import { LATEST_MAIL_PATH, VIEWS } from '../contract/paths.ts'
import type { SiteEnv } from '../control/local-site.ts'
import type { Internals, MockRows } from '../sandbox/rows.ts'
import type { Invite } from '../world/model.ts'
import { callbacksSection } from './callbacks.ts'
import { challengeOf } from './candidate-page.ts'
import { behaviourSection, candidatesSection, catalogueSection } from './catalogue.ts'
import { connectSection, keysSection, sessionsSection, targetsSection } from './connect.ts'
import { faultForms, faultsSection } from './faults.ts'
import { inviteSection, mailOf, timelineSection } from './invite-page.ts'
import { inviteForm, invitesSection } from './invites.ts'
import { type DueNext, view } from './layout.ts'
import { latestSection, mailPage, outboxSection } from './mail.ts'
import { overview } from './overview.ts'
import { requestSection, requestsSection } from './requests.ts'
import { missing } from './kit/document.ts'
import { isolated, type Markup, person } from './kit/markup.ts'
import type { ViewRequest } from './view.ts'

/** The views of a mock. They only display: changes go through the control API. */
export function sandboxViews(mock: MockServer, internals: Internals): Hono<SiteEnv> {
  const { rows, sender } = internals
  const app = new Hono<SiteEnv>().onError((_error, c) => c.text('Something went wrong in the mock itself.\n', 500))
  const show = (c: Context<SiteEnv>, title: string, bodyOf: Body) => {
    const { prefix, base } = c.env
    const { path } = c.req
    const requested = { prefix, path, base, query: c.req.query(), rows, sender }
    const body = html`<h1 class="hidden">${title}</h1>${bodyOf(mock, requested)}`
    return c.html(view(mock, { title, prefix, path: path.replace(/^(\/\w+)\/.*$/, '$1'), due: dueNext(rows), body }))
  }
  for (const { path, name } of VIEWS) app.get(path, (c) => show(c, name, BODIES[path]))
  app.get(LATEST_MAIL_PATH, (c) => show(c, 'Latest e-mail', latestSection))
  app.get('/outbox/:inviteId', (c) => {
    const mail = mailOf(rows, c.req.param('inviteId'))
    if (!mail) return notFoundPage(mock, c, 'This world has no such e-mail. It may have been reset since.')
    return show(c, mail.subject, (_mock, requested) => mailPage(mock, mail, requested))
  })
  app.get('/invites/:inviteId', (c) => {
    const challenge = challengeOf(mock, c.req.param('inviteId'))
    if (!challenge) return notFoundPage(mock, c, 'This world has no such invite. It may have been reset since.')
    const { candidate } = challenge.invite
    return show(
      c,
      `Invite of ${candidate.email}`,
      (_mock, requested) => html`<p class="title">${person(candidate)}</p>
<div class="invite-page">${inviteSection(mock, challenge, requested)}${timelineSection(mock, challenge, requested)}</div>`,
    )
  })
  app.get('/requests/:number', (c) => {
    const number = Number(c.req.param('number'))
    if (!rows.requests.all().some((each) => each.number === number)) {
      return notFoundPage(mock, c, 'The log no longer has this request.')
    }
    return show(c, `Request ${number}`, (_mock, requested) => html`${requestSection(mock, requested, number)}`)
  })
  return app
}

/** The links that expire next, all in the same second. An invite is asked for its status only if its link may be one. */
function dueNext({ invites }: MockRows): DueNext | null {
  const isPending = (invite: Invite) => invites.statusOf(invite) === 'PENDING'
  const all = invites.all()
  let first = Infinity
  for (const invite of all) if (invite.expiresAt < first && isPending(invite)) first = invite.expiresAt
  const ofSecond = all.filter(({ expiresAt }) => expiresAt >= first && expiresAt < first + 1000)
  const links = ofSecond.filter(isPending).length
  return links === 0 ? null : { at: new Date(first + 999).toISOString(), links }
}

type Body = (mock: MockServer, requested: ViewRequest) => Markup

const BODIES: Readonly<Record<(typeof VIEWS)[number]['path'], Body>> = {
  '/': overview,
  '/outbox': outboxSection,
  '/invites': (mock, requested) => html`${invitesSection(mock, requested)}${inviteForm(mock, requested)}`,
  '/callbacks': callbacksSection,
  '/requests': requestsSection,
  '/faults': (mock) => html`${faultsSection(mock)}${faultForms()}`,
  '/catalogue': catalogueSection,
  '/candidates': candidatesSection,
  '/behaviour': behaviourSection,
  '/connect': (mock, requested) => html`${connectSection(mock, requested.base)}${targetsSection(mock, requested)}
${keysSection(mock)}${sessionsSection(mock, requested)}`,
}

/** The page for a path that leads nowhere, with the menu to go on. */
export function notFoundPage(mock: MockServer, c: Context<SiteEnv>, what?: string): Response | Promise<Response> {
  const { prefix } = c.env
  const words = what ?? html`Nothing is served at <code>${isolated(prefix + c.req.path)}</code>.`
  const body = missing('Not found', words, `${prefix}/`)
  return c.html(view(mock, { title: 'Not found', prefix, path: '', body }), 404)
}
