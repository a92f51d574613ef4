import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import type { MockServer } from '../contract/mock-server.ts'
import { checked } from '../schemas/messages.ts'
import { errorAnswer, refuse } from './control-errors.ts'
import type { SiteEnv } from './env.ts'
import { mockOperations } from './mock-operations.ts'
import { openApiOf } from './openapi.ts'
import type { Operation } from './operation.ts'
import { trafficOperations } from './traffic-operations.ts'
import { worldOperations } from './world-operations.ts'

/** The control API: what a tester does to a mock, as JSON over HTTP, for every language. */
export function controlOf(mock: MockServer): Hono<SiteEnv> {
  const operations = [...mockOperations(mock), ...worldOperations(mock), ...trafficOperations(mock)]
  const app = new Hono<SiteEnv>()
    .onError((error, c) => {
      const { status, code, message } = errorAnswer(error)
      return c.json({ error: { code, message } }, status)
    })
    .use(async (c, next) => {
      const isWrite = c.req.method === 'POST' || c.req.method === 'PUT'
      if (isWrite && !/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
        // No page can send this type to another origin unasked, which is half of the guard against them.
        refuse(415, 'JSON_NEEDED', 'Send POST and PUT with content-type: application/json.')
      }
      if (isWrite && c.env.isUnread) refuse(413, 'UNREADABLE', 'The body is too large, or not UTF-8.')
      await next()
    })
    .get('/openapi.json', (c) => c.json(openApiOf(operations, c.env.base)))
  for (const operation of operations) {
    const [method = '', path = ''] = operation.way.split(' ')
    app.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), (c) => answered(operation, c))
  }
  return app.all('*', (c) => {
    const message = `There is no ${c.req.method} ${c.req.path} in the control API: /__mock/openapi.json lists what there is.`
    return c.json({ error: { code: 'NOT_FOUND', message } }, 404)
  })
}

async function answered({ body, answer, run }: Operation, c: Context<SiteEnv>): Promise<Response> {
  const { base, signal } = c.env
  const result = await run({
    base,
    signal,
    param: (name) => c.req.param(name) ?? '',
    query: c.req.query(),
    body: body && checked(body.schema, await bodyOf(c), 'The body cannot be used'),
  })
  if (result instanceof Response) return result
  return answer ? Response.json(result, { status: answer.status ?? 200 }) : new Response(null, { status: 204 })
}

/** The JSON object in the body of a request; an empty one where there is no body. */
async function bodyOf(c: Context<SiteEnv>): Promise<unknown> {
  const text = await c.req.text()
  if (text === '') return {}
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (error) {
    return refuse(400, 'BAD_REQUEST', error instanceof Error ? error.message : String(error))
  }
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  return isObject ? body : refuse(400, 'BAD_REQUEST', 'The body has to be a JSON object.')
}
