import { html } from 'hono/html'
import type { ListRequest } from '../../mock-server/pages/kit/lists.ts'
import {
  action,
  badge,
  count,
  empty,
  hiddenHeading,
  isolated,
  type Markup,
  section,
  table,
  time,
} from '../../mock-server/pages/kit/markup.ts'
import type { InboxRow } from '../../src/callbacks/index.ts'
import { type EventRow, eventRowOf, EVENT_STATES } from '../callbacks/event-row.ts'
import { pageOf, type Studio } from './studio.ts'

/** The events that arrived, newest first, and what became of each. */
export async function callbacksView({ ledger: { inbox } }: Studio, request: ListRequest): Promise<Markup> {
  const state = EVENT_STATES.find((each) => each === request.query['status'])
  const filter = state === undefined ? {} : { state }
  const { rows: events, links } = await pageOf(
    request,
    ({ key }: InboxRow) => key,
    inbox.find,
    (page) => inbox.newest({ ...filter, ...page }),
  )
  const rows = await Promise.all(events.map(eventRowOf))
  const chip = (status: string, label: string) =>
    html`<li><a href="/callbacks${status && `?status=${status}`}" ${status === (state ?? '') ? html`aria-current="true"` : ''}>${label}</a></li>`
  const body =
    rows.length === 0
      ? empty(NONE)
      : table(['Event', 'State', 'Invite', 'Result', 'Received', hiddenHeading('Replay')], rows.map(eventLine))
  return section({
    id: 'callbacks',
    title: 'Callbacks',
    parts: ['ledger'],
    summary: 'the newest come first',
    body: html`<div class="tools"><nav class="counts" aria-label="By state"><ul>${chip('', 'all')}${EVENT_STATES.map((each) => chip(each, each))}</ul></nav></div>${body}${links}`,
  })
}

const NONE = html`No events here. <code>certify callbacks listen</code>, or your own receiver, stores what arrives.`

function eventLine({
  key,
  state,
  event,
  inviteId,
  result,
  kind,
  receivedAt,
  failures,
  error,
  reference,
}: EventRow): Markup {
  const replay = action('POST /replay', 'Replay', {
    id: `replay-${key}`,
    body: { key },
    about: `${event} ${key}`,
    asks:
      state === 'handled'
        ? 'It was handled already. Your application gets it a second time.'
        : 'It is handled again, by the receiver that is running or the next one.',
    done: 'The next receiver will handle it',
    look: 'quiet',
  })
  const why =
    failures === 0
      ? ''
      : html`<p class="small">${state === 'failed' ? `Given up after ${count(failures, 'failure')}.` : `${count(failures, 'failure')} so far; it is tried again.`} ${error === null ? '' : isolated(error)}</p>`
  return html`<tr><td><b>${isolated(event.replace(/^certification\./, ''))}</b>${why}</td>
<td>${badge(state)}</td>
<td><a href="/records/${encodeURIComponent(reference)}">${isolated(inviteId ?? reference, 'beginning')}</a></td>
<td>${result === null && kind === null ? '' : badge(result ?? kind ?? '')}</td>
<td>${time(receivedAt)}</td><td class="do">${replay}</td></tr>`
}
