import { isForDesk } from '../control/paths.ts'
import type { FaultDue, Faults } from '../sandbox/faults.ts'
import type { Journal } from '../sandbox/journal.ts'
import type { World } from '../world/world.ts'
import { broken } from './breakage.ts'
import { challengeAnswer } from './challenge.ts'
import type { Door } from './door.ts'
import type { Outcome, PlainAnswer, PlainRequest } from './exchange.ts'
import { type GraphQLEndpoint, METHODS } from './graphql-over-http.ts'
import type { RateLimit } from './rate-limit.ts'

/** Where the GraphQL endpoint stands, from the base on. */
export const ENDPOINT_PATH = '/api/developer/graphql'

/** Where a mock says which world it is, so that nobody takes it for an earlier one. */
const WORLD_PATH = '/__mock/world'

const ROUTES = [
  { method: 'POST', path: ENDPOINT_PATH },
  { method: 'GET', path: '/challenge/{token}' },
  { method: 'GET', path: WORLD_PATH },
] as const

/**
 * Answers any request to a world. `base` is where the request came in, and `door` what it came in by: links that it creates
 * begin with the base.
 */
export type Router = (request: PlainRequest, base: string, door: Door) => Outcome

/** A request for the page or the control API, and where it came in. */
export interface Visit {
  readonly request: PlainRequest
  readonly base: string
  readonly door: Door
  /** Aborts when the visitor is gone. */
  readonly signal: AbortSignal
}

/** What a router is made of. */
export interface RouterParts {
  readonly world: World
  readonly endpoint: GraphQLEndpoint
  readonly faults: Faults
  readonly limit: RateLimit
  readonly journal: Journal
  readonly worldId: () => string
  /** The page and the control API, which are loaded when somebody first comes to see them. */
  readonly desk: (visit: Visit) => Promise<Response>
}

/** The routes of one world. Whatever goes wrong by itself, the outcome is an answer; each has the time of the world. */
export function routerOf(parts: RouterParts): Router {
  const { world, endpoint, faults, journal, desk } = parts
  return (request, base, door) => {
    // What a tester does is no request of a client: no fault befalls it, and it is not in the journal.
    const path = pathOf(request)
    if (door.control && path !== WORLD_PATH && isForDesk(request.method, path, request.header('accept'))) {
      return { kind: 'visit', received: (signal) => desk({ request, base, door, signal }) }
    }
    const met: FaultDue[] = []
    const outcome = failSafe(() => {
      const due = isCall(request) ? faults.next(request, () => endpoint.asked(request)) : null
      if (!due) return whole(answerTo(request, base, parts))
      met.push(due)
      return broken(due, request, endpoint, () => answerTo(request, base, parts))
    })
    const atItsTime = dated(world, outcome)
    journal.note(request, atItsTime, met.length > 0)
    return atItsTime
  }
}

function answerTo(request: PlainRequest, base: string, { world, endpoint, limit, worldId }: RouterParts): PlainAnswer {
  const path = pathOf(request)
  if (path === WORLD_PATH && request.method === 'GET') return json(200, { worldId: worldId() })
  if (path === ENDPOINT_PATH) return limit.refusal(request, endpoint) ?? endpoint.answer(request, base)
  const [, token] = /^\/challenge\/([^/]+)$/.exec(path) ?? []
  return token === undefined ? notFound(path) : challengeAnswer(world, request.method, token)
}

/** The outcome, or an answer that says that finding it out has failed. */
function failSafe(outcome: () => Outcome): Outcome {
  try {
    return outcome()
  } catch {
    const error = { message: 'Internal server error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }
    return whole(json(500, { errors: [error] }))
  }
}

function pathOf({ target }: PlainRequest): string {
  return target.replace(/[?#].*$/s, '')
}

function isCall(request: PlainRequest): boolean {
  return METHODS.has(request.method) && pathOf(request) === ENDPOINT_PATH
}

/** The outcome with the time of the world in its answer, unless the answer has one of its own. */
function dated(world: World, outcome: Outcome): Outcome {
  if (!('answer' in outcome)) return outcome
  const date = new Date(world.clock.now()).toUTCString()
  return { ...outcome, answer: { ...outcome.answer, headers: { date, ...outcome.answer.headers } } }
}

function whole(answer: PlainAnswer): Outcome {
  return { kind: 'answer', answer }
}

function notFound(path: string): PlainAnswer {
  const nearest = ROUTES.toSorted((a, b) => likeness(b.path, path) - likeness(a.path, path))[0] ?? ROUTES[0]
  return json(404, {
    message: `Nothing is served at this path. The nearest route is ${nearest.method} ${nearest.path}.`,
    nearest: `${nearest.method} ${nearest.path}`,
    routes: ROUTES.map((route) => `${route.method} ${route.path}`),
  })
}

/** How many pairs of neighbouring letters of the route the path has as well, as a share of all of the route's. */
function likeness(route: string, path: string): number {
  const pairs = Array.from(route.slice(1), (letter, index) => route.charAt(index) + letter)
  return pairs.filter((pair) => path.includes(pair)).length / pairs.length
}

function json(status: number, body: object): PlainAnswer {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(body) }
}
