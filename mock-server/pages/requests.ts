import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { ENDPOINT_PATH } from '../contract/paths.ts'
import type { MockExchange } from '../contract/request-log.ts'
import { newestFirst, requestWords, wholeNumber } from '../control/row-search.ts'
import { badge } from './invites.ts'
import { action, copyButton, empty, type Markup, section, time } from './markup.ts'
import { count, pager, ROWS, searchForm, type ViewRequest } from './row-list.ts'

/** The last requests, each with what was requested, what was answered, and a command that asks again. */
export function requestsSection(mock: MockServer, requested: ViewRequest, base: string): Markup {
  const { requestLog } = mock
  const { q = '', page } = requested.query
  const found = newestFirst(requestLog.list(), {
    search: q,
    words: requestWords,
    page: wholeNumber(page, 1),
    size: ROWS,
  })
  const gone = requestLog.dropped === 0 ? '' : `, ${count(requestLog.dropped, 'older one is', 'older ones are')} gone`
  return section({
    id: 'requests',
    title: 'Requests',
    parts: ['requestLog'],
    summary: count(found.total, 'request') + gone,
    actions: action('DELETE /requests', 'Clear', { id: 'requests-clear', about: 'forget all requests' }),
    body: html`${searchForm(requested, 'q', 'Operation, body or status')}
${found.rows.length === 0 ? empty(q === '' ? 'No request so far.' : 'No request is like that.') : html`<ul class="entries">${found.rows.map((row) => entry(row, mock, base))}</ul>`}${pager(requested, found)}`,
  })
}

function entry(exchange: MockExchange, mock: MockServer, base: string): Markup {
  const { number, at, method, target, operations, key, status, body, answer, faulty } = exchange
  const path = target.replace(/[?#].*$/s, '')
  const what = operations.length > 0 ? operations.join(', ') : path === ENDPOINT_PATH ? 'GraphQL' : path
  const refusal = refusalIn(answer)
  return html`<li>
<div class="line"><span class="number">${number}</span> <b>${method}</b> <span class="url">${what}</span> ${status === null ? badge('no answer') : html`<span class="badge ${status < 400 ? 'passed' : 'failed'}">${status}</span>`} ${refusal === null ? '' : html`<span class="badge failed">${refusal}</span>`} ${faulty ? badge('fault') : ''}
<span class="do">${copyButton(curlOf(exchange, mock, base), 'Copy as curl', `request ${number}`)}</span></div>
<p class="small">${time(at)} · ${key === null ? 'no known key' : html`key <b>${key}</b>`}</p>
<details id="request-${number}"><summary>Request and answer</summary><pre tabindex="0" aria-label="Request">${clipped(body ?? '(too large to be kept)')}</pre><pre tabindex="0" aria-label="Answer">${clipped(answer ?? '(none was sent)')}</pre></details>
</li>`
}

/** The code of the first error in an answer of GraphQL, whose status may say that all is well; `null` where there is none. */
function refusalIn(answer: string | null): string | null {
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

/** The command that sends a request again, with the key that it was sent with. */
export function curlOf({ method, target, key, body }: MockExchange, { apiKeys }: MockServer, base: string): string {
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

/** How many characters of a body are shown. */
const MAX_SHOWN = 4000
