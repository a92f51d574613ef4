import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { CALLBACK_STATUSES } from '../contract/rows.ts'
import { endedCallbacks } from '../control/traffic-operations.ts'
import type { MockCallback, MockCallbackAttempt, MockInvite } from '../generated/contract.ts'
import { rowWhere } from '../sandbox/rows.ts'
import { challengeOf } from './candidate-page.ts'
import { creatorOf } from './request-story.ts'
import {
  action,
  badge,
  count,
  entry,
  headerList,
  isolated,
  type Markup,
  payload,
  person,
  skill,
  time,
} from './kit/markup.ts'
import { rowsSection, type ViewRequest } from './view.ts'

/** Every event, with its deliveries. */
export function callbacksSection(mock: MockServer, requested: ViewRequest): Markup {
  const { paused } = mock.callbacks
  const { q: search = '', status = '' } = requested.query
  const ended = endedCallbacks(requested.rows, { search, status }).length
  return rowsSection(requested.rows.callbacks, requested, {
    id: 'callbacks',
    title: 'Callbacks',
    parts: ['callbacks', 'clock'],
    noun: 'callback',
    more: paused ? ', paused' : '',
    actions: html`${ended > 0 && redeliverAll(ended, { search, status })} ${pauseButton(paused)}`,
    labels: CALLBACK_STATUSES,
    search: ['q', 'type, address or identifier'],
    noneYet: noneYet(requested),
    none: 'No callback matches.',
    show: (rows) => html`${blockedHosts(requested)}
<ul class="entries">${rows.map((callback) => callbackEntry(callback, mock, requested))}</ul>`,
  })
}

/** Sends everything again that the list shows, and that nothing else would send. */
function redeliverAll(number: number, body: { readonly search: string; readonly status: string }): Markup {
  return action('POST /callbacks/redeliver', `Redeliver ${number}`, {
    id: 'redeliver-all',
    body,
    about: 'callbacks that were given up or not sent',
    done: `${count(number, 'callback')} delivered again`,
  })
}

/** One banner for each host to which callbacks were not sent, with a button that allows it. */
export function blockedHosts({ rows, sender, prefix }: ViewRequest): Markup[] {
  const hosts = new Map<string, number>()
  for (const { status, url } of rows.callbacks.all()) {
    const host = status === 'blocked' ? sender.blockedHost(url) : null
    if (host !== null) hosts.set(host, (hosts.get(host) ?? 0) + 1)
  }
  return Array.from(hosts, ([host, number]) => {
    const allow = action('PATCH /callbacks/targets', `Allow ${host}`, {
      id: `allow-${host}`,
      body: { allow: [...sender.targets.allow, host] },
      done: `${host} is allowed; what it missed is sent now`,
    })
    return html`<div class="why blocked"><p>${count(number, 'callback')} to ${host} ${number === 1 ? 'was' : 'were'} not sent:
the host is not allowed.</p>${allow} <a href="${prefix}/connect#targets">Send callbacks elsewhere</a></div>`
  })
}

/** The status of the event, and of the last response if the receiver was contacted. */
export function callbackBadges({ status, attempts }: MockCallback): Markup {
  const last = attempts.at(-1)
  if (status === 'blocked' || last === undefined) return badge(status)
  const response =
    last.status === null
      ? badge('no-response', 'no response')
      : badge(last.status < 300 ? 'passed' : 'failed', `HTTP ${last.status}`)
  return html`${badge(status)} ${response}`
}

function pauseButton(paused: boolean): Markup {
  const id = 'callbacks-turn'
  return paused
    ? action('POST /callbacks/resume', 'Resume', { id, look: 'primary', about: 'deliver callbacks', done: 'Resumed' })
    : action('POST /callbacks/pause', 'Pause', { id, about: 'deliver no more callbacks', done: 'Callbacks are paused' })
}

function noneYet({ prefix }: ViewRequest): Markup {
  return html`No callbacks yet. Invites with a callback URL cause them, when the candidate has a result or claims a
follow-up. <a href="${prefix}/connect#targets">Send callbacks to your application</a>, or keep them here with the callback
URL <code>https://sandbox.callback/hook</code>.`
}

