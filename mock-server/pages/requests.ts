import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { ENDPOINT_PATH } from '../contract/paths.ts'
import type { MockExchange } from '../contract/request-log.ts'
import { requestWords } from '../control/row-search.ts'
import { action, badge, block, copyButton, type Markup, time } from './markup.ts'
import { count, listSection, rowsOf, searchForm, type ViewRequest } from './row-list.ts'

/** The last requests: each with its body, its answer, and a command that sends it again. */
export function requestsSection(mock: MockServer, requested: ViewRequest, base: string): Markup {
  const { requestLog } = mock
  const found = rowsOf(requestLog.list(), requestWords, requested, 'q')
  const gone = requestLog.dropped === 0 ? '' : `, ${count(requestLog.dropped, 'older one is', 'older ones are')} gone`
  return listSection(requested, {
    id: 'requests',
    title: 'Requests',
    parts: ['requestLog'],
    found,
    summary: count(found.total, 'request') + gone,
    actions: action('DELETE /requests', 'Clear', {
      id: 'requests-clear',
      about: 'forget all requests',
      asks: 'Forget all requests? This cannot be undone.',
    }),
    all: 'All requests',
    search: searchForm(requested, 'q', 'Operation, body or status'),
    none: requested.query['q'] ? 'No request matches.' : 'No request so far.',
    rows: (rows) => html`<ul class="entries">${rows.map((row) => entry(row, mock, base))}</ul>`,
  })
}

function entry(exchange: MockExchange, mock: MockServer, base: string): Markup {
  const { number, at, method, target, operations, key, status, body, answer, faulty } = exchange
  const path = target.replace(/[?#].*$/s, '')
  const what = operations.length > 0 ? operations.join(', ') : path === ENDPOINT_PATH ? 'GraphQL' : path
  const errorCode = errorCodeIn(answer)
  const badges = [
    status === null ? badge('no answer') : badge(status < 400 ? 'passed' : 'failed', String(status)),
    errorCode === null ? '' : badge('failed', errorCode),
    faulty ? badge('fault') : '',
  ]
  return html`<li>
<div class="line"><span class="number">${number}</span> <b>${method}</b> <span class="url">${what}</span> ${badges}
<span class="do">${copyButton(curlOf(exchange, mock, base), 'Copy as curl', `request ${number}`)}</span></div>
<p class="small">${time(at)} · ${key === null ? 'no known key' : html`key <b>${key}</b>`}</p>
<details id="request-${number}"><summary>Request and answer</summary>${block('Request', clipped(body ?? '(too large to be kept)'))}${block('Answer', clipped(answer ?? '(none was sent)'))}</details>
</li>`
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

/** The command that sends a request again, with the same key. */
function curlOf({ method, target, key, body }: MockExchange, { apiKeys }: MockServer, base: string): string {
  const value = apiKeys.find(({ name }) => name === key)?.key
  return [
    `curl -sS ${quoted(base + target)}`,
    ...(method === 'POST' || method === 'GET' ? [] : [`-X ${method}`]),
    ...(value === undefined ? [] : [`-H ${quoted(`x-api-key: ${value}`)}`]),
    ...(method === 'POST' ? [`-H 'content-type: application/json'`, `--data-raw ${quoted(body ?? '')}`] : []),
  ].join(' \\\n  ')
}

/** A text as one word of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function clipped(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`
}

const MAX_SHOWN = 4000
