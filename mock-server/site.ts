import { Hono } from 'hono/tiny'
import { MAX_BODY_BYTES } from './contract/limits.ts'
import type { MockServer } from './contract/mock-server.ts'
import { CONTROL_PATH } from './contract/paths.ts'
import { accessError } from './control/access-check.ts'
import { controlApi, type SiteEnv } from './control/control-api.ts'
import type { ErrorResponse } from './control/control-errors.ts'
import { ASSETS } from './pages/assets.ts'
import { candidatePages } from './pages/candidate-page.ts'
import { PAGE_HEADERS } from './pages/kit/document.ts'
import { notFoundPage, sandboxViews } from './pages/views.ts'
import type { SiteRequest } from './sandbox/router.ts'
import type { Internals } from './sandbox/rows.ts'
import { CHALLENGE_PATH } from './world/invites.ts'

/** Answers the requests for the page of a mock, the page of a candidate, and the control API. */
export function siteOf(mock: MockServer, internals: Internals): (request: SiteRequest) => Promise<Response> {
  // The files of the page are below the control API, which comes last because it answers 404 to every unknown path.
  const app = new Hono<SiteEnv>()
    .route('/', sandboxViews(mock, internals))
    .route('/', candidatePages(mock, internals))
    .route(CONTROL_PATH, controlApi(mock, internals))
    .notFound((c) => notFoundPage(mock, c))
  return async (siteRequest) => {
    const { request, base, signal } = siteRequest
    const { method, target } = request
    const headers = { 'content-type': request.header('content-type') ?? '' }
    const webRequest = new Request(`http://mock${target}`, { method, headers })
    // The path as the routes read it: because of dots and backslashes, it may differ from the beginning of the target.
    const path = new URL(webRequest.url).pathname
    const error = accessError(siteRequest)
    if (error && !isOpen(path)) return withSecurityHeaders(errorResponse(error, path))
    const prefix = new URL(base).pathname.replace(/\/$/, '')
    const readBody = async (maxBytes = MAX_BODY_BYTES) => (await siteRequest.readBody(maxBytes)).body
    const known: SiteEnv['Bindings'] = { prefix, base, mayControl: error === null, signal, readBody }
    return withSecurityHeaders(await app.fetch(webRequest, known))
  }
}

/** What needs no access check: the page of a candidate, and the files that it uses. None of it changes anything. */
function isOpen(path: string): boolean {
  return path.startsWith(CHALLENGE_PATH) || ASSETS.has(path)
}

function errorResponse({ status, code, message }: ErrorResponse, path: string): Response {
  const headers = status === 401 ? { 'www-authenticate': 'Basic realm="certify mock", charset="UTF-8"' } : {}
  if (path.startsWith(CONTROL_PATH)) return Response.json({ error: { code, message } }, { status, headers })
  return new Response(`${message}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } })
}

function withSecurityHeaders(response: Response): Response {
  for (const [name, value] of PAGE_HEADERS) response.headers.set(name, value)
  return response
}
