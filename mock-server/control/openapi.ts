import * as z from 'zod/mini'
import { CONTROL_PATH } from '../contract/paths.ts'
import { NAMED_RESULTS } from '../contract/rows.ts'
import { jsonSchemaOf } from '../contract/validation.ts'
import { ERRORS, type ErrorCode } from './control-errors.ts'
import type { Operation } from './operation.ts'

/** A part of the control API. */
export interface Part {
  readonly name: string
  readonly description: string
  readonly operations: readonly Operation[]
}

/** The control API as an OpenAPI 3.1 document, made from the schemas that check its requests. */
export function openApiOf(parts: readonly Part[], base: string): object {
  const paths: Record<string, Record<string, object>> = {}
  const errors: Record<string, object> = {}
  for (const { name, operations } of parts) {
    for (const operation of operations) {
      const [method = '', path = ''] = operation.route.split(' ')
      const verb = method.toLowerCase()
      paths[path] = { ...paths[path], [verb]: { tags: [name], ...documentOf(operation, verb, path) } }
      for (const codes of errorsOf(operation)) errors[nameOf(codes)] = errorResponse(codes)
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'The control API of certify mock',
      version: '1',
      summary: 'What a test does to a mock of the certification service.',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: serversAt(base),
    security: [{}, { token: [] }],
    tags: parts.map(({ name, description }) => ({ name, description })),
    paths,
    components: { schemas: namedSchemas(), responses: errors, securitySchemes: { token: TOKEN } },
  }
}

const DESCRIPTION =
  'With the control API, a program in any language controls a mock over HTTP: its world, its clock, its candidates, its ' +
  'callbacks and its failures. Every error has the body `{"error":{"code":"…","message":"…"}}`.'

const TOKEN = { type: 'http', scheme: 'bearer', description: 'If the mock was started with a control token.' }

/** The address of this world, and of the sessions that share it. */
function serversAt(base: string): object[] {
  const here = { url: base + CONTROL_PATH, description: 'This world.' }
  if (/\/s\/[^/]+$/.test(base)) return [here]
  const sessionId = { default: 'worker-1', description: 'The `id` of an open session.' }
  const session = { url: `${base}/s/{sessionId}${CONTROL_PATH}`, description: 'A session.', variables: { sessionId } }
  return [here, session]
}

function documentOf(operation: Operation, method: string, path: string): object {
  const { summary, description, query } = operation
  return {
    operationId:
      method + path.replaceAll(/[^A-Za-z]+(\w)?/g, (_, letter: string | undefined) => letter?.toUpperCase() ?? ''),
    summary,
    ...(description !== undefined && { description }),
    parameters: [...inPath(path), ...Object.entries(query?.shape ?? {}).map(inQuery)],
    ...bodyOf(operation),
    responses: {
      ...successOf(operation),
      ...Object.fromEntries(
        errorsOf(operation).map((codes) => [
          ERRORS[codes[0]].status,
          { $ref: `#/components/responses/${nameOf(codes)}` },
        ]),
      ),
    },
  }
}

/** The body. A write without one needs an empty object: its content type proves that no page of another origin has sent it. */
function bodyOf({ route, body, example }: Operation): object {
  if (body) {
    const schema = jsonSchema(body, 'input')
    return { requestBody: { required: true, content: json(schema, example === undefined ? {} : { example }) } }
  }
  if (!isWrite(route)) return {}
  const schema = { type: 'object', maxProperties: 0 }
  return { requestBody: { description: 'An empty object.', required: true, content: json(schema, { example: {} }) } }
}

function inPath(path: string): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...PATH_PARAMETERS[name],
    schema: { type: 'string' },
  }))
}

const PATH_PARAMETERS: Readonly<Record<string, object>> = {
  inviteId: { description: 'The `inviteId` of an invite.', example: 'inv_266ge1239nz5a7cm' },
  email: { description: 'The e-mail address of a candidate, known or new.', example: 'ada@example.com' },
  quizId: { description: 'The identifier of a quiz.', example: 'quiz_react_beginner_state' },
  eventId: { description: 'The `id` of a callback.', example: 'evt_p79grjd16v9hde0g' },
  faultId: { description: 'The `id` of a fault rule.', example: 'fault_1' },
  sessionId: { description: 'The `id` of a session.', example: 'worker-1' },
}

function inQuery([name, parameter]: [string, z.core.$ZodType]): object {
  const { description, ...schema } = jsonSchema(parameter, 'input')
  return { name, in: 'query', description, schema }
}

function successOf({ route, summary: description, result, status = 200 }: Operation): object {
  if (route === 'GET /events') {
    return { 200: { description, content: { 'text/event-stream': { schema: { type: 'string' } } } } }
  }
  if (!result) return { 204: { description: 'Done.' } }
  return { [status]: { description, content: json(jsonSchema(result, 'output')) } }
}

/** The codes of the errors of an operation: one list for each status. */
function errorsOf({ route, errors = [] }: Operation): [ErrorCode, ...ErrorCode[]][] {
  const codes = new Set<ErrorCode>([
    ...(['BAD_REQUEST', 'TOKEN_NEEDED', 'HOST_NOT_ALLOWED', 'FOREIGN_ORIGIN'] as const),
    ...(isWrite(route) ? (['UNREADABLE', 'JSON_NEEDED'] as const) : []),
    'INTERNAL_ERROR',
    ...errors,
  ])
  const known = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code))
  const statuses = [...new Set(known.map((code) => ERRORS[code].status))]
  const ofStatus = (status: number): ErrorCode[] => known.filter((code) => ERRORS[code].status === status)
  return statuses.map(ofStatus) as [ErrorCode, ...ErrorCode[]][]
}

function isWrite(route: string): boolean {
  return !/^(GET|DELETE) /.test(route)
}

function errorResponse(codes: readonly [ErrorCode, ...ErrorCode[]]): object {
  const [first] = codes
  const description = codes.map((code) => `\`${code}\`: ${ERRORS[code].description}`).join('\n\n')
  const problems = first === 'BAD_REQUEST' ? { problems: PROBLEMS } : {}
  const schema = z.object({ error: z.looseObject({ code: z.enum(codes), message: z.string(), ...problems }) })
  const example = { error: { code: first, message: ERRORS[first].description } }
  return { description, content: json(jsonSchema(schema, 'output'), { example }) }
}

const PROBLEMS = z
  .optional(z.array(z.object({ path: z.string(), message: z.string() })))
  .check(z.describe('What is wrong with a world, and where.'))

function nameOf(codes: readonly ErrorCode[]): string {
  return codes.join('.')
}

function json(schema: object, more: object = {}): object {
  return { 'application/json': { schema, ...more } }
}

/** The schemas of the results that have names. Elsewhere the document refers to them. */
function namedSchemas(): object {
  return Object.fromEntries(
    Object.entries(NAMED_RESULTS).map(([name, schema]) => [name, jsonSchema(schema, 'output', schema)]),
  )
}

function jsonSchema(schema: z.core.$ZodType, io: 'input' | 'output', itself?: z.core.$ZodType) {
  return jsonSchemaOf(schema, io, ({ zodSchema, jsonSchema: made }) => {
    const [name] = NAMES.find(([, each]) => each === zodSchema && each !== itself) ?? []
    if (name === undefined) return
    for (const key of Object.keys(made)) delete made[key]
    made.$ref = `#/components/schemas/${name}`
  })
}

const NAMES: readonly [string, z.core.$ZodType][] = Object.entries(NAMED_RESULTS)
