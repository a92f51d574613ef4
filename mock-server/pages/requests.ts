import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { CONSOLE_PATH, ENDPOINT_PATH } from '../contract/paths.ts'
import { requestWords } from '../control/row-search.ts'
import type { MockExchange } from '../generated/contract.ts'
import type { SentWith } from '../sandbox/request-log.ts'
import { listSection, rowsOf, searchForm, type ViewRequest } from './lists.ts'
import { action, badge, count, headerList, type Markup, payload, snippetButtons, time } from './markup.ts'

/** The last requests: each with its headers, its body, its answer, and what sends it again. */
export function requestsSection(mock: MockServer, requested: ViewRequest): Markup {
  const { requestLog } = mock
  const { requests } = requested.rows
  const found = rowsOf(requests, { words: requestWords }, requested, 'q')
  const gone = requestLog.dropped === 0 ? '' : `, ${count(requestLog.dropped, 'older one is', 'older ones are')} gone`
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
    search: searchForm(requested, 'q', 'Operation, body or status'),
    none: requested.query['q'] ? 'No request matches.' : 'No request so far.',
    rows: (rows) => html`<ul class="entries">${rows.map((row) => entry(row, { mock, requested }))}</ul>`,
  })
}

interface Around {
  readonly mock: MockServer
  readonly requested: ViewRequest
}

function entry(exchange: MockExchange, around: Around): Markup {
  const { number, at, method, target, operations, key, status, body, answer, faulty } = exchange
  const { requested } = around
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
  const isDocument = path === ENDPOINT_PATH && method === 'POST'
  const opens = html`<a class="button quiet" href="${requested.prefix}${CONSOLE_PATH}?request=${number}"
  aria-label="Open in Console: request ${number}">Open in Console</a>`
  return html`<li class="entry"><details id="request-${number}">
<summary><span class="number">${number}</span> <b>${what}</b> ${badges}
<span class="small">${method} · ${sender} · ${time(at)}${took}</span></summary>
<div class="buttons">${isDocument ? opens : ''}${repetition(exchange, sent, around)}</div>
<div class="columns">
<div>${headerList(headersOf(exchange, sent))}${payload(`request-${number}-body`, 'Request', body ?? '(too large to be kept)')}</div>
<div>${payload(`request-${number}-answer`, 'Answer', answer ?? '(none was sent)')}</div>
</div></details></li>`
}

/** What the page makes commands and code of, or why none can send this request again. */
function repetition(exchange: MockExchange, sent: SentWith | null, { mock, requested }: Around): Markup {
  const obstacle = obstacleToRepeat(exchange, sent)
  if (obstacle !== null) return html`<span class="small">cannot be copied as curl: ${obstacle}</span>`
  const { number, method, target, body, operations } = exchange
  const headers = repeatedHeaders(exchange, mock, sent)
  const request = { url: requested.base + target, method, headers, body: body ?? '' }
  const buttons = snippetButtons(`request ${number}`, operations.length === 1 ? ['curl', 'sdk', 'cli'] : ['curl'])
  return html`<span class="snippets" data-request="${JSON.stringify(request)}">${buttons}</span>`
}

/** Why no command can send this request again; `null` where one can. */
function obstacleToRepeat({ target, body }: MockExchange, sent: SentWith | null): string | null {
  if (body === null) return 'the log does not have its body'
  if (!sent?.isWhole) return 'the log has only its beginning'
  if (sent.unknownCredentials) return 'the log does not have its key or session, which is not one of this world'
  if ((target + body).includes('[key ')) return 'the log does not have the key in its address or body'
  return body.includes('\0') ? 'no command can have the character NUL' : null
}

/** The code of the first GraphQL error in an answer, whose status may be 200; `null` where there is none. */
function errorCodeIn(answer: string | null): string | null {
  try {
    const { errors }: { errors?: { code?: string; extensions?: { code?: string } }[] } = Object(
      JSON.parse(answer ?? ''),
    )
    const [first] = errors ?? []
    return first === undefined ? null : (first.extensions?.code ?? first.code ?? 'error')
  } catch {
    return null
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

/** The headers of a command that sends a request again, with the same credentials. */
function repeatedHeaders({ method, key, body }: MockExchange, mock: MockServer, sent: SentWith | null) {
  const value = mock.apiKeys.find(({ name }) => name === key)?.key
  const { accept, ...others } = sent?.headers ?? {}
  // Without a value, curl sends its own content type with a body.
  const isWithBody = method === 'POST' || body !== ''
  const named = Object.entries(others).filter(
    ([name, each]) => each !== null || (name === 'content-type' && isWithBody),
  )
  return {
    ...(value !== undefined && { 'x-api-key': value }),
    ...(sent?.adminSession && mock.adminSession.headers),
    // As curl sends it by default.
    ...(accept !== '*/*' && { accept: accept ?? null }),
    ...Object.fromEntries(named),
  }
}
