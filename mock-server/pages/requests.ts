import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import { ENDPOINT_PATH } from '../contract/paths.ts'
import type { MockExchange } from '../generated/contract.ts'
import type { LoggedRequest, SentWith } from '../sandbox/request-log.ts'
import { didYouMean } from '../world/near-names.ts'
import { faultStory, responseFate } from './request-story.ts'
import { action, badge, count, headerList, isolated, type Markup, payload, section, time } from './kit/markup.ts'
import { operationName, rowsSection, snippetButtons, type ViewRequest } from './view.ts'

/** The last requests: each with its headers, its body, its response, and ways to send it again. */
export function requestsSection(mock: MockServer, requested: ViewRequest): Markup {
  const { dropped } = mock.requestLog
  const { requests } = requested.rows
  const clear = action('DELETE /requests', 'Clear', {
    id: 'requests-clear',
    look: 'quiet',
    about: 'forget all requests',
    asks: 'Forget all requests? This cannot be undone.',
    done: `Forgot ${count(requests.kept().length, 'request')}`,
  })
  const logged = { ...requests, row: (each: LoggedRequest) => each }
  return rowsSection(logged, requested, {
    id: 'requests',
    title: 'Requests',
    parts: ['requestLog'],
    noun: 'request',
    more: dropped === 0 ? '' : `, ${count(dropped, 'older one is', 'older ones are')} gone`,
    actions: html`<button type="button" id="show-new" hidden></button>${clear}`,
    steady: true,
    search: ['q', 'operation, body, key or status'],
    noneYet: noneYet(requested),
    none: 'No request matches.',
    rows: (rows) => html`<ul class="entries">${rows.map((row) => entry(row, mock, requested))}</ul>`,
  })
}

function noneYet({ base, prefix }: ViewRequest): Markup {
  return html`Waiting for the first request to <code>${base}${ENDPOINT_PATH}</code>. <a href="${prefix}/connect">Connect</a>
has its keys, and code to copy.`
}

/** One request, at an address of its own; `null` if the log does not have it. */
export function requestSection(mock: MockServer, requested: ViewRequest, number: number): Markup | null {
  const logged = requested.rows.requests.kept().find((each) => each.number === number)
  if (!logged) return null
  const body = html`<ul class="entries">${entry(logged, mock, requested, true)}</ul>
<p><a href="${requested.prefix}/requests">All requests</a></p>`
  return section({ id: 'request', title: `Request ${number}`, body })
}

function entry(logged: LoggedRequest, mock: MockServer, requested: ViewRequest, isOpen = false): Markup {
  const exchange = logged.row()
  const { number, at, method, key, body, answer, headers, createdInviteIds } = exchange
  const sent = logged.sentWith()
  const sender = key === null ? (sent.adminSession ? 'admin session' : 'no known key') : html`key <b>${key}</b>`
  const reason = reasonOf(exchange, mock, requested.prefix)
  const invites = createdInviteIds.map((id) => html`<a href="${requested.prefix}/invites/${id}">${id}</a> `)
  const created = sent.fault !== null || invites.length === 0 ? '' : html`<p class="why passed">Created ${invites}</p>`
  return html`<li id="entry-${number}"><details id="request-${number}" ${isOpen ? html`open` : ''}>
<summary><span class="number">${number}</span> <b>${nameOf(exchange)}</b> ${badgesOf(exchange, sent)}
<span class="about">${isolated(candidateIn(body), 'beginning')} ${sender} · ${time(at)} · ${sent.tookMs.toFixed(1)} ms</span></summary>
${faultStory(exchange, logged, requested)}${created}
${repetition(exchange, sent, mock, requested)}
<div class="columns">
<div>${payload(`request-${number}-body`, `Request: ${method}`, body ?? '(too large to be kept)')}
${headerList(headers)}</div>
<div>${payload(`request-${number}-answer`, 'Response', answer ?? '(none arrived)')}</div>
</div></details>${reason}</li>`
}

/** What a request is, and its result. */
export function requestLine(logged: LoggedRequest): Markup {
  const exchange = logged.row()
  return html`<b>${nameOf(exchange)}</b> ${isolated(candidateIn(exchange.body), 'beginning')}
${badgesOf(exchange, logged.sentWith())}`
}

