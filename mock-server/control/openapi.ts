import * as z from 'zod/mini'
import { CONTROL_PATH } from '../contract/paths.ts'
import { type Operation, QUERY } from './operation.ts'

/** The control API as an OpenAPI 3.1 document, made from what the operations themselves are checked by. */
export function openApiOf(operations: readonly Operation[], base: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const [method = '', path = ''] = operation.way.split(' ')
    paths[path] = { ...paths[path], [method.toLowerCase()]: described(operation, method.toLowerCase(), path) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'The control API of certify mock', version: '1' },
    servers: [{ url: base + CONTROL_PATH }],
    security: [{}, { token: [] }],
    paths,
    components: { schemas: { Error: toJson(error, 'output') }, securitySchemes: { token: TOKEN } },
  }
}

const TOKEN = { type: 'http', scheme: 'bearer', description: 'Where the mock was started with a control token.' }

const error = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

function described({ summary, query = [], body, answer }: Operation, method: string, path: string): object {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = query.map((name) => ({ name, in: 'query', ...QUERY[name] }))
  return {
    operationId:
      method + path.replaceAll(/[^A-Za-z]+(\w)?/g, (_, letter: string | undefined) => letter?.toUpperCase() ?? ''),
    summary,
    parameters: [...inPath, ...inQuery],
    ...(body && {
      requestBody: {
        required: true,
        content: json(
          toJson(body.described ?? body.schema, 'input'),
          body.example === undefined ? {} : { example: body.example },
        ),
      },
    }),
    responses: {
      ...(answer && {
        [answer.status ?? 200]: { description: summary, content: json(toJson(answer.schema, 'output')) },
      }),
      ...(!answer && path !== EVENTS && { 204: { description: 'Done.' } }),
      ...(path === EVENTS && { 200: { description: summary, content: { 'text/event-stream': {} } } }),
      default: { description: 'What is wrong.', content: json({ $ref: '#/components/schemas/Error' }) },
    },
  }
}

const EVENTS = '/events'

function json(schema: object, more: object = {}): object {
  return { 'application/json': { schema, ...more } }
}

function toJson(schema: z.ZodMiniType, io: 'input' | 'output'): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: withoutSafeRange })
  return rest
}

/** That a whole number is one that JavaScript can hold exactly says nothing to anybody. */
function withoutSafeRange({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}
