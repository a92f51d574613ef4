import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { CONSOLE_PATH, ENDPOINT_PATH } from '../contract/paths.ts'
import { requestWords } from '../control/row-search.ts'
import type { MockExchange } from '../generated/contract.ts'
import type { SentWith } from '../sandbox/request-log.ts'
import { curlCommand } from './curl-command.ts'
import { action, badge, block, copyButton, type Markup, time } from './markup.ts'
import { count, listSection, rowsOf, searchForm, type ViewRequest } from './row-list.ts'

/** The last requests: each with its body, its answer, and a command that sends it again. */
export function requestsSection(mock: MockServer, requested: ViewRequest, base: string): Markup {
  const { requestLog } = mock
  const { requests, ignored } = requested.rows
  const isIgnored = requested.query['ignored'] === 'true'
  const found = rowsOf(isIgnored ? ignored : requests, { words: requestWords }, requested, 'q')
  const gone = requestLog.dropped === 0 ? '' : `, ${count(requestLog.dropped, 'older one is', 'older ones are')} gone`
  return listSection(requested, {
    id: 'requests',
    title: 'Requests',
    parts: ['requestLog'],
    found,
    summary: count(found.total, isIgnored ? 'ignored request' : 'request') + (isIgnored ? '' : gone),
    actions: html`${ignored.size === 0 ? '' : ignoredLink(isIgnored, requested)} ${action('DELETE /requests', 'Clear', { id: 'requests-clear', about: 'forget all requests', asks: 'Forget all requests? This cannot be undone.' })}`,
    all: 'All requests',
    search: searchForm(requested, 'q', 'Operation, body or status'),
    none: requested.query['q'] ? 'No request matches.' : 'No request so far.',
    rows: (rows) =>
      html`<ul class="entries">${rows.map((row) => entry(row, { mock, base, isIgnored, sent: requested.requestLog.sentWith(row.number, isIgnored), prefix: requested.prefix }))}</ul>`,
  })
}

/** Requests without credentials, or from another page, are shown apart: they neither use up a fault nor fill the log. */
function ignoredLink(isIgnored: boolean, { prefix, path, rows }: ViewRequest): Markup {
  if (isIgnored) return html`<a href="${prefix}${path}">All others</a>`
  return html`<a href="${prefix}${path}?ignored=true">${count(rows.ignored.size, 'ignored request')}: no key, or another page</a>`
}

interface Around {
  readonly mock: MockServer
  readonly base: string
  readonly prefix: string
  readonly isIgnored: boolean
  readonly sent: SentWith | null
}

function entry(exchange: MockExchange, around: Around): Markup {
  const { number, at, method, target, operations, key, status, body, answer, faulty } = exchange
  const path = target.replace(/[?#].*$/s, '')
  const what = operations.length > 0 ? operations.join(', ') : path === ENDPOINT_PATH ? 'GraphQL' : path
  const errorCode = errorCodeIn(answer)
  const badges = [
    status === null ? badge('no answer') : badge(status < 400 ? 'passed' : 'failed', String(status)),
    errorCode === null ? '' : badge('failed', errorCode),
    faulty ? badge('fault') : '',
  ]
  const obstacle = obstacleToRepeat(exchange, around.sent)
  const sender = [key === null ? '' : html`key <b>${key}</b>`, around.sent?.adminSession ? 'admin session' : '']
  return html`<li>
<div class="line"><span class="number">${number}</span> <b>${method}</b> <span class="url">${what}</span> ${badges}
<span class="do">${path === ENDPOINT_PATH && method === 'POST' && !around.isIgnored ? html`<a href="${around.prefix}${CONSOLE_PATH}?request=${number}" aria-label="Open in Console: request ${number}">Open in Console</a>` : ''}${obstacle === null ? copyButton(curlOf(exchange, around), 'Copy as curl', `request ${number}`) : ''}</span></div>
<p class="small">${time(at)} · ${sender.some((each) => each !== '') ? sender : 'no known key'}${obstacle === null ? '' : ` · cannot be copied as curl: ${obstacle}`}</p>
<details id="request-${number}"><summary>Request and answer</summary>${block('Request', clipped(body ?? '(too large to be kept)'))}${block('Answer', clipped(answer ?? '(none was sent)'))}</details>
</li>`
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

/** The command that sends a request again, with the same credentials. */
function curlOf({ method, target, key, body }: MockExchange, { mock, base, sent }: Around): string {
  const value = mock.apiKeys.find(({ name }) => name === key)?.key
  const { accept, ...others } = sent?.headers ?? {}
  // Without a value, curl sends its own content type with a body.
  const isWithBody = method === 'POST' || body !== ''
  const named = Object.entries(others).filter(
    ([name, each]) => each !== null || (name === 'content-type' && isWithBody),
  )
  const headers = {
    ...(value !== undefined && { 'x-api-key': value }),
    ...(sent?.adminSession && mock.adminSession.headers),
    // As curl sends it by default.
    ...(accept !== '*/*' && { accept: accept ?? null }),
    ...Object.fromEntries(named),
  }
  return curlCommand({ url: base + target, method, headers, body: body ?? '' })
}

function clipped(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`
}

const MAX_SHOWN = 4000
