import { html } from 'hono/html'
import type { MockCallback } from '../contract/callbacks.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { callbackWords, newestFirst, wholeNumber } from '../control/row-search.ts'
import { badge } from './invites.ts'
import { action, empty, type Markup, section, time } from './markup.ts'
import { count, pager, ROWS, searchForm, type ViewRequest } from './row-list.ts'

/** The events on their way to callback URLs, with every attempt. */
export function callbacksSection({ callbacks }: MockServer, requested: ViewRequest, size: number = ROWS): Markup {
  const { q = '', page } = requested.query
  const found = newestFirst(callbacks.list(), { search: q, words: callbackWords, page: wholeNumber(page, 1), size })
  const { paused } = callbacks
  const turn = paused
    ? action('POST /callbacks/resume', 'Resume', { id: 'callbacks-turn', look: 'primary', about: 'deliver callbacks' })
    : action('POST /callbacks/pause', 'Pause', { id: 'callbacks-turn', about: 'deliver no more callbacks' })
  const none =
    q === ''
      ? html`No callback so far. An invite with a callbackUrl gives rise to them, when its candidate has a result or claims a follow-up. For a server of yours on this machine, start the mock with <code>--map-callback https://app.example=http://127.0.0.1:3000</code> and give the invite a callbackUrl such as <code>https://app.example/hook</code>: it has to begin with https.`
      : 'No callback is like that.'
  return section({
    id: 'callbacks',
    title: 'Callbacks',
    parts: ['callbacks', 'clock'],
    summary: count(found.total, 'callback') + (paused ? ', paused' : ''),
    actions: size < ROWS ? html`<a href="${requested.prefix}/callbacks">All callbacks</a>` : turn,
    body: html`${size < ROWS ? '' : searchForm(requested, 'q', 'Type, address or identifier')}
${found.rows.length === 0 ? empty(none) : html`<ul class="entries">${found.rows.map(entry)}</ul>`}${size < ROWS ? '' : pager(requested, found)}`,
  })
}

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
