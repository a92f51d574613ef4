import { html } from 'hono/html'
import type { MockChallenge } from '../contract/members.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { rowWhere } from '../sandbox/rows.ts'
import type { MockInvite } from '../world/model.ts'
import { callbackBadges } from './callbacks.ts'
import { mailOf } from './invite-page.ts'
import type { ViewRequest } from './lists.ts'
import { badge, count, foreign, type Markup, section, statusName, time } from './markup.ts'

/** What happened to an invite, in order, and what comes next. */
export function timelineSection(mock: MockServer, { invite }: MockChallenge, requested: ViewRequest): Markup {
  const { prefix } = requested
  const steps = [
    ...creation(requested, invite),
    ...mailSteps(requested, invite),
    ...attemptSteps(mock, invite),
    ...callbackSteps(requested, invite),
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

interface Step {
  readonly at: string
  readonly what: Markup
  readonly look?: 'good' | 'poor' | 'next'
}

/** Who created it: a request, if the log still has it; the candidate; or a tester. */
function creation({ rows: { requests }, prefix }: ViewRequest, invite: MockInvite): Step[] {
  const { inviteId, createdAt: at, followUpOf } = invite
  if (followUpOf) {
    const first = html`<a href="${prefix}/invites/${followUpOf.inviteId}">an earlier invite</a>`
    return [{ at, what: html`The candidate claimed this invite: the ${followUpOf.kind} of ${first}` }]
  }
  const request = rowWhere(requests, ({ row }) => row().answer?.includes(inviteId) === true)
  if (!request) return [{ at, what: html`Created` }]
  const by = html`<a href="${prefix}/requests?q=${inviteId}">request ${request.number}</a>`
  const key = request.key === null ? '' : html`, with the key <b>${request.key}</b>`
  return [{ at, what: html`Created by ${by}${key}` }]
}

function mailSteps({ rows, prefix }: ViewRequest, { inviteId }: MockInvite): Step[] {
  const mail = mailOf(rows, inviteId)
  if (!mail) return []
  return [
    {
      at: mail.sentAt,
      what: html`E-mail sent to ${foreign(mail.to)}: <a href="${prefix}/outbox/${inviteId}">read it</a>`,
    },
  ]
}

function attemptSteps(mock: MockServer, { inviteId, candidate }: MockInvite): Step[] {
  const attempt = mock.candidate(candidate.email).attempts.find((each) => each.inviteId === inviteId)
  if (!attempt) return []
  const { startedAt, endedAt, status } = attempt
  const look = status === 'PASSED' ? 'good' : 'poor'
  const end = { at: endedAt ?? '', what: html`Attempt ended: ${badge(status)}`, look } as const
  return [{ at: startedAt, what: html`Attempt started` }, ...(endedAt === null ? [] : [end])]
}

function callbackSteps({ rows: { callbacks }, prefix }: ViewRequest, { inviteId }: MockInvite): Step[] {
  return callbacks
    .kept()
    .filter((event) => event.inviteId === inviteId)
    .map((event) => callbacks.row(event))
    .map((callback) => ({
      at: callback.occurredAt,
      what: html`Callback <a href="${prefix}/callbacks?q=${callback.id}">${callback.type}</a> ${callbackBadges(callback)}`,
      ...(callback.status !== 'delivered' && callback.status !== 'waiting' && { look: 'poor' as const }),
    }))
}

function claimSteps(mock: MockServer, { followedBy }: MockInvite, prefix: string): Step[] {
  if (followedBy === null) return []
  const { createdAt, followUpOf, status } = mock.open(followedBy).invite
  const link = html`<a href="${prefix}/invites/${followedBy}">${followUpOf?.kind ?? 'follow-up'}</a>`
  return [{ at: createdAt, what: html`The candidate claimed the ${link}, which is ${statusName(status)} now` }]
}

function nextStep({ status, expiresAt }: MockInvite): Step | null {
  if (status === 'PENDING') return { at: expiresAt, what: html`The link will close`, look: 'next' }
  return status === 'EXPIRED' ? { at: expiresAt, what: html`The link closed: nobody had started`, look: 'poor' } : null
}