/** An event with its deliveries, and why it is not delivered. */
export function callbackEntry(callback: MockCallback, mock: MockServer, requested: ViewRequest): Markup {
  const { id, type, url, occurredAt, attempts, body, status, inviteId } = callback
  const invite = challengeOf(mock, inviteId)?.invite
  const redeliver = action(`POST /callbacks/${id}/redeliver`, 'Redeliver', {
    id: `redeliver-${id}`,
    about: `${type} ${id}`,
    done: '{type} is delivered again',
    look: 'quiet',
  })
  const by = creatorOf(requested, inviteId)
  const tries = attempts.map((attempt, index) => attemptDetails(attempt, `${id}-${index + 1}`))
  const sent = status === 'blocked' ? '' : html` · ${count(attempts.length, 'attempt')}`
  return entry({
    id,
    actions: redeliver,
    summary: html`<b>${type.replace('certification.', '')}</b> ${invite && happening(mock, type, invite)} ${callbackBadges(callback)}
<span class="about">${isolated(invite?.candidate.email ?? '', 'beginning')} ${time(occurredAt)}${sent}</span>`,
    story: reasonOf(callback, mock, requested),
    more: html`<dl class="facts">
${invite && html`<dt>Candidate</dt><dd>${person(invite.candidate)}</dd>`}
<dt>Invite</dt><dd>${invite ? html`<a href="${requested.prefix}/invites/${inviteId}">${skill(invite)}</a>` : inviteId}</dd>
${by && html`<dt>Created by</dt><dd>${by}</dd>`}
<dt>To</dt><dd>${isolated(url)}</dd>
<dt>Event</dt><dd><code>${type}</code> <code>${id}</code></dd>
</dl>
${payload(`body-${id}`, 'Body', body)}
<h3>${tries.length === 0 ? 'No attempts yet' : 'Attempts'}</h3><ol class="tries">${tries}</ol>`,
  })
}

/** What an event tells: the skill, with the result or what was claimed. */
function happening(mock: MockServer, type: string, invite: MockInvite): Markup {
  const { status, followedBy } = invite
  const claimed = followedBy === null ? null : mock.open(followedBy).invite.followUpOf
  const told = type.endsWith('.completed') ? badge(status) : claimed && badge('plain', claimed.kind)
  return html`${skill(invite)} ${told}`
}

function attemptDetails({ at, status, error, requestHeaders, response }: MockCallbackAttempt, id: string): Markup {
  const result = status === null ? html`<span class="bad">${error}</span>` : html`HTTP ${status}`
  if (Object.keys(requestHeaders).length === 0) return html`<li>${time(at)} · ${result}</li>`
  return html`<li><details id="attempt-${id}"><summary>${time(at)} · ${result}</summary>
<h3>Headers that were sent</h3>${headerList(requestHeaders)}
${response === '' ? html`<p class="small">The response had no body.</p>` : response && payload(`response-${id}`, 'Response', response)}
</details></li>`
}

/** Why it has not been delivered yet. What its host alone explains stands above the list. */
function reasonOf(callback: MockCallback, mock: MockServer, { rows, sender }: ViewRequest): Markup | '' {
  const { url, status, waitsBehind } = callback
  if (status === 'blocked' && sender.blockedHost(url) !== null) return ''
  const first = waitsBehind === null ? undefined : rowWhere(rows.callbacks, (event) => event.id === waitsBehind)
  const reason = reasonWords(callback, first, mock.callbacks.paused)
  return reason === null ? '' : html`<p class="why ${status}">${reason}</p>`
}

function reasonWords(callback: MockCallback, first: MockCallback | undefined, paused: boolean): Markup | string | null {
  const { status, attempts } = callback
  if (status === 'delivered') return null
  if (status === 'waiting') return waitingReason(callback, first, paused)
  if (status === 'blocked') return `Not sent: ${attempts.at(-1)?.error ?? 'its host was not allowed'}`
  return `Given up after ${count(attempts.length, 'attempt')}. ${lastResponse(callback)} Later events of this candidate wait until it is redelivered.`
}

function waitingReason(callback: MockCallback, first: MockCallback | undefined, paused: boolean): Markup | string {
  const { waitsBehind, nextAttemptAt, attempts } = callback
  if (waitsBehind !== null) {
    const name = `${first?.type ?? 'another event'} (${waitsBehind})`
    if (first?.status === 'given-up') return `It waits behind ${name}, which was given up: redeliver that one.`
    return `It waits behind ${name}.${paused ? ' Callbacks are paused.' : ''}`
  }
  if (paused) return 'Callbacks are paused: it is sent when you resume them.'
  return html`${attempts.length === 0 ? '' : `${lastResponse(callback)} `}The next attempt is at ${time(nextAttemptAt ?? '')}.`
}

function lastResponse({ attempts }: MockCallback): string {
  const { status = null, error = null } = attempts.at(-1) ?? {}
  return status === null ? `There was no response: ${error}.` : `The last response was HTTP ${status}.`
}
