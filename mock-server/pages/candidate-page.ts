import type { Context } from 'hono'
import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import type { MockChallenge } from '../contract/members.ts'
import type { MockServer } from '../contract/mock-server.ts'
import type { SiteEnv } from '../control/control-api.ts'
import type { Internals } from '../sandbox/rows.ts'
import { CHALLENGE_PATH } from '../world/invites.ts'
import { candidateState, linkState, sandboxTime } from './candidate-actions.ts'
import { document } from './layout.ts'
import { linkOf } from './mail.ts'
import { creatorOf } from './request-story.ts'
import { type Markup, person, section, skill } from './kit/markup.ts'

/** The page of every challenge link, where a person acts as the candidate. */
export function candidatePages(mock: MockServer, { rows, requestLog }: Internals): Hono<SiteEnv> {
  return new Hono<SiteEnv>().get(`${CHALLENGE_PATH}:token`, (c) => {
    const { prefix } = c.env
    const challenge = challengeOf(mock, CHALLENGE_PATH + c.req.param('token'))
    if (!challenge) return unknownLink(c)
    const { status, skillName } = challenge.invite
    const isOpen = status === 'PENDING' || status === 'IN_PROGRESS'
    const by = creatorOf({ rows, requestLog, prefix }, challenge.invite.inviteId)
    const body = candidateCard(mock, challenge, prefix, by)
    return c.html(document({ title: skillName, prefix, body }), isOpen ? 200 : 410)
  })
}

/** The challenge of a link or of an `inviteId`; `null` if there is none. */
export function challengeOf(mock: MockServer, link: string): MockChallenge | null {
  try {
    return mock.open(link)
  } catch {
    return null
  }
}

function unknownLink(c: Context<SiteEnv>): Response | Promise<Response> {
  const { prefix } = c.env
  const body = html`<section class="card narrow"><h1>No such link</h1>
<p>This world has no invite with that link. It may have been reset since.</p>
<p><a href="${prefix}/">To the sandbox</a></p></section>`
  return c.html(document({ title: 'No such link', prefix, body }), 404)
}

function candidateCard(mock: MockServer, challenge: MockChallenge, prefix: string, by?: Markup): Markup {
  const { invite } = challenge
  const { candidate, inviteId, followedBy, followUpOf, quizId } = invite
  const followed = followedBy === null ? null : mock.open(followedBy).invite
  const next =
    followed &&
    html`<a class="button primary" href="${linkOf(followed, prefix)}">Go to the ${followed.followUpOf?.kind}</a>`
  const quiz = mock.quizzes.find(({ id }) => id === quizId)
  const card = section({
    id: 'challenge',
    title: skill(invite),
    parts: ['world', 'clock'],
    body: html`${candidateState(challenge, next ?? '')}
<dl class="facts"><dt>Candidate</dt><dd>${person(candidate)}</dd>
<dt>Link</dt><dd>${linkState(mock, invite)}</dd>
<dt>Quiz</dt><dd>${quiz && html`${quiz.durationMinutes} minutes, in ${quiz.enabledLanguages.join(', ')}<br>${quiz.conceptsTested.join(', ')}<br>`}<code>${quizId}</code></dd>
<dt>Invite</dt><dd><a href="${prefix}/invites/${inviteId}"><code>${inviteId}</code></a>${followUpOf ? `, a ${followUpOf.kind}` : ''}${by && html`, created by ${by}`}</dd></dl>
<p class="small">${sandboxTime(mock)}</p>`,
  })
  return html`<div class="narrow">
<p class="small"><a href="${prefix}/">certify sandbox</a> · you act as the candidate</p>
<h1>Certification challenge</h1>
${card}
</div>`
}
