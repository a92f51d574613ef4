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
  person,
  section,
  table,
  time,
} from '../../mock-server/pages/kit/markup.ts'
import type { InboxRow } from '../../src/callbacks/index.ts'
import type { LedgerRecord } from '../../src/ledger/index.ts'
import { type EventRow, eventRowOf, EVENT_STATES } from '../callbacks/event-row.ts'
import { recordsBy } from './overview.ts'
import { addressOf, nothingFound, pageOf, referenceOf, scopeOf, searchForm, type Studio } from './studio.ts'
import { titleOf } from './words.ts'

/** The events that arrived, newest first, and what became of each. */
export async function callbacksView(studio: Studio, request: ListRequest): Promise<Markup> {
  const { inbox } = studio.ledger
  const { query } = request
  const { status = '', before: _before, ...others } = query
  const state = EVENT_STATES.find((each) => each === status)
  const filter = scopeOf(studio, query)
  const [counts, { rows: events, links }] = await Promise.all([
    inbox.count(filter),
    pageOf(
      request,
      ({ key }: InboxRow) => key,
      inbox.find,
      (page) => inbox.newest({ ...filter, ...(state && { state }), ...page }),
    ),
  ])
  const rows = await Promise.all(events.map(eventRowOf))
  const records = await recordsBy(studio, events.map(referenceOf))
  const all = EVENT_STATES.reduce((sum, each) => sum + counts[each], 0)
  const chip = (label: string, each: string, number: number) =>
    html`<li><a href="${addressOf('/callbacks', { ...others, status: each })}" ${each === (state ?? '') ? html`aria-current="true"` : ''}>${label} <b>${number.toLocaleString('en')}</b></a></li>`
  const headings = ['Candidate', 'Event', 'State', 'Result', 'Received', hiddenHeading('Replay')]
  const body =
    rows.length > 0
      ? table(
          headings,
          rows.map((row) => eventLine(row, records.get(row.reference))),
        )
      : query['q']
        ? nothingFound(studio, query, count(await callbacksIn(studio), 'callback'))
        : empty(NONE)
  return html`${searchForm(request)}${section({
    id: 'callbacks',
    title: 'Callbacks',
    parts: ['ledger'],
    summary: count(all, 'callback'),
    body: html`<div class="tools"><nav class="counts" aria-label="By state"><ul>${chip('all', '', all)}${EVENT_STATES.map((each) => chip(each, each, counts[each]))}</ul></nav></div>${body}${links}`,
  })}`
}

async function callbacksIn(studio: Studio): Promise<number> {
  const counts = await studio.ledger.inbox.count(scopeOf(studio))
  return EVENT_STATES.reduce((sum, each) => sum + counts[each], 0)
}

const NONE = html`No events here. <code>certify callbacks listen</code>, or your own receiver, stores what arrives.`

function eventLine(row: EventRow, record: LedgerRecord | undefined): Markup {
  const { key, state, event, inviteId, result, kind, receivedAt, failures, error, reference } = row
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
  const who =
    record === undefined ? isolated(inviteId ?? reference, 'beginning') : person(record.input.candidate, 'beginning')
  return html`<tr><td><a href="/records/${encodeURIComponent(reference)}">${who}</a>
<p class="small">${record === undefined ? '' : isolated(titleOf(record), 'beginning')}</p></td>
<td>${isolated(event.replace(/^certification\./, ''))}${why}</td>
<td>${badge(state)}</td>
<td>${result === null && kind === null ? '' : badge(result ?? kind ?? '')}</td>
<td>${time(receivedAt)}</td><td class="do">${replay}</td></tr>`
}
