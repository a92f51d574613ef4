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
import { openApiOf, type Part } from './openapi.ts'
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
  const partsNow = (): Part[] =>
    PARTS.map(({ of, ...part }) => ({
      ...part,
      operations: of.flatMap((operationsOf) => operationsOf(mock, internals)),
    }))
  const app = new Hono<SiteEnv>()
    .onError((error) => {
      const { status, ...facts } = responseToError(error)
      return json({ error: facts }, { status })
    })
    .use(jsonOnly)
    .get('/openapi.json', (c) => json(openApiOf(partsNow(), c.env.base)))
  for (const operation of partsNow().flatMap(({ operations }) => operations)) {
    const [method = '', path = ''] = operation.route.split(' ')
    app.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), (c) => respond(operation, c))
  }
  return app.all('*', (c) => {
    const message = `There is no ${c.req.method} ${c.req.path} in the control API: ${CONTROL_PATH}/openapi.json lists its operations.`
    return json({ error: { code: 'NOT_FOUND', message } }, { status: 404 })
  })
}

/** The parts of the control API, with the operations of each. */
const PARTS: readonly (Omit<Part, 'operations'> & {
  readonly of: readonly ((mock: MockServer, internals: Internals) => Operation[])[]
})[] = [
  {
    name: 'World',
    description: 'The world as a whole: its data, its switches and its state.',
    of: [stateOperations, worldOperations],
  },
  { name: 'Clock', description: 'The clock of the world.', of: [clockOperations] },
  { name: 'Sessions', description: 'Other worlds behind the same URL, and the keys.', of: [sessionOperations] },
  { name: 'Invites', description: 'Invites, and what their candidates do.', of: [inviteOperations, createOperations] },
  { name: 'Candidates', description: 'Candidates, with or without an invite.', of: [candidateOperations] },
  { name: 'Outbox', description: 'The e-mails that the service would have sent.', of: [outboxOperations] },
  { name: 'Catalogue', description: 'Tracks and quizzes.', of: [catalogueOperations] },
  { name: 'Callbacks', description: 'The events that are sent to callback URLs.', of: [callbackOperations] },
  { name: 'Faults', description: 'Failures of requests and deliveries.', of: [faultOperations] },
  { name: 'Requests', description: 'The request log.', of: [requestOperations] },
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
