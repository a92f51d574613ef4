import { Hono } from 'hono/tiny'
import type { MockServer } from './contract/mock-server.ts'
import { CONTROL_PATH } from './contract/paths.ts'
import { accessError } from './control/access-check.ts'
import { controlApi, json } from './control/control-api.ts'
import type { ErrorResponse } from './control/control-errors.ts'
import { type SiteEnv, siteOf } from './control/local-site.ts'
import { candidatePages } from './pages/candidate-page.ts'
import { fileRoutes, filesBelow } from './pages/kit/assets.ts'
import { notFoundPage, sandboxViews } from './pages/views.ts'
import type { SiteRequest } from './sandbox/router.ts'
import type { Internals } from './sandbox/rows.ts'
import { CHALLENGE_PATH } from './world/invites.ts'

/** The files that the pages load, by address. */
const FILES = filesBelow(CONTROL_PATH)

/** Answers the requests for the page of a mock, the page of a candidate, and the control API. */
export function sandboxSite(mock: MockServer, internals: Internals): (request: SiteRequest) => Promise<Response> {
  // The files of the page are below the control API, which comes last because it answers 404 to every unknown path.
  const routes = new Hono<SiteEnv>()
    .use(async (c, next) => {
      const { path } = c.req
      const error = isOpen(path) ? null : accessError(c.env)
      return error === null ? next() : errorResponse(error, path)
    })
    .route('/', fileRoutes(FILES))
    .route('/', sandboxViews(mock, internals))
    .route('/', candidatePages(mock, internals))
    .route(CONTROL_PATH, controlApi(mock, internals))
    .notFound((c) => notFoundPage(mock, c))
  return siteOf(routes)
}

/** What needs no access check: the page of a candidate, and the files that it uses. None of it changes anything. */
function isOpen(path: string): boolean {
  return path.startsWith(CHALLENGE_PATH) || FILES.has(path)
}

function errorResponse({ status, code, message }: ErrorResponse, path: string): Response {
  const headers = status === 401 ? { 'www-authenticate': 'Basic realm="certify mock", charset="UTF-8"' } : {}
  if (path.startsWith(CONTROL_PATH)) return json({ error: { code, message } }, { status, headers })
  return new Response(`${message}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } })
}
