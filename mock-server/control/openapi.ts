import * as z from 'zod/mini'
import { CONTROL_PATH } from '../contract/paths.ts'
import { jsonSchemaOf } from '../schemas/json-schema.ts'
import { type Operation, QUERY } from './operation.ts'

/** The control API as an OpenAPI 3.1 document, made from the schemas that check its requests. */
export function openApiOf(operations: readonly Operation[], base: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const [method = '', path = ''] = operation.route.split(' ')
    paths[path] = { ...paths[path], [method.toLowerCase()]: documentOf(operation, method.toLowerCase(), path) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'The control API of certify mock', version: '1' },
    servers: [{ url: base + CONTROL_PATH }],
    security: [{}, { token: [] }],
    paths,
    components: { schemas: { Error: jsonSchemaOf(error, 'output') }, securitySchemes: { token: TOKEN } },
  }
}

const TOKEN = { type: 'http', scheme: 'bearer', description: 'Where the mock was started with a control token.' }

const problem = z.object({ path: z.string(), message: z.string() })

const error = z.object({
  error: z.object({ code: z.string(), message: z.string(), problems: z.optional(z.array(problem)) }),
})

function documentOf(operation: Operation, method: string, path: string): object {
  const { summary, query = [], body, documented = body, example } = operation
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const requestBody = documented && {
    required: true,
    content: json(jsonSchemaOf(documented, 'input'), example === undefined ? {} : { example }),
  }
  return {
    operationId:
      method + path.replaceAll(/[^A-Za-z]+(\w)?/g, (_, letter: string | undefined) => letter?.toUpperCase() ?? ''),
    summary,
    parameters: [...inPath, ...query.map((name) => ({ name, in: 'query', ...QUERY[name] }))],
    ...(requestBody && { requestBody }),
    responses: {
      ...successOf(operation),
      default: { description: 'An error.', content: json({ $ref: '#/components/schemas/Error' }) },
    },
  }
}

function successOf({ route, summary: description, result, status = 200 }: Operation): object {
  if (route === 'GET /events') return { 200: { description, content: { 'text/event-stream': {} } } }
  if (!result) return { 204: { description: 'Done.' } }
  return { [status]: { description, content: json(jsonSchemaOf(result, 'output')) } }
}

function json(schema: object, more: object = {}): object {
  return { 'application/json': { schema, ...more } }
}
