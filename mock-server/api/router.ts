import type { Faults } from '../sandbox/faults.ts'
import type { World } from '../world/world.ts'
import { broken } from './breakage.ts'
import { challengeAnswer } from './challenge.ts'
import type { Outcome, PlainAnswer, PlainRequest } from './exchange.ts'
import { type GraphQLEndpoint, METHODS } from './graphql-over-http.ts'

/** Where the GraphQL endpoint stands, from the base on. */
export const ENDPOINT_PATH = '/api/developer/graphql'

const ROUTES = [
  { method: 'POST', path: ENDPOINT_PATH },
  { method: 'GET', path: '/challenge/{token}' },
] as const

/** Answers any request to a world. `base` is where the request came in: links that it creates begin with it. */
export type Router = (request: PlainRequest, base: string) => Outcome

/** The routes of one world. Whatever goes wrong by itself, the outcome is an answer. */
export function routerOf(world: World, endpoint: GraphQLEndpoint, faults: Faults): Router {
  return (request, base) => {
    try {
      const path = request.target.replace(/[?#].*$/s, '')
      if (path === ENDPOINT_PATH) {
        const due = METHODS.has(request.method) ? faults.next(() => endpoint.asked(request)) : null
        return due ? broken(due, endpoint, request, base) : whole(endpoint.answer(request, base))
      }
      const [, token] = /^\/challenge\/([^/]+)$/.exec(path) ?? []
      return whole(token === undefined ? notFound(path) : challengeAnswer(world, request.method, token))
    } catch {
      const error = { message: 'Internal server error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }
      return whole(json(500, { errors: [error] }))
    }
  }
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
