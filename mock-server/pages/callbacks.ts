import { html } from 'hono/html'
import type { MockCallback } from '../contract/callbacks.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { callbackWords } from '../control/row-search.ts'
import { action, badge, empty, type Markup, time } from './markup.ts'
import { count, listSection, rowsOf, searchForm, type ViewRequest } from './row-list.ts'

export function callbacksSection({ callbacks }: MockServer, requested: ViewRequest): Markup {
  const found = rowsOf(requested.rows.callbacks, { words: callbackWords }, requested, 'q')
  const { paused } = callbacks
  return listSection(requested, {
    id: 'callbacks',
    title: 'Callbacks',
    parts: ['callbacks', 'clock'],
    found,
    summary: count(found.total, 'callback') + (paused ? ', paused' : ''),
    actions: paused
      ? action('POST /callbacks/resume', 'Resume', {
          id: 'callbacks-turn',
          look: 'primary',
          about: 'deliver callbacks',
        })
      : action('POST /callbacks/pause', 'Pause', { id: 'callbacks-turn', about: 'deliver no more callbacks' }),
    all: 'All callbacks',
    search: searchForm(requested, 'q', 'Type, address or identifier'),
    none: requested.query['q'] ? 'No callback matches.' : NONE_YET,
    rows: (rows) => html`<ul class="entries">${rows.map(entry)}</ul>`,
  })
}

const NONE_YET = html`No callback so far. An invite with a callbackUrl causes them: when its candidate has a result, or claims a follow-up. To receive them on this machine, start the mock with <code>--map-callback https://app.example=http://127.0.0.1:3000</code>, and give the invite a callbackUrl such as <code>https://app.example/hook</code>. It has to begin with https.`

function entry({ id, type, url, status, occurredAt, nextAttemptAt, attempts, body }: MockCallback): Markup {
  const tries = attempts.map(
    ({ at, status: answered, error }) =>
      html`<li>${time(at)} ${answered === null ? html`<span class="bad">${error}</span>` : html`HTTP ${answered}`}</li>`,
  )
  const failure = status === 'delivered' ? null : (attempts.at(-1)?.error ?? null)
  return html`<li>
<div class="line"><b>${type}</b> ${badge(status)} <span class="url">${url}</span>
<span class="do">${action(`POST /callbacks/${id}/redeliver`, 'Redeliver', { id: `redeliver-${id}`, about: `${type} ${id}` })}</span></div>
<p class="small">${time(occurredAt)} · ${count(attempts.length, 'attempt')}${nextAttemptAt === null ? '' : html` · next at ${time(nextAttemptAt)}`}${failure === null ? '' : html` · <span class="bad">${failure}</span>`}</p>
<details id="details-${id}"><summary>Attempts and body</summary>${tries.length === 0 ? empty('No attempt so far.') : html`<ol class="tries">${tries}</ol>`}<pre tabindex="0" aria-label="Body">${body}</pre></details>
</li>`
}
