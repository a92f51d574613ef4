import { html } from 'hono/html'
import type { MockServer } from '../contract/mock-server.ts'
import type { Fault, MockExchange } from '../generated/contract.ts'
import type { LogEntry } from '../sandbox/request-log.ts'
import { didYouMean } from '../world/near-names.ts'
import { KINDS } from './fault-sentence.ts'
import { isolated, type Markup } from './kit/markup.ts'
import type { ViewRequest } from './view.ts'

/* What became of a request: what it created, which fault hit it, and what the SDK makes of that. */

/** The request that created an invite, if the log has it, as a link: "request 69, whose response was lost". */
export function creatorOf(
  { rows, prefix }: Pick<ViewRequest, 'rows' | 'prefix'>,
  inviteId: string,
): Markup | undefined {
  const found = rows.requests.all().find(({ createdInviteIds }) => createdInviteIds.includes(inviteId))
  if (!found) return undefined
  const { number, key } = found.row()
  const fate = responseFate(found.sentWith().fault)
  const link = html`<a href="${prefix}/requests/${number}">request ${number}</a>`
  if (fate !== null) return html`${link}, whose response was ${fate}`
  return key === null ? link : html`${link}, with the key <b>${key}</b>`
}

/** What a fault did to a response; `null` without a fault. */
export function responseFate(fault: Fault | null): 'lost' | 'late' | 'replaced' | null {
  if (fault === null) return null
  if (typeof fault === 'string') return 'lost'
  return isLate(fault) ? 'late' : 'replaced'
}

/** One line that says what became of a request: lost, refused and why, throttled, or created; empty for any other. */
export function storyOf(logged: LogEntry, mock: MockServer, requested: ViewRequest): Markup | '' {
  const exchange = logged.row()
  const { reason, status } = exchange
  const { fault } = logged.sentWith()
  if (fault !== null) {
    const look = responseFate(fault) === 'late' ? 'waiting' : 'failed'
    // A late response is the true one.
    const refusal = look === 'waiting' && reason !== null ? html`Refused: ${isolated(reason)}` : ''
    return html`<p class="why ${look}">${effectOf(exchange, requested, doneBy(fault))}
${seenBy(fault, exchange)}${refusal}</p>`
  }
  const { links, isSent } = createdBy(exchange, requested)
  const created = links.length === 0 ? '' : html`Created ${links}${isSent ? ', and e-mailed' : ', without an e-mail'}.`
  if (reason === null) return created && html`<p class="why passed">${created}</p>`
  const what = status === 429 ? 'Throttled' : 'Refused'
  return html`<p class="why failed">${what}: ${isolated(reason)} ${blockersOf(logged, mock, requested.prefix)} ${created}</p>`
}

/** The invites that a request created, as links, and whether one of them was e-mailed. */
function createdBy({ createdInviteIds }: MockExchange, { rows, prefix }: ViewRequest) {
  const links = createdInviteIds.map((id) => html` <a href="${prefix}/invites/${id}">${id}</a>`)
  return { links, isSent: createdInviteIds.some((id) => rows.invites.get(id)?.emailSent) }
}

/** Links to what blocks a create now, or the identifier that may have been meant. */
function blockersOf(logged: LogEntry, mock: MockServer, prefix: string): Markup[] {
  const { code, email } = logged.row()
  const subject = logged.operations.find((each) => each.subject !== null)?.subject ?? null
  if (subject === null || code === 'UNAUTHENTICATED' || code === 'FORBIDDEN' || code === 'RATE_LIMITED') return []
  const packages = mock.tracks.flatMap((track) => track.packages)
  const pack = packages.find(({ id }) => id === subject)
  const quizzes = mock.quizzes.filter(({ id }) => id === subject || pack?.quizIds.includes(id))
  if (quizzes.length === 0 && !pack) {
    const ids = [...mock.quizzes, ...packages].map(({ id }) => id)
    return [html`${didYouMean(subject, ids).replace(/^\. /, '')}`]
  }
  const { attempts = [], certifications = [] } = email === null ? {} : mock.candidate(email)
  const candidates = `/candidates?${new URLSearchParams({ q: email ?? '' }).toString()}`
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

function effectOf(exchange: MockExchange, requested: ViewRequest, done: string): Markup {
  const { faultId, faultPhase } = exchange
  const { links, isSent } = createdBy(exchange, requested)
  const rule = faultId?.includes('@')
    ? html`the magic address ${isolated(faultId)}`
    : html`<a href="${requested.prefix}/faults#row-${faultId}">${faultId}</a>`
  if (faultPhase === 'before') return html`Nothing was executed and nothing created: ${rule} ${done} before that.`
  if (links.length === 0) return html`The request was executed, and created nothing; then ${rule} ${done}.`
  const [noun, verb] = links.length === 1 ? ['invite', 'was'] : ['invites', 'were']
  return html`The ${noun}${links} ${verb} created${isSent ? ' and e-mailed' : ''}; then ${rule} ${done}.`
}

function doneBy(fault: Fault): string {
  if (typeof fault === 'string') return KINDS[fault].did
  if (typeof fault === 'number') return `sent HTTP ${fault} instead of the response`
  if ('delayMs' in fault) return `delayed the response by ${fault.delayMs / 1000} s`
  return `sent ${'code' in fault ? `the error ${fault.code}` : `HTTP ${fault.status}`} instead of the response`
}

/** The code and the outcome in the SDK; empty where they depend on the program. */
function seenBy(fault: Fault, { operations }: MockExchange): Markup | '' {
  const code = codeFor(fault)
  if (code === null) return ''
  const creates = operations.some((name) => name.startsWith('developerCreate'))
  const outcome = creates && UNKNOWN.has(code) ? 'unknown' : 'not executed'
  return html`A program with <code>certify-sdk</code> saw <code>${code}</code>, outcome <b>${outcome}</b>.`
}

const UNKNOWN: ReadonlySet<string> = new Set(['CONNECTION_LOST', 'TIMED_OUT', 'RESPONSE_UNREADABLE', 'SERVER_FAULT'])

function codeFor(fault: Fault): string | null {
  if (typeof fault === 'string') return KINDS[fault].code
  if (typeof fault === 'object' && !('status' in fault)) return null
  const status = typeof fault === 'number' ? fault : fault.status
  if (status === 408 || status >= 499) return 'SERVER_FAULT'
  return { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN', 429: 'RATE_LIMITED' }[status] ?? null
}

function isLate(fault: Fault): boolean {
  return typeof fault === 'object' && 'delayMs' in fault
}
