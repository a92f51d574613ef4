import { fromJSONSchema } from 'zod'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import { invite } from './calls.ts'

/* The OpenAPI document of the control API, and a world in which each of its operations can be called. */

export interface Document {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, Answer>>
  }
}

export interface Described {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description: string
  readonly schema: JsonSchema & { readonly default?: number | boolean }
}

interface Answer {
  readonly description: string
  readonly content?: Content
}

export interface Content {
  readonly 'application/json'?: { readonly schema: JsonSchema; readonly example?: unknown }
  readonly 'text/event-stream'?: object
}

export type JsonSchema = Parameters<typeof fromJSONSchema>[0] & object

export async function documentOf(mock: MockServer): Promise<Document> {
  return (await (await mock.fetch(`${mock.baseUrl}/__mock/openapi.json`)).json()) as Document
}

/** One operation of a document. */
export interface Listed {
  readonly way: string
  readonly path: string
  readonly method: string
  readonly operation: Described
}

export function operationsOf(document: Document): Listed[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      way: `${method.toUpperCase()} ${path}`,
      path,
      method,
      operation,
    })),
  )
}

/** The response with this status, as an operation describes it. */
export function answerOf(document: Document, { operation }: Listed, status: number): Answer | undefined {
  const answer = operation.responses[String(status)]
  return answer && '$ref' in answer
    ? document.components.responses[answer.$ref.replace('#/components/responses/', '')]
    : answer
}

/** A validator for a schema of the document, which may refer to named schemas. */
export function schemaIn({ components }: Document, schema: JsonSchema): ReturnType<typeof fromJSONSchema> {
  const whole = JSON.stringify({ ...schema, $defs: components.schemas })
  return fromJSONSchema(JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')) as JsonSchema)
}

/** A world in which every operation succeeds, and its path parameters. */
export async function worldToCall(): Promise<{ mock: MockServer; names: Record<string, string> }> {
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z', callbacks: { deliver: () => new Response() } })
  const callbackUrl = 'https://app.example/hook'
  const { inviteId } = await invite(mock, { callbackUrl })
  const { inviteId: failed } = await invite(mock, { candidate: { email: 'grace@example.com' }, callbackUrl })
  mock.open(failed).fail()
  await mock.settle()
  const { id: faultId } = mock.faults.add({ fault: 503, times: Number.POSITIVE_INFINITY })
  mock.openSession({ id: 'open' })
  const eventId = mock.callbacks.list()[0]?.id ?? ''
  const quizId = mock.quizzes[0]?.id ?? ''
  return {
    mock,
    names: { inviteId, failed, faultId, eventId, sessionId: 'open', email: 'ada@example.com', quizId },
  }
}

/** Calls an operation as the document says: with its defaults and its example, or with a custom body. */
export function callOf(
  { path, method, operation }: Listed,
  { mock, names }: { mock: MockServer; names: Record<string, string> },
  own?: unknown,
): Promise<Response> {
  const { parameters, requestBody } = operation
  const nameOf = (name: string): string => names[path.endsWith('/claim') ? 'failed' : name] ?? 'nothing'
  const query = new URLSearchParams(
    parameters.flatMap(({ name, schema }): [string, string][] =>
      schema.default === undefined ? [] : [[name, String(schema.default)]],
    ),
  )
  const body = own ?? requestBody?.content['application/json']?.example ?? (path === '/state' ? mock.snapshot() : {})
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => nameOf(name))
  return mock.fetch(`${mock.baseUrl}/__mock${target}?${query.toString()}`, {
    method: method.toUpperCase(),
    headers: { 'content-type': 'application/json' },
    ...(!['get', 'delete'].includes(method) && { body: JSON.stringify(body) }),
  })
}
