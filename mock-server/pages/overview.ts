import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import type { Rows } from '../sandbox/rows.ts'
import { callbackBadges } from './callbacks.ts'
import { connectSection, resetAction } from './connect.ts'
import { inviteForm } from './invites.ts'
import { badge, empty, isolated, type Markup, section, statusName, time } from './kit/markup.ts'
import { requestLine } from './requests.ts'
import type { ViewRequest } from './view.ts'

const MOST = 20

/** What happened, newest first: requests, e-mails, attempts and callbacks; and how to begin, while there is no invite. */
export function overview(mock: MockServer, requested: ViewRequest): Markup {
  const { rows, prefix, base } = requested
  const steps = [
    ...requestSteps(requested),
    ...mailSteps(requested),
    ...attemptSteps(requested),
    ...callbackSteps(requested),
  ]
  const lines = steps
    .toSorted((a, b) => a.at.localeCompare(b.at))
    .slice(-MOST)
    .toReversed()
    .map(({ at, what }) => html`<li class="line">${time(at)} <span>${what}</span></li>`)
  const activity = section({
    id: 'activity',
    title: 'Activity',
    parts: ['world', 'requestLog', 'callbacks', 'faults', 'clock'],
    actions: html`${resetAction(rows)} <a class="button primary" href="${prefix}/invites#new-invite">New invite</a>`,
    body: html`${counters(mock, requested)}
${lines.length === 0 ? empty(html`Waiting for the first request to <code>${base}</code>.`) : html`<ol class="feed">${lines}</ol>`}`,
  })
  const isNew = rows.invites.kept().length === 0
  return html`${activity}${isNew ? html`${inviteForm(mock, requested)}${connectSection(mock, base)}` : ''}`
}

function counters({ faults }: MockServer, { rows, prefix }: ViewRequest): Markup {
  const { invites, requests, callbacks } = rows
  const statuses = invites.kept().map(invites.statusOf)
  const ofStatus = (status: string): number => statuses.filter((each) => each === status).length
  const states = [...new Set(statuses)].map((status) => `${ofStatus(status)} ${statusName(status)}`).join(', ')
  const failed = requests.kept().filter(({ labels }) => labels().includes('failed')).length
  const open = callbacks.kept().filter(({ status }) => status !== 'delivered').length
  const active = faults.list().filter(({ left }) => left > 0).length
  const tile = (path: string, number: number, one: string, more = ''): Markup =>
    html`<a class="tile" href="${prefix}${path}"><b>${number.toLocaleString('en')}</b> ${number === 1 ? one : `${one}s`}${more}</a>`
  return html`<div class="tiles">${tile('/invites', statuses.length, 'invite', states && `: ${states}`)}
${tile('/requests?status=failed', failed, 'failed request')}
${tile('/callbacks', open, 'undelivered callback')}${tile('/faults', active, 'active fault')}</div>`
}

interface Step {
  readonly at: string
  readonly what: Markup
}

function newest<Kept, Row>({ kept, row }: Rows<Kept, Row>): Row[] {
  return kept().slice(-MOST).map(row)
}

function requestSteps({ rows: { requests }, prefix }: ViewRequest): Step[] {
  return newest({ ...requests, row: (logged) => logged }).map((logged) => ({
    at: logged.row().at,
    what: html`<a href="${prefix}/requests/${logged.number}">Request ${logged.number}</a> ${requestLine(logged)}`,
  }))
}

function mailSteps({ rows: { mails }, prefix }: ViewRequest): Step[] {
  return newest(mails).map(({ sentAt: at, inviteId, to }) => ({
    at,
    what: html`<a href="${prefix}/outbox/${inviteId}">E-mail</a> to ${isolated(to, 'beginning')}`,
  }))
}

function attemptSteps({ rows, prefix }: ViewRequest): Step[] {
  return rows.newestAttempts(MOST).map(({ inviteId, at, status, email }) => ({
    at,
    what: html`${inviteId === null ? 'Attempt' : html`<a href="${prefix}/invites/${inviteId}">Attempt</a>`} of
${isolated(email, 'beginning')} ${badge(status)}`,
  }))
}

function callbackSteps({ rows: { callbacks }, prefix }: ViewRequest): Step[] {
  return newest(callbacks).map((callback) => ({
    at: callback.occurredAt,
    what: html`<a href="${prefix}/callbacks?q=${callback.id}">Callback</a> ${callback.type}
${callbackBadges(callback)}`,
  }))
}
