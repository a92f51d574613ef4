import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { callbackWords } from '../control/row-search.ts'
import type { MockCallback, MockCallbackAttempt } from '../generated/contract.ts'
import { rowWhere } from '../sandbox/rows.ts'
import { callbackReason } from './callback-reason.ts'
import { challengeOf } from './candidate-page.ts'
import { action, badge, block, empty, foreign, type Markup, person, time } from './markup.ts'
import { count, listSection, rowsOf, searchForm, type ViewRequest } from './row-list.ts'

export function callbacksSection(mock: MockServer, requested: ViewRequest): Markup {
  const { callbacks } = mock
  const found = rowsOf(requested.rows.callbacks, { words: callbackWords }, requested, 'q')
  const { paused } = callbacks
  const entryOf = (callback: MockCallback): Markup => {
    const { waitsBehind } = callback
    const first = waitsBehind === null ? undefined : rowWhere(requested.rows.callbacks, ({ id }) => id === waitsBehind)
    return entry(callback, mock, requested.prefix, callbackReason(callback, { first, paused }))
  }
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
    rows: (rows) => html`<ul class="entries">${rows.map(entryOf)}</ul>`,
  })
}

const NONE_YET = html`No callback so far. An invite with a callbackUrl causes them: when its candidate has a result, or claims a follow-up. With the callbackUrl <code>https://sandbox.callback/hook</code> they are kept here. To receive them on this machine, start the mock with <code>--map-callback https://app.example=http://127.0.0.1:3000</code>, and give the invite a callbackUrl such as <code>https://app.example/hook</code>. It has to begin with https.`

/** The status of the last answer, or that there was none. */
export function answerBadge({ attempts }: MockCallback): Markup | '' {
  const last = attempts.at(-1)
  if (last === undefined) return ''
  if (last.status === null) return badge('no-answer', 'no answer')
  return badge(last.status < 300 ? 'passed' : 'failed', `HTTP ${last.status}`)
}

function entry(callback: MockCallback, mock: MockServer, prefix: string, reason: string | null): Markup {
  const { id, type, url, status, occurredAt, attempts, body } = callback
  const tries = attempts.map((attempt, index) => attemptDetails(attempt, `${id}-${index + 1}`))
  return html`<li>
<div class="line"><b>${type}</b> ${badge(status)} ${answerBadge(callback)}
<span class="do">${action(`POST /callbacks/${id}/redeliver`, 'Redeliver', { id: `redeliver-${id}`, about: `${type} ${id}` })}</span></div>
<p class="small">${candidateOf(callback, mock, prefix)}</p>
<p class="small">${time(occurredAt)} · ${count(attempts.length, 'attempt')} · to ${foreign(url, 'beginning')}</p>
${reason === null ? '' : html`<p class="why ${status}">${reason}</p>`}
<details id="details-${id}"><summary>Body and attempts</summary>${block('Body', body)}<p class="small">To ${foreign(url)}, as event <code>${id}</code></p>${tries.length === 0 ? empty('No attempt so far.') : html`<ol class="tries">${tries}</ol>`}</details>
</li>`
}

/** The candidate, with a link to the invite. An imported state may have lost the invite. */
function candidateOf({ inviteId }: MockCallback, mock: MockServer, prefix: string): Markup {
  const challenge = challengeOf(mock, inviteId)
  if (!challenge) return html`invite <code>${inviteId}</code>`
  const { candidate, skillName, level } = challenge.invite
  return html`${person(candidate, 'beginning')} · <a href="${prefix}/invites/${inviteId}">${skillName}, ${level.toLowerCase()}</a>`
}

function attemptDetails({ at, status, error, requestHeaders, answer }: MockCallbackAttempt, id: string): Markup {
  const result = status === null ? html`<span class="bad">${error}</span>` : html`HTTP ${status}`
  const sent = Object.entries(requestHeaders).map(([name, value]) => `${name}: ${value}`)
  if (sent.length === 0) return html`<li>${time(at)} · ${result}</li>`
  return html`<li><details id="attempt-${id}"><summary>${time(at)} · ${result}</summary>${block('Headers that were sent', sent.join('\n'))}${answer === null ? '' : answer === '' ? html`<p class="small">The answer had no body.</p>` : block('Body of the answer', answer)}</details></li>`
}
