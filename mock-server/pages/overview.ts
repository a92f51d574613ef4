import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { activityLines } from './activity.ts'
import { connectSection } from './connect.ts'
import { inviteForm } from './invites.ts'
import { action, count, empty, type Markup, section, statusName } from './kit/markup.ts'
import type { MockRows } from '../sandbox/rows.ts'
import { STATUSES, type ViewRequest } from './view.ts'

/** What happened, newest first; and how to begin, while there is no invite. */
export function overview(mock: MockServer, requested: ViewRequest): Markup {
  const { rows, prefix, base } = requested
  const lines = activityLines(mock, requested)
  const activity = section({
    id: 'activity',
    title: 'Activity',
    parts: ['world', 'requestLog', 'callbacks', 'faults', 'clock'],
    actions: html`${resetAction(rows)} <a class="button primary" href="${prefix}/invites#new-invite">New invite</a>`,
    body: html`${counters(mock, requested)}
${lines.length === 0 ? empty(html`Waiting for the first request to <code>${base}</code>.`) : html`<ol class="feed">${lines}</ol>`}`,
  })
  if (rows.invites.all().length > 0) return activity
  return html`${connectSection(mock, base)}${activity}${inviteForm(mock, requested)}`
}

function resetAction({ invites }: MockRows): Markup {
  const number = count(invites.all().length, 'invite')
  return action('POST /reset', 'Reset', {
    id: 'reset',
    about: 'forget everything',
    asks: `Forget ${number}, with all e-mails, callbacks, faults and requests, and begin again? This cannot be undone.`,
    done: `Reset: ${number} removed`,
  })
}

function counters({ faults }: MockServer, { rows, prefix }: ViewRequest): Markup {
  const { invites, requests, callbacks } = rows
  const counts = new Map<string, number>()
  const all = invites.all()
  for (const status of all.map(invites.statusOf)) counts.set(status, (counts.get(status) ?? 0) + 1)
  const states = STATUSES.flatMap((status) => {
    const number = counts.get(status)
    return number === undefined ? [] : [`${number.toLocaleString('en')} ${statusName(status)}`]
  })
  const failed = requests.all().filter(({ labels }) => labels().includes('failed')).length
  const open = callbacks.all().filter(({ status }) => status !== 'delivered').length
  const active = faults.list().filter(({ left }) => left > 0).length
  const tile = (path: string, number: number, one: string, more: readonly string[] = []): Markup =>
    html`<a class="tile" href="${prefix}${path}"><b>${number.toLocaleString('en')}</b> ${number === 1 ? one : `${one}s`}${more.length > 0 && `: ${more.join(', ')}`}</a>`
  return html`<div class="tiles">${tile('/invites', all.length, 'invite', states)}
${tile('/requests?status=failed', failed, 'failed request')}
${tile('/callbacks', open, 'undelivered callback')}${tile('/faults', active, 'active fault')}</div>`
}
