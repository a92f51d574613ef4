import type { Context } from 'hono'
import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import type { MockChallenge } from '../contract/members.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { ACTS } from '../contract/paths.ts'
import type { SiteEnv } from '../control/control-api.ts'
import { CHALLENGE_PATH } from '../world/challenge-links.ts'
import { Refusal } from '../world/refusal.ts'
import { candidateButtons, followUpReason, linkState, STATUS_TEXTS, sandboxTime } from './candidate-actions.ts'
import { document } from './layout.ts'
import { badge, person, section, statusName } from './markup.ts'
import type { Openings } from './openings.ts'
import { linkOf } from './outbox.ts'

/** The page of every challenge link, where a person acts as the candidate. It works without JavaScript. */
export function candidatePages(mock: MockServer, openings: Openings): Hono<SiteEnv> {
  const onChallenge = (answer: Answer) => (c: Context<SiteEnv>) => {
    const challenge = challengeOf(mock, CHALLENGE_PATH + (c.req.param('token') ?? ''))
    return challenge ? answer(challenge, c) : unknownLink(c)
  }
  const show = (challenge: MockChallenge, c: Context<SiteEnv>, problem?: string) =>
    candidatePage(mock, challenge, c, problem)
  const open: Answer = (challenge, c) => {
    if (c.env.isVisit && c.req.method === 'GET') openings.note(challenge.invite.inviteId)
    return show(challenge, c)
  }
  const app = new Hono<SiteEnv>().get(`${CHALLENGE_PATH}:token`, onChallenge(open))
  for (const act of ACTS) {
    const path = `${CHALLENGE_PATH}:token/${act}`
    // The page that refuses an act has this address: a reload requests it by GET.
    app.get(
      path,
      onChallenge(({ invite }, c) => c.redirect(linkOf(invite, c.env.prefix), 303)),
    )
    app.post(
      path,
      onChallenge(async (challenge, c) => {
        try {
          const next = act === 'claim' ? challenge.claim(challenge.offer ?? 'retake') : challenge.invite
          if (act !== 'claim') challenge[act]()
          const fields = new URLSearchParams((await c.env.readBody()) ?? '')
          const back =
            fields.get('from') === 'invite' ? `${c.env.prefix}/invites/${next.inviteId}` : linkOf(next, c.env.prefix)
          return c.redirect(back, 303)
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

/** The challenge of a link or of an `inviteId`; `null` where there is none. */
export function challengeOf(mock: MockServer, link: string): MockChallenge | null {
  try {
    return mock.open(link)
  } catch {
    return null
  }
}

function unknownLink(c: Context<SiteEnv>): Response | Promise<Response> {
  const { prefix } = c.env
  const body = html`<section class="card candidate"><h1>No such link</h1><p>This world has no invite with that link. It may have been reset since.</p><p><a href="${prefix}/">To the sandbox</a></p></section>`
  return c.html(document({ title: 'No such link', prefix, body }), 404)
}

function candidatePage(
  mock: MockServer,
  challenge: MockChallenge,
  c: Context<SiteEnv>,
  problem?: string,
): Response | Promise<Response> {
  const { prefix } = c.env
  const { invite } = challenge
  const { candidate, skillName, level, status, inviteId } = invite
  const isOpen = status === 'PENDING' || status === 'IN_PROGRESS'
  const followed = invite.followedBy === null ? null : mock.open(invite.followedBy).invite
  const reason = followUpReason(mock, challenge)
  const card = section({
    id: 'challenge',
    title: `${skillName}, ${level.toLowerCase()}`,
    parts: ['world', 'clock'],
    summary: statusName(status),
    body: html`${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
<p class="lead">${STATUS_TEXTS[status]}</p>
${reason === null ? '' : html`<p class="small">${reason}</p>`}
<div class="buttons">${candidateButtons(challenge, linkOf(invite, prefix))}${followed ? html`<a class="button primary" href="${linkOf(followed, prefix)}">Go to the ${followed.followUpOf?.kind}</a>` : ''}</div>
<dl class="facts"><dt>Candidate</dt><dd>${candidate.name === null ? html`<i>no name</i> ` : ''}${person(candidate)}</dd>
<dt>Status</dt><dd>${badge(status)}</dd>
<dt>Link</dt><dd>${linkState(mock, invite)}</dd>
<dt>Quiz</dt><dd><code>${invite.quizId}</code></dd>
<dt>Invite</dt><dd><a href="${prefix}/invites/${inviteId}"><code>${inviteId}</code></a>${invite.followUpOf ? html`, a ${invite.followUpOf.kind}` : ''}</dd></dl>
<p class="small clock-line">${sandboxTime(mock)}</p>`,
  })
  const body = html`<div class="candidate"><p class="small"><a href="${prefix}/">certify sandbox</a> · you act as the candidate</p><h1>Certification challenge</h1>${card}</div>`
  return c.html(document({ title: skillName, prefix, body }), problem === undefined ? (isOpen ? 200 : 410) : 409)
}
