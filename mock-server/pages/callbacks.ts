import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { callbackWords } from '../control/row-search.ts'
import type { MockCallback, MockCallbackAttempt } from '../generated/contract.ts'
import type { CallbackEvent } from '../sandbox/callbacks/event.ts'
import { rowWhere } from '../sandbox/rows.ts'
import { callbackReason } from './callback-reason.ts'
import { challengeOf } from './candidate-page.ts'
import { listSection, ROWS, rowsOf, searchForm, statusCounts, type ViewRequest } from './lists.ts'
import {
  action,
  badge,
  count,
  empty,
  foreign,
  headerList,
  type Markup,
  payload,
  person,
  skill,
  time,
} from './markup.ts'

export function callbacksSection(mock: MockServer, requested: ViewRequest): Markup {
  const { paused } = mock.callbacks
  const { callbacks } = requested.rows
  const { q = '', status = '' } = requested.query
  const hasStatus = status !== '' && { fits: (event: CallbackEvent): boolean => event.status === status }
  const found = rowsOf(callbacks, { words: callbackWords, ...hasStatus }, requested, 'q')
  return listSection(requested, {
    id: 'callbacks',
    title: 'Callbacks',
    parts: ['callbacks', 'clock'],
    found,
    summary: count(found.total, 'callback') + (paused ? ', paused' : ''),
    actions: pauseButton(paused),
    all: 'All callbacks',
    search:
      requested.size < ROWS
        ? html``
        : html`<div class="tools">${searchForm(requested, 'q', 'Type, address or identifier')}
${statusCounts(
  requested,
  callbacks.kept().map((event) => event.status),
)}</div>`,
    none: q === '' && status === '' ? noneYet(requested) : 'No callback matches.',
    rows: (rows) => html`<ul class="entries">${rows.map((callback) => entry(callback, mock, requested))}</ul>`,
  })
}

/** The status, and that of the last answer where somebody was contacted. */
export function callbackBadges({ status, attempts }: MockCallback): Markup {
  const last = attempts.at(-1)
  if (status === 'blocked') return badge('blocked', 'not sent')
  if (last === undefined) return badge(status)
  const answer =
    last.status === null
      ? badge('no-answer', 'no answer')
      : badge(last.status < 300 ? 'passed' : 'failed', `HTTP ${last.status}`)
  return html`${badge(status)} ${answer}`
}

function pauseButton(paused: boolean): Markup {
  const id = 'callbacks-turn'
  return paused
    ? action('POST /callbacks/resume', 'Resume', { id, look: 'primary', about: 'deliver callbacks', done: 'Resumed' })
    : action('POST /callbacks/pause', 'Pause', { id, about: 'deliver no more callbacks', done: 'Callbacks are paused' })
}

function noneYet({ prefix }: ViewRequest): Markup {
  return html`No callback so far. An invite with a callback URL causes them: when its candidate has a result, or claims a
follow-up. <a href="${prefix}/connect#targets">Send callbacks to your application</a>, or keep them here with the callback
URL <code>https://sandbox.callback/hook</code>.`
}

function entry(callback: MockCallback, mock: MockServer, requested: ViewRequest): Markup {
  const { id, type, url, occurredAt, attempts, body, status } = callback
  const tries = attempts.map((attempt, index) => attemptDetails(attempt, `${id}-${index + 1}`))
  const redeliver = action(`POST /callbacks/${id}/redeliver`, 'Redeliver', {
    id: `redeliver-${id}`,
    about: `${type} ${id}`,
    done: '{type} is sent again',
    look: 'quiet',
  })
  const sent = status === 'blocked' ? '' : html` · ${count(attempts.length, 'attempt')}`
  return html`<li id="entry-${id}">
<div class="line"><b>${type}</b> ${callbackBadges(callback)} <span class="small">${time(occurredAt)}${sent}</span>
<span class="do">${redeliver}</span></div>
<p class="small">${candidateOf(callback, mock, requested.prefix)} · to ${foreign(url, 'beginning')}</p>
${reasonOf(callback, mock, requested)}
<details id="details-${id}"><summary>Body and attempts</summary>
${payload(`body-${id}`, 'Body', body)}
<p class="small">To ${foreign(url)}, as event <code>${id}</code></p>
${tries.length === 0 ? empty('No attempt so far.') : html`<ol class="tries">${tries}</ol>`}</details>
</li>`
}

/** Why it was not delivered yet; where its host is not allowed, with a button that allows it. */
function reasonOf(callback: MockCallback, { callbacks: { paused } }: MockServer, requested: ViewRequest): Markup | '' {
  const { id, url, status, waitsBehind } = callback
  const { rows, sender, prefix } = requested
  const host = status === 'blocked' ? sender.blockedHost(url) : null
  if (host !== null) {
    const allow = action('PATCH /callbacks/targets', `Allow ${host}`, {
      id: `allow-${id}`,
      body: { allow: [...sender.targets.allow, host] },
      done: `${host} is allowed; what it missed is sent now`,
    })
    return html`<div class="why blocked"><p>Not sent: host ${host} is not allowed.</p>
${allow} <a href="${prefix}/connect#targets">Send callbacks elsewhere</a></div>`
  }
  const first = waitsBehind === null ? undefined : rowWhere(rows.callbacks, (event) => event.id === waitsBehind)
  const reason = callbackReason(callback, { first, paused })
  return reason === null ? '' : html`<div class="why ${status}"><p>${reason}</p></div>`
}

/** The candidate, with a link to the invite. An imported state may have lost the invite. */
function candidateOf({ inviteId }: MockCallback, mock: MockServer, prefix: string): Markup {
  const challenge = challengeOf(mock, inviteId)
  if (!challenge) return html`invite <code>${inviteId}</code>`
  const { invite } = challenge
  return html`${person(invite.candidate, 'beginning')} · <a href="${prefix}/invites/${inviteId}">${skill(invite)}</a>`
}

function attemptDetails({ at, status, error, requestHeaders, answer }: MockCallbackAttempt, id: string): Markup {
  const result = status === null ? html`<span class="bad">${error}</span>` : html`HTTP ${status}`
  if (Object.keys(requestHeaders).length === 0) return html`<li>${time(at)} · ${result}</li>`
  const body =
    answer === ''
      ? html`<p class="small">The answer had no body.</p>`
      : answer && payload(`answer-${id}`, 'Answer', answer)
  return html`<li><details id="attempt-${id}"><summary>${time(at)} · ${result}</summary>
<h3>Headers that were sent</h3>${headerList(requestHeaders)}
${body}</details></li>`
}
