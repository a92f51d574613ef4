import { challengeResponse } from '../api/challenge-text.ts'
import type {
  Reply,
  PlainResponse,
  PlainRequest,
  ReadBody,
  RequestBody,
  RequestHead,
  Selected,
} from '../api/exchange.ts'
import { type GraphQLEndpoint, METHODS } from '../api/graphql-endpoint.ts'
import { CONTROL_PATH, DETAIL_PATHS, ENDPOINT_PATH, VIEWS, WORLD_PATH } from '../contract/paths.ts'
import { CHALLENGE_PATH } from '../world/invites.ts'
import type { World } from '../world/world.ts'
import { type FaultDue, faultyReply, type Faults } from './faults.ts'
import type { RequestLog } from './request-log.ts'

/** The routes that the response to an unknown path names. */
const ROUTES = [`POST ${ENDPOINT_PATH}`, `GET ${CHALLENGE_PATH}{token}`, `GET ${WORLD_PATH}`]

/**
 * Routes any request to a world, before its body is read. `base` is the address through which the request came: the
 * links that it creates begin with it. `access` says who may see the page there.
 */
export type Router = (request: RequestHead, base: string, access: SiteAccess) => Route

/** Where a request goes: to the page or the control API, which read its body if they accept the request; or to the service. */
export type Route =
  | { readonly kind: 'site'; readonly respond: (readBody: ReadBody, signal: AbortSignal) => Promise<Response> }
  | { readonly kind: 'service'; readonly reply: (body: RequestBody) => Reply }

export interface SiteRequest {
  readonly request: RequestHead
  readonly readBody: ReadBody
  readonly base: string
  readonly access: SiteAccess
  /** Aborts when the client closes the connection. */
  readonly signal: AbortSignal
}

/** The session of a request, with the request and the base as it sees them. */
export interface SessionRoute {
  readonly router: Router
  readonly request: RequestHead
  readonly base: string
}

export interface RouterParts {
  readonly world: World
  readonly endpoint: GraphQLEndpoint
  readonly faults: Faults
  readonly requestLog: RequestLog
  readonly sessions: {
    readonly isEmpty: boolean
    routeOf(request: RequestHead, base: string): SessionRoute | undefined
  }
  /** Does what has fallen due by a request. */
  readonly timeline: { runDue(): void }
  readonly identity: { readonly worldId: string }
  /** The page and the control API, loaded at the first request for them. */
  readonly site: (request: SiteRequest) => Promise<Response>
}

/**
 * The routes of one world, and of the sessions behind the same address. An unexpected error becomes a response too. Every
 * response has the time of the world.
 */
export function routerOf(parts: RouterParts): Router {
  const toSite = siteRouter(parts.site)
  return (request, base, access) => {
    const session = parts.sessions.isEmpty ? undefined : parts.sessions.routeOf(request, base)
    if (session) return session.router(session.request, session.base, access)
    // What a tester does is not a request of a client: no fault hits it, and the request log leaves it out.
    const path = pathOf(request)
    if (access.control && !asksForWorld(request) && isForSite(request.method, path, request.header('accept'))) {
      return toSite(request, base, access)
    }
    return { kind: 'service', reply: (body) => serviceReply({ ...request, ...body }, base, parts) }
  }
}

/** Routes every request to a site. */
export function siteRouter(site: RouterParts['site']): Router {
  return (request, base, access) => ({
    kind: 'site',
    respond: (readBody, signal) => site({ request, readBody, base, access, signal }),
  })
}

