import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import * as z from 'zod/mini'
import type { MockServer } from '../contract/mock-server.ts'
import { CONTROL_PATH } from '../contract/paths.ts'
import { parseWith } from '../contract/validation.ts'
import type { Internals } from '../sandbox/rows.ts'
import { DEEPEST_WORLD, isDeeper } from '../world/problems.ts'
import { candidateOperations, createOperations, inviteOperations, outboxOperations } from './candidate-operations.ts'
import { responseToError, refuse } from './control-errors.ts'
import { openApiOf } from './openapi.ts'
import { type Operation, parsedQuery } from './operation.ts'
import { callbackOperations, faultOperations, requestOperations } from './traffic-operations.ts'
import {
  catalogueOperations,
  clockOperations,
  sessionOperations,
  stateOperations,
  worldOperations,
} from './world-operations.ts'

/** What every route of the control API and the pages knows about a request. */
export interface SiteEnv {
  Bindings: {
    /** The address by which the mock was reached: its links begin with it. */
    readonly base: string
    /** The path in `base`, without a slash at the end. */
    readonly prefix: string
    /** Whether the reader of a page may use the control API. A candidate needs no control token. */
    readonly mayControl: boolean
    readonly signal: AbortSignal
    /** Reads the body of an accepted request; `null` if it is too large, or not UTF-8. */
    readonly readBody: (maxBytes?: number) => Promise<string | null>
  }
}

/** The control API: what a tester does to a mock, as JSON over HTTP, for every language. */
export function controlApi(mock: MockServer, internals: Internals): Hono<SiteEnv> {
  const operationsNow = () => OPERATIONS.flatMap((operationsOf) => operationsOf(mock, internals))
  const app = new Hono<SiteEnv>()
    .onError((error, c) => {
      const { status, ...facts } = responseToError(error)
      return c.json({ error: facts }, status)
    })
    .use(async (c, next) => {
      if (WRITES.has(c.req.method) && !/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
        // A page of another origin cannot send this type without a preflight: half of the protection against such pages.
        refuse('JSON_NEEDED', `Send ${c.req.method} with content-type: application/json.`)
      }
      await next()
    })
    .get('/openapi.json', (c) => c.json(openApiOf(operationsNow(), c.env.base)))
  for (const operation of operationsNow()) {
    const [method = '', path = ''] = operation.route.split(' ')
    app.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), (c) => respond(operation, c))
  }
  return app.all('*', (c) => {
    const message = `There is no ${c.req.method} ${c.req.path} in the control API: ${CONTROL_PATH}/openapi.json lists its operations.`
    return c.json({ error: { code: 'NOT_FOUND', message } }, 404)
  })
}

const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

const OPERATIONS: readonly ((mock: MockServer, internals: Internals) => Operation[])[] = [
  stateOperations,
  worldOperations,
  clockOperations,
  sessionOperations,
  inviteOperations,
  createOperations,
  candidateOperations,
  outboxOperations,
  catalogueOperations,
  callbackOperations,
  faultOperations,
  requestOperations,
]

async function respond(operation: Operation, c: Context<SiteEnv>): Promise<Response> {
  const { body, isCheckedByMock, result, status = 200, run } = operation
  const { base, signal } = c.env
  const returned = await run({
    base,
    signal,
    param: (name) => c.req.param(name) ?? '',
    query: parsedQuery(operation, c.req.query()),
    body: body && parseWith(isCheckedByMock ? ANYTHING : body, await bodyOf(c, operation), 'The body cannot be used'),
  })
  if (returned instanceof Response) return returned
  return result ? Response.json(returned, { status }) : new Response(null, { status: 204 })
}

/** The JSON object in the body of a request; an empty one if there is no body. */
async function bodyOf(c: Context<SiteEnv>, { route, maxBodyBytes }: Operation): Promise<unknown> {
  const text = await c.env.readBody(maxBodyBytes)
  if (text === null) return refuse('UNREADABLE', 'The body is too large, or not UTF-8.')
  if (text === '') return {}
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // The parser's message may quote the body.
    return refuse('BAD_REQUEST', `The body is not JSON.${route === 'PUT /world' ? WORLD_HINT : ''}`)
  }
  if (isDeeper(body, DEEPEST_WORLD)) {
    return refuse('BAD_REQUEST', `The body is nested more than ${DEEPEST_WORLD} levels deep.`)
  }
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  return isObject ? body : refuse('BAD_REQUEST', 'The body must be a JSON object.')
}

const ANYTHING = z.looseObject({})

const WORLD_HINT = ' Send the world as JSON: `certify mock init world.json` writes an example.'
