import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { CONSOLE_PATH, ENDPOINT_PATH } from '../contract/paths.ts'
import { requestWords } from '../control/row-search.ts'
import type { MockExchange } from '../generated/contract.ts'
import type { SentWith } from '../sandbox/request-log.ts'
import { listSection, rowsOf, type ViewRequest } from './lists.ts'
import { action, badge, count, foreign, headerList, type Markup, payload, snippetButtons, time } from './markup.ts'

/** The last requests: each with its headers, its body, its answer, and ways to send it again. */
export function requestsSection(mock: MockServer, requested: ViewRequest): Markup {
  const { dropped } = mock.requestLog
  const { requests } = requested.rows
  const found = rowsOf(requests, { words: requestWords }, requested, 'q')
  const gone = dropped === 0 ? '' : `, ${count(dropped, 'older one is', 'older ones are')} gone`
  const clear = action('DELETE /requests', 'Clear', {
    id: 'requests-clear',
    look: 'quiet',
    about: 'forget all requests',
    asks: 'Forget all requests? This cannot be undone.',
    done: `Forgot ${count(requests.size, 'request')}`,
  })
  return listSection(requested, {
    id: 'requests',
    title: 'Requests',
    parts: ['requestLog'],
    found,
    summary: count(found.total, 'request') + gone,
    actions: clear,
    all: 'All requests',
    search: ['q', 'operation, body or status'],
    none: requested.query['q'] ? 'No request matches.' : 'No requests yet.',
    rows: (rows) => html`<ul class="entries">${rows.map((row) => entry(row, mock, requested))}</ul>`,
  })
}

function entry(exchange: MockExchange, mock: MockServer, requested: ViewRequest): Markup {
  const { number, at, method, target, operations, key, status, body, answer, faulty } = exchange
  const sent = requested.requestLog.sentWith(number)
  const path = target.replace(/[?#].*$/s, '')
  const what = operations.length > 0 ? operations.join(', ') : path === ENDPOINT_PATH ? 'GraphQL' : path
  const errorCode = errorCodeIn(answer)
  const badges = [
    status === null ? badge('no answer') : badge(status < 400 ? 'passed' : 'failed', String(status)),
    errorCode === null ? '' : html` ${badge('failed', errorCode)}`,
    faulty ? html` ${badge('fault')}` : '',
  ]
  const sender = key === null ? (sent?.adminSession ? 'admin session' : 'no known key') : html`key <b>${key}</b>`
  const took = sent === null ? '' : html` · ${sent.tookMs.toFixed(1)} ms`
  return html`<li><details id="request-${number}">
<summary><span class="number">${number}</span> <b>${what}</b> ${badges}
<span class="about">${foreign(candidateIn(body), 'beginning')} ${sender} · ${time(at)}${took}</span></summary>
${repetition(exchange, sent, mock, requested)}
<div class="columns">
<div>${payload(`request-${number}-body`, `Request: ${method}`, body ?? '(too large to be kept)')}
${headerList(headersOf(exchange, sent))}</div>
<div>${payload(`request-${number}-answer`, 'Answer', answer ?? '(none was sent)')}</div>
</div></details></li>`
}

/** What sends a document again: nothing if the log does not have all of it and its credentials. */
function repetition(
  exchange: MockExchange,
  sent: SentWith | null,
  mock: MockServer,
  requested: ViewRequest,
): Markup | '' {
  const { number, method, target, body, operations, key } = exchange
  const isDocument = method === 'POST' && target === ENDPOINT_PATH && operations.length > 0
  if (!isDocument || !sent?.isWhole || sent.unknownCredentials || !body || body.includes('[key ')) return ''
  const headers = {
    'content-type': 'application/json',
    ...(key !== null && { 'x-api-key': mock.apiKeys.find(({ name }) => name === key)?.key }),
    ...(sent.adminSession && mock.adminSession.headers),
  }
  const request = { url: requested.base + target, headers, body }
  const { query, variables = {} }: { query?: unknown; variables?: unknown } = parsed(body)
  const credentials = key === null ? (sent.adminSession ? 'admin session' : 'none') : `key ${key}`
  const texts = { query, variables: JSON.stringify(variables, null, 2), credentials }
  return html`<div class="buttons" data-request="${JSON.stringify(request)}">
<a class="button quiet" href="${requested.prefix}${CONSOLE_PATH}" data-texts="${JSON.stringify(texts)}"
  aria-label="Open in Console: request ${number}">Open in Console</a>
${snippetButtons(`request ${number}`, operations.length === 1 ? ['curl', 'sdk', 'cli'] : ['curl'])}</div>`
}

/** The address of the candidate in a request that creates; otherwise empty. */
function candidateIn(body: string | null): string {
  const { variables }: { variables?: { input?: { candidate?: { email?: unknown } } } } = parsed(body)
  const email = variables?.input?.candidate?.email
  return typeof email === 'string' ? email : ''
}

/** The code of the first GraphQL error in an answer, whose status may be 200; `null` if there is none. */
function errorCodeIn(answer: string | null): string | null {
  const { errors }: { errors?: { code?: string; extensions?: { code?: string } }[] } = parsed(answer)
  const [first] = errors ?? []
  return first === undefined ? null : (first.extensions?.code ?? first.code ?? 'error')
}

function parsed(text: string | null): object {
  try {
    return Object(JSON.parse(text ?? '')) as object
  } catch {
    return {}
  }
}

/** The headers as they are shown: without a secret. */
function headersOf({ key }: MockExchange, sent: SentWith | null): Record<string, string> {
  const known = Object.entries(sent?.headers ?? {}).filter((each): each is [string, string] => each[1] !== null)
  return {
    ...(key !== null && { 'x-api-key': `[key ${key}]` }),
    ...(sent?.adminSession && { authorization: '[admin session]' }),
    ...Object.fromEntries(known),
  }
}
