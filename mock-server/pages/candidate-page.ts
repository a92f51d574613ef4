import type { Context } from 'hono'
import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import type { MockChallenge } from '../contract/members.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { accessError } from '../control/access-check.ts'
import type { SiteEnv } from '../control/local-site.ts'
import type { Internals } from '../sandbox/rows.ts'
import { ATTEMPT_ACT_NAMES, ATTEMPT_ACTS } from '../world/candidate-actions.ts'
import { CHALLENGE_PATH } from '../world/invites.ts'
import type { InviteStatus, MockInvite } from '../generated/contract.ts'
import { missing } from './kit/document.ts'
import { document } from './layout.ts'
import { linkOf } from './mail.ts'
import { creatorOf } from './request-story.ts'
import { action, badge, type Markup, person, section, skill, time } from './kit/markup.ts'

/** The page of every challenge link, where a person acts as the candidate. */
export function candidatePages(mock: MockServer, { rows }: Internals): Hono<SiteEnv> {
  const path = `${CHALLENGE_PATH}:token`
  return new Hono<SiteEnv>().get(path, (c) => {
    const { prefix } = c.env
    // A candidate needs no control token; without it, nothing may be changed here.
    const live = accessError(c.env) === null
    const challenge = challengeOf(mock, CHALLENGE_PATH + c.req.param('token'))
    if (!challenge) return unknownLink(c)
    const { status, skillName } = challenge.invite
    const isOpen = status === 'PENDING' || status === 'IN_PROGRESS'
    const by = creatorOf({ rows, prefix }, challenge.invite.inviteId)
    const body = candidateCard(mock, challenge, prefix, by)
    return c.html(document({ title: skillName, prefix, body, live }), isOpen ? 200 : 410)
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
  const words = 'This world has no invite with that link. It may have been reset since.'
  const body = missing('No such link', words, `${prefix}/`)
  return c.html(document({ title: 'No such link', prefix, body, live: false }), 404)
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
<p class="small">Sandbox time: ${time(mock.clock.now().toISOString())}${mock.clock.frozen && ', frozen'}</p>`,
  })
  return html`<div class="narrow">
<p class="small"><a href="${prefix}/">certify sandbox</a> · you act as the candidate</p>
<h1>Certification challenge</h1>
${card}
</div>`
}

/** The status of an invite, and what the candidate may do now. `more` are other buttons. */
export function candidateState({ invite, offer }: MockChallenge, more: Markup | '' = ''): Markup {
  const { inviteId, status, followedBy } = invite
  const acts = ATTEMPT_ACT_NAMES.flatMap((act) => {
    if (status !== 'PENDING' && (status !== 'IN_PROGRESS' || act === 'start')) return []
    const { label, done } = ATTEMPT_ACTS[act]
    const look = act === 'start' ? 'primary' : ''
    return [action(`POST /invites/${inviteId}/${act}`, label, { id: act, done, look })]
  })
  const claim =
    offer === null
      ? ''
      : action(`POST /invites/${inviteId}/claim`, `Claim the ${offer}`, {
          id: 'claim',
          body: { kind: offer },
          look: 'primary',
          done: `Claimed the ${offer}`,
        })
  const none = offer === null && followedBy === null ? NOT_OFFERED[status] : undefined
  return html`<p>${badge(status)} ${STATUS_TEXTS[status]} ${none}</p>
<div class="buttons">${acts}${claim}${more}</div>`
}

const STATUS_TEXTS: Readonly<Record<InviteStatus, string>> = {
  PENDING: 'The attempt has not started. Start it, or choose at once how it ends.',
  IN_PROGRESS: 'How does the attempt end?',
  PASSED: 'The candidate is certified.',
  FAILED: 'There is no certification.',
  ABANDONED: 'There is no result.',
  EXPIRED: 'Nobody started before the link closed.',
}

const NOT_OFFERED: Partial<Readonly<Record<InviteStatus, string>>> = {
  PASSED: 'No level-up is offered.',
  FAILED: 'No retake is offered.',
}

/** Until when the link is open, or since when it is closed. */
export function linkState({ clock }: MockServer, { status, expiresAt }: MockInvite): Markup {
  const hours = Math.floor((Date.parse(expiresAt) - clock.now().getTime()) / 3_600_000)
  if (status === 'PENDING' || (status === 'IN_PROGRESS' && hours >= 0)) {
    return html`open for ${Math.floor(hours / 24)} days and ${hours % 24} hours, until ${time(expiresAt)}`
  }
  if (status === 'IN_PROGRESS') return html`closed at ${time(expiresAt)}; the attempt continues`
  if (status === 'EXPIRED') return html`closed at ${time(expiresAt)}`
  return html`closed to new attempts`
}
