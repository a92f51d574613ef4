import { Hono } from 'hono/tiny'
import type { MockServer } from './contract/mock-server.ts'
import { CONTROL_PATH } from './contract/paths.ts'
import { refusalAt } from './control/access-check.ts'
import { controlOf } from './control/control-api.ts'
import type { ErrorAnswer } from './control/control-errors.ts'
import type { SiteEnv } from './control/env.ts'
import { candidatePages } from './pages/candidate-page.ts'
import { pagesOf } from './pages/sandbox-pages.ts'
import type { SiteRequest } from './sandbox/router.ts'

/** Answers whoever comes to see the page of a mock, the page of a candidate, or its control API. */
export function siteOf(mock: MockServer): (request: SiteRequest) => Promise<Response> {
  // The files of the page stand under the control API, which says of all that it does not know that it is not there.
  const app = new Hono<SiteEnv>()
    .route('/', pagesOf(mock))
    .route('/', candidatePages(mock))
    .route(CONTROL_PATH, controlOf(mock))
  return async (received) => {
    const { request, base, signal } = received
    const { method, body } = request
    const headers = { 'content-type': request.header('content-type') ?? '' }
    const hasBody = method !== 'GET' && method !== 'HEAD' && body !== null
    const translated = new Request(`http://mock${request.target}`, { method, headers, ...(hasBody && { body }) })
    // As the routes below read it: a target with dots or backslashes is one way to a path that it does not begin with.
    const path = new URL(translated.url).pathname
    const refused = isOpen(method, path) ? null : refusalAt(received)
    if (refused) return guarded(refusal(refused, path))
    return guarded(
      await app.fetch(translated, {
        prefix: new URL(base).pathname.replace(/\/$/, ''),
        base,
        signal,
        isUnread: body === null,
      }),
    )
  }
}

/** What anybody may look at: the page of a candidate who has the link, with what it is drawn by. None of it changes anything. */
function isOpen(method: string, path: string): boolean {
  return method !== 'POST' && (path.startsWith('/challenge/') || /^\/__mock\/page\.(css|js)$/.test(path))
}

function refusal(error: ErrorAnswer, path: string): Response {
  const { status, code, message } = error
  const headers = status === 401 ? { 'www-authenticate': 'Basic realm="certify mock", charset="UTF-8"' } : {}
  if (path.startsWith(CONTROL_PATH)) return Response.json({ error: { code, message } }, { status, headers })
  return new Response(`${message}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } })
}

/** Nothing here is for other pages: neither to be read by them, nor to be shown in them, nor to load from anywhere else. */
function guarded(response: Response): Response {
  for (const [name, value] of HEADERS) response.headers.set(name, value)
  return response
}

const HEADERS = Object.entries({
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
})
