import { beforeEach, describe, expect, test } from 'vitest'
import { fromJSONSchema } from 'zod'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import { invite } from './calls.ts'

/* The document of the control API is true: every operation is called as it says, and answers as it says. */

interface Described {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: JsonSchema }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
interface Content {
  readonly 'application/json'?: { readonly schema: JsonSchema; readonly example?: unknown }
  readonly 'text/event-stream'?: object
}
type JsonSchema = Parameters<typeof fromJSONSchema>[0] & object

interface Document {
  readonly openapi: string
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: { readonly Error: JsonSchema } }
}

async function documentOf(mock: MockServer): Promise<Document> {
  return (await (await mock.fetch(`${mock.baseUrl}/__mock/openapi.json`)).json()) as Document
}

const document = await documentOf(createMockServer())
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    way: `${method.toUpperCase()} ${path}`,
    path,
    method,
    operation,
  })),
)

let mock: MockServer
/** What the parameters of paths can be in this world. */
let names: Record<string, string>

beforeEach(async () => {
  mock = createMockServer({ now: '2030-01-01T00:00:00Z', callbacks: { deliver: () => new Response() } })
  const { inviteId } = await invite(mock, { callbackUrl: 'https://app.example/hook' })
  const { inviteId: failed } = await invite(mock, {
    candidate: { email: 'grace@example.com' },
    callbackUrl: 'https://app.example/hook',
  })
  mock.open(failed).fail()
  await mock.settle()
  const { id: faultId } = mock.faults.add({ fault: 503, times: Number.POSITIVE_INFINITY })
  mock.openSession({ id: 'open' })
  const eventId = mock.callbacks.list()[0]?.id ?? ''
  names = {
    inviteId,
    failed,
    faultId,
    eventId,
    sessionId: 'open',
    email: 'ada@example.com',
    quizId: mock.quizzes[0]?.id ?? '',
  }
})

async function call({ path, method, operation }: (typeof operations)[number], own?: unknown): Promise<Response> {
  const { parameters, requestBody } = operation
  const target = path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => names[path.endsWith('/claim') ? 'failed' : name] ?? '?',
  )
  const query = new URLSearchParams(
    parameters.flatMap(({ name, in: place, schema }) =>
      place === 'query' && 'default' in schema ? [[name, String(schema.default)] as [string, string]] : [],
    ),
  )
  const body = own ?? requestBody?.content['application/json']?.example ?? (path === '/state' ? mock.snapshot() : {})
  const [base = ''] = document.servers.map(({ url }) => url)
  return mock.fetch(`${base}${target}?${query.toString()}`, {
    method: method.toUpperCase(),
    headers: { 'content-type': 'application/json' },
    ...(method !== 'get' && { body: JSON.stringify(body) }),
  })
}

test('the document is of OpenAPI 3.1, says where the API is, and names each operation once', () => {
  expect(document.openapi).toBe('3.1.0')
  expect(document.servers).toEqual([{ url: `${createMockServer().baseUrl}/__mock` }])
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
  expect(operations.length).toBeGreaterThan(35)
})

const isStream = ({ path }: { path: string }): boolean => path === '/events'

test.each(operations.filter((each) => !isStream(each)))('$way answers as the document says', async (each) => {
  const response = await call(each)
  const text = await response.text()
  const said = each.operation.responses[String(response.status)]
  expect([response.status, said]).toEqual([response.status, expect.any(Object)])
  const schema = said?.content?.['application/json']?.schema
  const answer = text === '' ? undefined : (JSON.parse(text) as unknown)
  expect(fromJSONSchema(schema ?? { not: {} }).safeParse(answer).success).toBe(schema !== undefined)
  expect(text === '').toBe(schema === undefined)
})

test.each(operations.filter(isStream))('$way streams events, as the document says', async (each) => {
  const response = await call(each)
  await response.body?.cancel()
  const [type = ''] = Object.keys(each.operation.responses[String(response.status)]?.content ?? {})
  expect(response.headers.get('content-type')).toMatch(type)
  expect(type).toBe('text/event-stream')
})

const withBody = operations.filter(({ operation }) => operation.requestBody)

test.each(withBody)(
  '$way takes what the document has as an example, and says what is wrong with another body',
  async (each) => {
    const { schema, example } = each.operation.requestBody?.content['application/json'] ?? {}
    const accepts = fromJSONSchema(schema ?? {})
    expect(accepts.safeParse(example ?? mock.snapshot()).error).toBeUndefined()
    const wrong = { quizId: 7, kind: 'party', by: 'soon', frozen: 'yes', id: 7, fault: 'flood', format: 'zip' }
    expect(accepts.safeParse(wrong).success).toBe(false)
    const response = await call(each, wrong)
    expect(response.status).toBe(400)
    expect(fromJSONSchema(document.components.schemas.Error).safeParse(await response.json()).error).toBeUndefined()
  },
)

describe('the schema of a rule', () => {
  const { schema } = document.paths['/faults']?.['post']?.requestBody?.content['application/json'] ?? {}
  const accepts = (rule: unknown): boolean => fromJSONSchema(schema ?? {}).safeParse(rule).success

  test.each([
    { fault: 503 },
    { fault: { status: 429, headers: { 'retry-after': '2' } }, times: null },
    { script: [503, 'ok', 'cut', { delayMs: [50, 500] }, { code: 'A', data: 'result' }] },
    { event: 'any', fault: { delay: '30s' }, probability: 0.5 },
  ])('allows %j', (rule) => {
    expect(accepts(rule)).toBe(true)
  })

  test.each([
    { fault: 'flood' },
    { fault: 600 },
    { fault: 503, times: 0 },
    { fault: 503, chance: 1 },
    { fault: 503, key: 'ful' },
    { event: 'any', fault: 'cut' },
  ])('does not allow %j', (rule) => {
    expect(accepts(rule)).toBe(false)
  })
})