function serviceReply(request: PlainRequest, base: string, parts: RouterParts): Reply {
  const { world, endpoint, faults, requestLog } = parts
  const before = world.state.inviteIds.length
  const hit: { due: FaultDue | null; selected?: Selected } = { due: null }
  const reply = replyOrServerError(() => {
    const response = (): PlainResponse => responseTo(request, base, parts)
    const selected = (): Selected => (hit.selected ??= endpoint.selected(request))
    const isCall = METHODS.has(request.method) && pathOf(request) === ENDPOINT_PATH
    hit.due = isCall ? faults.next(request, selected) : null
    const { due } = hit
    return due ? faultyReply(due, request, endpoint, response) : { kind: 'response', response: response() }
  })
  const dated = withDate(world, reply)
  const createdInviteIds = world.state.inviteIds.slice(before)
  if (!asksForWorld(request)) {
    // The true response is lost with a fault, but what the request selects is known then.
    const { operations = [], refusal = null } = ('response' in reply ? reply.response.done : undefined) ?? {}
    const { due, selected } = hit
    const done = { operations: due === null ? operations : (selected?.operations ?? []), refusal }
    requestLog.note(request, dated, { due, done, createdInviteIds })
  }
  parts.timeline.runDue()
  return dated
}

function responseTo(request: PlainRequest, base: string, { world, endpoint, identity }: RouterParts): PlainResponse {
  const path = pathOf(request)
  if (asksForWorld(request)) return json(200, { worldId: identity.worldId })
  if (path === ENDPOINT_PATH) return endpoint.respond(request, base)
  const token = path.startsWith(CHALLENGE_PATH) ? path.slice(CHALLENGE_PATH.length) : ''
  return token === '' || token.includes('/') ? notFound() : challengeResponse(world, request.method, token)
}

/* A client asks for it by itself before each create, so it would fill the request log. */
function asksForWorld(request: RequestHead): boolean {
  return request.method === 'GET' && pathOf(request) === WORLD_PATH
}

function replyOrServerError(reply: () => Reply): Reply {
  try {
    return reply()
  } catch {
    const error = { message: 'Internal server error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }
    return { kind: 'response', response: json(500, { errors: [error] }) }
  }
}

function pathOf({ target }: RequestHead): string {
  return target.replace(/[?#].*$/s, '')
}

/** The reply with the time of the world in its response, unless the response has a date already. */
function withDate(world: World, reply: Reply): Reply {
  if (!('response' in reply)) return reply
  const date = new Date(world.clock.now()).toUTCString()
  return { ...reply, response: { ...reply.response, headers: { date, ...reply.response.headers } } }
}

function notFound(): PlainResponse {
  return json(404, { message: `Nothing is served at this path. There is ${ROUTES.join(', ')}.` })
}

function json(status: number, body: object): PlainResponse {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(body) }
}

/** Who may use the page and the control API at one listener. */
export interface SiteAccess {
  readonly control: boolean
  /** The host names that are allowed besides loopback names; `null`: any, because no network is involved. */
  readonly hosts: readonly string[] | null
  /** The token that a request needs; `null` if it needs none. */
  readonly token: string | null
}

/** In process, the caller has the mock itself. */
export const IN_PROCESS: SiteAccess = { control: true, hosts: null, token: null }

/**
 * Whether a request is for the page, the candidate's page or the control API; others are for the service itself. A browser
 * gets a page for every path but the endpoint.
 */
function isForSite(method: string, path: string, accept: string | null): boolean {
  if (path === CONTROL_PATH || path.startsWith(`${CONTROL_PATH}/`)) return true
  const isForPeople = /\btext\/html\b/.test(accept ?? '')
  if (method !== 'GET' && method !== 'HEAD') return false
  if (path === '' || VIEWS.some((view) => view.path === path)) return true
  return (isForPeople && path !== ENDPOINT_PATH) || DETAIL_PATHS.some((start) => isOneBelow(start, path))
}

/** Whether the `host` of a request, with or without a port, is a name of this machine or an allowed one. */
export function isKnownHost(host: string, { hosts }: SiteAccess): boolean {
  const name = host.toLowerCase().replace(/:\d+$/, '')
  return isLoopback(name) || hosts === null || hosts.some((each) => each.toLowerCase() === name)
}

/** Whether a host name is one of this machine's loopback. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|[\w.-]+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

function isOneBelow(start: string, path: string): boolean {
  return path.startsWith(start) && path.length > start.length && !path.includes('/', start.length)
}
