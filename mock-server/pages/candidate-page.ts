import type { Context } from 'hono'
import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import type { MockChallenge } from '../contract/candidate.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { ACTS } from '../contract/paths.ts'
import type { SiteEnv } from '../control/control-api.ts'
import { CHALLENGE_PATH } from '../world/challenge-links.ts'
import type { InviteStatus, MockInvite } from '../world/model.ts'
import { Refusal } from '../world/refusal.ts'
import { document } from './layout.ts'
import { badge, type Markup, section, statusName, time } from './markup.ts'
import { linkOf } from './outbox.ts'

/** The page of every challenge link, where a person acts as the candidate. It works without JavaScript. */
export function candidatePages(mock: MockServer): Hono<SiteEnv> {
  const onChallenge = (answer: Answer) => (c: Context<SiteEnv>) => {
    const challenge = challengeOf(mock, c.req.param('token') ?? '')
    return challenge ? answer(challenge, c) : unknownLink(c)
  }
  const show = (challenge: MockChallenge, c: Context<SiteEnv>, problem?: string) =>
    candidatePage(mock, challenge, c, problem)
  const app = new Hono<SiteEnv>().get(`${CHALLENGE_PATH}:token`, onChallenge(show))
  for (const act of ACTS) {
    const path = `${CHALLENGE_PATH}:token/${act}`
    // The page that refuses an act has this address: a reload requests it by GET.
    app.get(
      path,
      onChallenge(({ invite }, c) => redirectTo(invite, c)),
    )
    app.post(
      path,
      onChallenge((challenge, c) => {
        try {
          const next = act === 'claim' ? challenge.claim(challenge.offer ?? 'retake') : challenge.invite
          if (act !== 'claim') challenge[act]()
          return redirectTo(next, c)
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          return show(challenge, c, error.message)
        }
      }),
    )
  }
  return app
}

type Answer = (challenge: MockChallenge, c: Context<SiteEnv>) => Response | Promise<Response>

function redirectTo(invite: MockInvite, c: Context<SiteEnv>): Response {
  return c.redirect(linkOf(invite, c.env.prefix), 303)
}

function challengeOf(mock: MockServer, token: string): MockChallenge | null {
  try {
    return mock.open(CHALLENGE_PATH + token)
  } catch {
    return null
  }
}

function unknownLink(c: Context<SiteEnv>): Response | Promise<Response> {
  const body = html`<section class="card candidate"><h1>No such link</h1><p>This world has no invite with that link. It may have been reset since.</p></section>`
  return c.html(document({ title: 'No such link', prefix: c.env.prefix, body }), 404)
}

function candidatePage(
  mock: MockServer,
  { invite, offer }: MockChallenge,
  c: Context<SiteEnv>,
  problem?: string,
): Response | Promise<Response> {
  const { prefix } = c.env
  const { candidate, skillName, level, status, inviteId } = invite
  const link = linkOf(invite, prefix)
  const isOpen = status === 'PENDING' || status === 'IN_PROGRESS'
  const button = ([act, label, look = '']: readonly string[]): Markup =>
    html`<form class="inline" method="post" action="${link}/${act}"><button id="${act}" class="${look}">${label}</button></form>`
  const followed = invite.followedBy === null ? null : mock.open(invite.followedBy).invite
  const challenge = section({
    id: 'challenge',
    title: `${skillName}, ${level.toLowerCase()}`,
    parts: ['world', 'clock'],
    summary: statusName(status),
    body: html`${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
<p class="lead">${STATUS_TEXTS[status]}</p>
<div class="buttons">${BUTTONS[status]?.map(button)}${offer === null ? '' : button(['claim', `Claim the ${offer}`, 'primary'])}${followed ? html`<a class="button primary" href="${linkOf(followed, prefix)}">Go to the ${followed.followUpOf?.kind}</a>` : ''}</div>
<dl class="facts"><dt>Candidate</dt><dd>${candidate.name ?? html`<i>no name</i>`}<br>${candidate.email}</dd>
<dt>Status</dt><dd>${badge(status)}</dd>
<dt>Link</dt><dd>${isOpen ? html`${remaining(mock, invite.expiresAt)}, until ${time(invite.expiresAt)}` : 'closed to new attempts'}</dd>
<dt>Quiz</dt><dd><code>${invite.quizId}</code></dd>
<dt>Invite</dt><dd><a href="${prefix}/invites?q=${inviteId}"><code>${inviteId}</code></a>${invite.followUpOf ? html`, a ${invite.followUpOf.kind}` : ''}</dd></dl>`,
  })
  const body = html`<div class="candidate"><p class="small"><a href="${prefix}/">certify sandbox</a> · you act as the candidate</p><h1>Certification challenge</h1>${challenge}</div>`
  return c.html(document({ title: skillName, prefix, body }), problem === undefined ? (isOpen ? 200 : 410) : 409)
}

function remaining(mock: MockServer, expiresAt: string): string {
  const hours = Math.floor((Date.parse(expiresAt) - mock.clock.now().getTime()) / 3_600_000)
  if (hours < 0) return 'closed'
  return `open for ${Math.floor(hours / 24)} days and ${hours % 24} hours`
}

const STATUS_TEXTS: Readonly<Record<InviteStatus, string>> = {
  PENDING: 'The attempt has not started. Start it, or choose at once how it ends.',
  IN_PROGRESS: 'The attempt is in progress. How does it end?',
  PASSED: 'Passed: the candidate is certified.',
  FAILED: 'Failed: there is no certification.',
  ABANDONED: 'The attempt was abandoned. There is no result.',
  EXPIRED: 'This link has closed: nobody started in time.',
  WITHDRAWN: 'This link was withdrawn: its quiz is out of service.',
}

const ENDS = [
  ['pass', 'Pass'],
  ['fail', 'Fail'],
  ['abandon', 'Abandon'],
] as const

const BUTTONS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  PENDING: [['start', 'Start', 'primary'], ...ENDS],
  IN_PROGRESS: ENDS,
}
