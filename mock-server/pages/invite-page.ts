import { html } from 'hono/html'
import type { MockChallenge } from '../contract/members.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { type MockRows, rowWhere } from '../sandbox/rows.ts'
import { isoTime } from '../world/clock.ts'
import type { MockInvite, MockMail } from '../generated/contract.ts'
import { candidateState, linkState } from './candidate-page.ts'
import { effectsOf } from './effects.ts'
import { linkOf } from './mail.ts'
import { creatorOf } from './request-story.ts'
import { copyButton, count, isolated, type Markup, section, skill, statusName, time } from './kit/markup.ts'
import type { ViewRequest } from './view.ts'

/** What an invite is, and what its candidate may do. */
export function inviteSection(mock: MockServer, challenge: MockChallenge, requested: ViewRequest): Markup {
  const { invite } = challenge
  const { prefix } = requested
  const { inviteId, challengeUrl, quizId, packageId, externalReference, callbackUrl, followUpOf, followedBy } = invite
  const link = linkOf(invite, prefix)
  const mail = mailOf(requested.rows, inviteId)
  const other = (label: string, id: string, words: string): Markup =>
    html`<dt>${label}</dt><dd><a href="${prefix}/invites/${id}">${words}</a></dd>`
  return section({
    id: 'invite',
    title: skill(invite),
    parts: ['world', 'clock'],
    body: html`${candidateState(challenge, html`<a class="button" href="${link}">Open link</a>`)}
<dl class="facts"><dt>Link</dt><dd>${linkState(mock, invite)}<br>
<a href="${link}"><code>${challengeUrl}</code></a> ${copyButton(challengeUrl, 'Copy', 'link')}</dd>
<dt>E-mail</dt><dd>${mailWords(invite, mail, prefix)}</dd>
<dt>Quiz</dt><dd><code>${quizId}</code></dd>
${packageId === null ? '' : html`<dt>Package</dt><dd><code>${packageId}</code></dd>`}
<dt>Invite</dt><dd><code>${inviteId}</code> ${copyButton(inviteId, 'Copy', 'inviteId')}</dd>
<dt>Reference</dt><dd>${externalReference === null ? 'none' : isolated(externalReference)}</dd>
<dt>Callback URL</dt><dd>${callbackUrl === null ? 'none' : isolated(callbackUrl)}</dd>
${followUpOf ? other('Follows', followUpOf.inviteId, `an earlier invite, as its ${followUpOf.kind}`) : ''}
${followedBy === null ? '' : other('Followed by', followedBy, 'the invite that was claimed')}</dl>`,
  })
}

/** The e-mail with the link of this invite. */
export function mailOf({ mails }: MockRows, inviteId: string): MockMail | undefined {
  return rowWhere(mails, (mail) => mail.inviteId === inviteId)
}

function mailWords({ emailSent, followUpOf }: MockInvite, mail: MockMail | undefined, prefix: string): Markup | string {
  if (mail) return html`sent: <a href="${prefix}/outbox/${mail.inviteId}">${isolated(mail.subject)}</a>`
  if (emailSent) return 'sent, but lost on its way'
  return followUpOf ? 'none: the candidate claimed this invite' : 'none was sent'
}

/** What happened to an invite, in order, and what comes next. */
export function timelineSection(mock: MockServer, { invite }: MockChallenge, requested: ViewRequest): Markup {
  const { prefix } = requested
  const steps = [
    ...creation(requested, invite),
    ...(effectsOf([invite.inviteId], requested).get(invite.inviteId) ?? []).map((effect) => ({
      ...effect,
      at: isoTime(effect.at),
    })),
    ...claimSteps(mock, invite, prefix),
  ].toSorted((a, b) => a.at.localeCompare(b.at))
  const next = nextStep(invite)
  const lines = [...steps, ...(next === null ? [] : [next])].map(
    ({ at, what, look = '' }) => html`<li class="step ${look}">${time(at)}<div>${what}</div></li>`,
  )
  return section({
    id: 'timeline',
    title: 'Timeline',
    parts: ['world', 'callbacks', 'clock'],
    summary: count(steps.length, 'step'),
    body: html`<ol class="timeline">${lines}</ol>`,
  })
}

interface TimelineStep {
  readonly at: string
  readonly what: Markup
  readonly look?: 'good' | 'poor' | 'next'
}

/** Who created it: a request, if the log still has it; the candidate; or a tester. */
function creation(requested: ViewRequest, { inviteId, createdAt: at, followUpOf }: MockInvite): TimelineStep[] {
  if (followUpOf) {
    const first = html`<a href="${requested.prefix}/invites/${followUpOf.inviteId}">an earlier invite</a>`
    return [{ at, what: html`The candidate claimed this invite: the ${followUpOf.kind} of ${first}` }]
  }
  const by = creatorOf(requested, inviteId)
  return [{ at, what: by === undefined ? html`Created` : html`Created by ${by}` }]
}

function claimSteps(mock: MockServer, { followedBy }: MockInvite, prefix: string): TimelineStep[] {
  if (followedBy === null) return []
  const { createdAt, followUpOf, status } = mock.open(followedBy).invite
  const link = html`<a href="${prefix}/invites/${followedBy}">${followUpOf?.kind ?? 'follow-up'}</a>`
  return [{ at: createdAt, what: html`The candidate claimed the ${link}, which is ${statusName(status)} now` }]
}

function nextStep({ status, expiresAt }: MockInvite): TimelineStep | null {
  if (status === 'PENDING') return { at: expiresAt, what: html`The link will close`, look: 'next' }
  return status === 'EXPIRED' ? { at: expiresAt, what: html`The link closed: nobody had started`, look: 'poor' } : null
}