function nameOf({ operations, target }: MockExchange): string {
  const path = target.replace(/[?#].*$/s, '')
  if (operations.length > 0) return operations.map(operationName).join(', ')
  return path === ENDPOINT_PATH ? 'GraphQL' : path
}

/** The result in one colour: what a client would take for a failure is red, whatever its status. */
function badgesOf({ status, answer, createdInviteIds }: MockExchange, { fault }: SentWith): Markup {
  const [first] = errorsIn(answer)
  const fate = responseFate(fault)
  const look = first || fate === 'replaced' || (status ?? 500) >= 400 ? 'failed' : 'passed'
  const made = createdInviteIds.length
  return html`${fate === 'lost' ? badge('failed', 'response lost') : badge(look, String(status))}
${first && badge('failed', codeOf(first))} ${fate === 'late' || fate === 'replaced' ? badge('fault') : ''}
${made === 0 ? '' : badge('passed', made === 1 ? 'invite created' : `${made} invites created`)}`
}

/** Why it was refused, with links to what blocks it now, or to the identifier that may have been meant. */
function reasonOf({ answer, body, operations }: MockExchange, mock: MockServer, prefix: string): Markup | '' {
  const [first] = errorsIn(answer)
  if (first?.message === undefined) return ''
  const isOfWorld = operations.length > 0 && !['UNAUTHENTICATED', 'FORBIDDEN'].includes(codeOf(first))
  const more = isOfWorld ? blockersOf(inputIn(body), mock, prefix) : ''
  return html`<p class="why failed">${isolated(first.message)} ${more}</p>`
}

function blockersOf({ quizId, packageId, candidate }: Input, mock: MockServer, prefix: string): Markup[] {
  const packages = mock.tracks.flatMap((track) => track.packages)
  const pack = packages.find(({ id }) => id === packageId)
  const quizzes = mock.quizzes.filter(({ id }) => id === quizId || pack?.quizIds.includes(id))
  const near = quizzes.length > 0 || pack ? '' : nearest(mock.quizzes, quizId) || nearest(packages, packageId)
  if (near !== '') return [html`${near.replace(/^\. /, '')}`]
  const { attempts = [], certifications = [] } = candidate?.email ? mock.candidate(candidate.email) : {}
  const candidates = `/candidates?${new URLSearchParams({ q: candidate?.email ?? '' }).toString()}`
  const link = (path: string, words: string): Markup => html`<a href="${prefix}${path}">${words}</a> `
  return quizzes.flatMap(({ id, ready }) => {
    const running = attempts.find(({ quizId: of, status }) => of === id && status === 'IN_PROGRESS')
    const place = packages.find(({ quizIds }) => quizIds.includes(id))?.id ?? 'alone'
    return [
      !ready && link(`/catalogue#quiz-${place}-${id}`, 'Open the quiz'),
      running && link(running.inviteId === null ? candidates : `/invites/${running.inviteId}`, 'Open the attempt'),
      certifications.some((each) => each.quizId === id && each.valid) && link(candidates, 'Open the certification'),
    ].filter((each) => each !== false && each !== undefined)
  })
}

function nearest(known: readonly { readonly id: string }[], id: unknown): string {
  const ids = known.map((each) => each.id)
  return typeof id === 'string' ? didYouMean(id, ids) : ''
}

/** A link to it, and what sends its document again: that not if the log does not have all of it and its credentials. */
function repetition(exchange: MockExchange, sent: SentWith, mock: MockServer, requested: ViewRequest): Markup {
  const { number, method, target, body, operations, key } = exchange
  const permalink = html`<a class="button quiet" href="${requested.prefix}/requests/${number}">Link to this request</a>`
  const { query }: { query?: unknown } = parsed(body)
  const isDocument = method === 'POST' && target === ENDPOINT_PATH && typeof query === 'string'
  if (!isDocument || !sent.isWhole || sent.unknownCredentials || !body || body.includes('[key ')) {
    return html`<div class="buttons">${permalink}</div>`
  }
  const headers = {
    'content-type': 'application/json',
    ...(key !== null && { 'x-api-key': mock.apiKeys.find(({ name }) => name === key)?.key }),
    ...(sent.adminSession && mock.adminSession.headers),
  }
  const request = { url: requested.base + target, headers, body }
  return html`<div class="buttons" data-request="${JSON.stringify(request)}">
${snippetButtons(`request ${number}`, operations.length === 1 ? ['curl', 'sdk', 'cli'] : ['curl'])} ${permalink}</div>`
}

/** The address of the candidate in a request that creates; otherwise empty. */
function candidateIn(body: string | null): string {
  const email: unknown = inputIn(body).candidate?.email
  return typeof email === 'string' ? email : ''
}

/** The input of a create, as it was sent. */
function inputIn(body: string | null): Input {
  const { variables }: { variables?: { input?: Input | null } | null } = parsed(body)
  return Object(variables?.input) as Input
}

interface Input {
  readonly quizId?: unknown
  readonly packageId?: unknown
  readonly candidate?: { readonly email?: string } | null
}

/** The GraphQL errors in a response, whose status may be 200. */
function errorsIn(answer: string | null): readonly SentError[] {
  const { errors }: { errors?: unknown } = parsed(answer)
  return Array.isArray(errors) ? (errors as SentError[]) : []
}

interface SentError {
  readonly message?: string
  readonly code?: string
  readonly extensions?: { readonly code?: string }
}

function codeOf({ code, extensions }: SentError): string {
  return extensions?.code ?? code ?? 'error'
}

function parsed(text: string | null): object {
  try {
    return Object(JSON.parse(text ?? '')) as object
  } catch {
    return {}
  }
}
