import { html } from 'hono/html'
import { type ListRequest, statusLinks } from '../../mock-server/pages/kit/lists.ts'
import {
  action,
  badge,
  count,
  hiddenHeading,
  isolated,
  type Markup,
  person,
  table,
  time,
} from '../../mock-server/pages/kit/markup.ts'
import type { InboxRow } from '../../src/callbacks/index.ts'
import type { LedgerRecord } from '../../src/ledger/index.ts'
import { type EventRow, eventRowOf, EVENT_STATES } from '../callbacks/event-row.ts'
import { recordsBy } from './groups.ts'
import { listView } from './list.ts'
import { referenceOf, scopeOf, type Studio } from './studio.ts'
import { titleOf } from './words.ts'

/** The events that arrived, newest first, and what became of each. */
export async function callbacksView(studio: Studio, request: ListRequest): Promise<Markup> {
  const { inbox } = studio.ledger
  const { status, q } = request.query
  const state = EVENT_STATES.find((each) => each === status)
  const filter = scopeOf(studio, request.query)
  const counts = await inbox.count(filter)
  const sum = ({ waiting, handled, failed }: typeof counts) => waiting + handled + failed
  return listView(studio, request, {
    id: 'callbacks',
    title: 'Callbacks',
    noun: ['callback', 'callbacks'],
    found: state === undefined ? sum(counts) : counts[state],
    all: sum(q === undefined ? counts : await inbox.count(scopeOf(studio))),
    filters: statusLinks(request, new Map(EVENT_STATES.map((each) => [each, counts[each]])), sum(counts)),
    none: NONE,
    rows: (page) => inbox.newest({ ...filter, ...(state && { state }), ...page }),
    keyOf: ({ key }: InboxRow) => key,
    find: inbox.find,
    async show(events) {
      const rows = await Promise.all(events.map(eventRowOf))
      const records = await recordsBy(studio, events.map(referenceOf))
      return table(
        ['Candidate', 'Event', 'State', 'Result', 'Received', hiddenHeading('Replay')],
        rows.map((row) => eventLine(row, records.get(row.reference))),
      )
    },
  })
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
  const tried = count(failures, 'failure')
  const fate = state === 'failed' ? `Given up after ${tried}.` : `${tried} so far; it is tried again.`
  const why = failures === 0 ? '' : html`<p class="small">${fate} ${isolated(error ?? '')}</p>`
  const who =
    record === undefined ? isolated(inviteId ?? reference, 'beginning') : person(record.input.candidate, 'beginning')
  return html`<tr><td class="who"><a href="/records/${encodeURIComponent(reference)}">${who}</a>
<p class="small">${record === undefined ? '' : isolated(titleOf(record), 'beginning')}</p></td>
<td>${isolated(event.replace(/^certification\./, ''))}${why}</td>
<td>${badge(state)}</td>
<td>${result === null && kind === null ? '' : badge(result ?? kind ?? '')}</td>
<td>${time(receivedAt)}</td><td class="do">${replay}</td></tr>`
}
