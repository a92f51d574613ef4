import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { ENDPOINT_PATH } from '../contract/paths.ts'
import type { MockExchange } from '../generated/contract.ts'
import type { LogEntry, SentWith } from '../sandbox/request-log.ts'
import { REQUEST_LABELS } from '../sandbox/request-log.ts'
import { curlCommand } from './curl-command.ts'
import {
  action,
  badge,
  copyButton,
  count,
  entry,
  headerList,
  isolated,
  type Markup,
  payload,
  section,
  time,
} from './kit/markup.ts'
import { responseFate, storyOf } from './request-story.ts'
import { operationName, rowsSection, type ViewRequest } from './view.ts'

/** The last requests: each with its headers, its body, its response, and ways to send it again. */
export function requestsSection(mock: MockServer, requested: ViewRequest): Markup {
  const { dropped } = mock.requestLog
  const { requests } = requested.rows
  const clear = action('DELETE /requests', 'Clear', {
    id: 'requests-clear',
    look: 'quiet',
    about: 'forget all requests',
    asks: 'Forget all requests? This cannot be undone.',
    done: `Forgot ${count(requests.all().length, 'request')}`,
  })
  const logged = { ...requests, row: (each: LogEntry) => each }
  return rowsSection(logged, requested, {
    id: 'requests',
    title: 'Requests',
    parts: ['requestLog'],
    noun: 'request',
    more: dropped === 0 ? '' : `, ${count(dropped, 'older one is', 'older ones are')} gone`,
    actions: html`<button type="button" id="show-new" hidden></button>${clear}`,
    steady: true,
    labels: REQUEST_LABELS,
    search: ['q', 'operation, body, key or status'],
    noneYet: noneYet(requested),
    none: 'No request matches.',
    show: (rows) => html`<ul class="entries">${rows.map((row) => requestEntry(row, mock, requested))}</ul>`,
  })
}

function noneYet({ base, prefix }: ViewRequest): Markup {
  return html`Waiting for the first request to <code>${base}${ENDPOINT_PATH}</code>. <a href="${prefix}/connect">Connect</a>
has its keys, and code to copy.`
}

/** One request, at an address of its own; `null` if the log does not have it. */
export function requestSection(mock: MockServer, requested: ViewRequest, number: number): Markup | null {
  const logged = requested.rows.requests.all().find((each) => each.number === number)
  if (!logged) return null
  const body = html`<ul class="entries">${requestEntry(logged, mock, requested, true)}</ul>
<p><a href="${requested.prefix}/requests">All requests</a></p>`
  return section({ id: 'request', title: `Request ${number}`, body })
}

function requestEntry(logged: LogEntry, mock: MockServer, requested: ViewRequest, isOpen = false): Markup {
  const exchange = logged.row()
  const { number, at, method, key, email, body, response, headers } = exchange
  const sent = logged.sentWith()
  const sender = key === null ? (sent.adminSession ? 'admin session' : 'no known key') : html`key <b>${key}</b>`
  return entry({
    id: number,
    isOpen,
    summary: html`<span class="number">${number}</span> <b>${nameOf(exchange)}</b> ${badgesOf(exchange, sent)}
<span class="about">${isolated(email ?? '', 'beginning')} ${sender} · ${time(at)}</span>`,
    story: storyOf(logged, mock, requested),
    more: html`${repetition(exchange, sent, mock, requested)}
<div class="columns">
<div>${payload(`request-${number}-body`, `Request: ${method}`, body ?? '(too large to be kept)')}
${headerList(headers)}</div>
<div>${payload(`request-${number}-response`, 'Response', response ?? '(none arrived)')}</div>
</div>`,
  })
}

/** What a request is, and its result. */
export function requestLine(logged: LogEntry): Markup {
  const exchange = logged.row()
  return html`<b>${nameOf(exchange)}</b> ${isolated(exchange.email ?? '', 'beginning')}
${badgesOf(exchange, logged.sentWith())}`
}

function nameOf({ operations, target }: MockExchange): string {
  const path = target.replace(/[?#].*$/s, '')
  if (operations.length > 0) return operations.map(operationName).join(', ')
  return path === ENDPOINT_PATH ? 'GraphQL' : path
}

/** The result. A status of 200 is not red, whatever else the response says. */
function badgesOf({ status, code, createdInviteIds }: MockExchange, { fault }: SentWith): Markup {
  const fate = responseFate(fault)
  const made = createdInviteIds.length
  const look = (status ?? 500) >= 400 ? 'failed' : code === null ? 'passed' : 'plain'
  return html`${fate === 'lost' ? badge('failed', 'response lost') : badge(look, String(status))}
${fate === 'lost' || code === null ? '' : badge('failed', code)} ${fate === 'late' || fate === 'replaced' ? badge('fault') : ''}
${made === 0 ? '' : badge('passed', made === 1 ? 'invite created' : `${made} invites created`)}`
}

/** A link to it, and what sends its document again: that not if the log does not have all of it and its credentials. */
function repetition(exchange: MockExchange, sent: SentWith, mock: MockServer, requested: ViewRequest): Markup {
  const { number, method, target, body, key, reference } = exchange
  const permalink = html`<a class="button quiet" href="${requested.prefix}/requests/${number}">Link to this request</a>`
  const isDocument = method === 'POST' && target === ENDPOINT_PATH && exchange.headers['content-type'] === JSON_TYPE
  if (!isDocument || !sent.isWhole || sent.unknownCredentials || !body || body.includes('[key ')) {
    return html`<div class="buttons">${permalink}</div>`
  }
  const apiKey = mock.apiKeys.find(({ name }) => name === key)?.key
  const headers = {
    'content-type': JSON_TYPE,
    ...(reference !== null && { 'x-client-reference': reference }),
    ...(apiKey !== undefined && { 'x-api-key': apiKey }),
    ...(sent.adminSession && mock.adminSession.headers),
  }
  const command = curlCommand(requested.base + target, headers, body)
  return html`<div class="buttons">${copyButton(command, 'Copy as curl', `request ${number}`)} ${permalink}</div>`
}

const JSON_TYPE = 'application/json'
