import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import * as z from 'zod/mini'
import type { MockServer } from '../contract/mock-server.ts'
import { CONTROL_PATH } from '../contract/paths.ts'
import { parseWith } from '../contract/validation.ts'
import type { Internals } from '../sandbox/rows.ts'
import { candidateOperations, createOperations, inviteOperations, outboxOperations } from './candidate-operations.ts'
import { responseToError } from './control-errors.ts'
import { jsonIn, jsonOnly, type SiteEnv } from './local-site.ts'
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

/** The control API: what a tester does to a mock, as JSON over HTTP, for every language. */
export function controlApi(mock: MockServer, internals: Internals): Hono<SiteEnv> {
  const operationsNow = () => OPERATIONS.flatMap((operationsOf) => operationsOf(mock, internals))
  const app = new Hono<SiteEnv>()
    .onError((error) => {
      const { status, ...facts } = responseToError(error)
      return json({ error: facts }, { status })
    })
    .use(jsonOnly)
    .get('/openapi.json', (c) => json(openApiOf(operationsNow(), c.env.base)))
  for (const operation of operationsNow()) {
    const [method = '', path = ''] = operation.route.split(' ')
    app.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), (c) => respond(operation, c))
  }
  return app.all('*', (c) => {
    const message = `There is no ${c.req.method} ${c.req.path} in the control API: ${CONTROL_PATH}/openapi.json lists its operations.`
    return json({ error: { code: 'NOT_FOUND', message } }, { status: 404 })
  })
}

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
  const { route, body, maxBodyBytes, isCheckedByMock, result, status = 200, run } = operation
  const { base, signal } = c.env
  const hint = route === 'PUT /world' ? WORLD_HINT : ''
  const given = () => jsonIn(c, maxBodyBytes, hint)
  const returned = await run({
    base,
    signal,
    param: (name) => c.req.param(name) ?? '',
    query: parsedQuery(operation, c.req.query()),
    body: body && parseWith(isCheckedByMock ? ANYTHING : body, await given(), 'The body cannot be used'),
  })
  if (returned instanceof Response) return returned
  return result ? json(returned, { status }) : new Response(null, { status: 204 })
}

/** A response with JSON. It ends with a newline, for `curl` at a terminal. */
export function json(value: unknown, { status = 200, headers = {} }: JsonInit = {}): Response {
  const body = `${JSON.stringify(value)}\n`
  return new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } })
}

interface JsonInit {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

const ANYTHING = z.looseObject({})

const WORLD_HINT = ' Send the world as JSON: `certify mock init world.json` writes an example.'
