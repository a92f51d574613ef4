import { beforeEach, describe, expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { answerOf, callOf, documentOf, type Listed, operationsOf, schemaIn, worldToCall } from './control-document.ts'

/* The document of the control API is true: every operation is called as it says, and answers as it says. */

const document = await documentOf(createMockServer())
const operations = operationsOf(document)

let world: Awaited<ReturnType<typeof worldToCall>>

beforeEach(async () => {
  world = await worldToCall()
})

test('the document is of OpenAPI 3.1, says where the API is, and names each operation once', () => {
  const { baseUrl } = createMockServer()
  expect(document.openapi).toBe('3.1.0')
  expect(document.servers.map(({ url }) => url)).toEqual([`${baseUrl}/__mock`, `${baseUrl}/s/{sessionId}/__mock`])
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
  expect(operations.length).toBeGreaterThan(35)
})

test('the document of a session says where the API of the session is', async () => {
  const { servers } = await documentOf(createMockServer().openSession({ id: 'worker-1' }))
  expect(servers.map(({ url }) => url)).toEqual([`${createMockServer().baseUrl}/s/worker-1/__mock`])
})

test.each(operations)('$way has a part, a summary, and a description of each parameter', ({ operation }) => {
  expect(operation.tags).toHaveLength(1)
  expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0])
  expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
  for (const { description } of operation.parameters) expect(description).toMatch(/^[A-Z].*\.$/)
})

const isStream = ({ path }: Listed): boolean => path === '/events'

test.each(operations.filter((each) => !isStream(each)))('$way answers as the document says', async (each) => {
  const response = await callOf(each, world)
  const text = await response.text()
  const said = answerOf(document, each, response.status)
  expect([response.status, said]).toEqual([response.status, expect.any(Object)])
  expect(response.ok).toBe(true)
  const schema = said?.content?.['application/json']?.schema
  const answer = text === '' ? undefined : (JSON.parse(text) as unknown)
  expect(schemaIn(document, schema ?? { not: {} }).safeParse(answer).success).toBe(schema !== undefined)
  expect(text === '').toBe(schema === undefined)
})

test.each(operations.filter(isStream))('$way streams events, as the document says', async (each) => {
  const response = await callOf(each, world)
  await response.body?.cancel()
  const [type = ''] = Object.keys(answerOf(document, each, response.status)?.content ?? {})
  expect(response.headers.get('content-type')).toMatch(type)
  expect(type).toBe('text/event-stream')
})

/** Expects one error, with a status and a code that the document has for this operation. */
async function expectError(each: Listed, response: Response, status: number): Promise<void> {
  const error: unknown = await response.json()
  const isOfWorld = each.way === 'PUT /world'
  const problems = { problems: expect.arrayContaining([{ path: expect.any(String), message: expect.any(String) }]) }
  expect([response.status, error]).toEqual([
    status,
    { error: { code: expect.any(String), message: expect.any(String), ...(isOfWorld && problems) } },
  ])
  const { schema } = answerOf(document, each, status)?.content?.['application/json'] ?? {}
  expect(schemaIn(document, schema ?? { not: {} }).safeParse(error).error).toBeUndefined()
}

const bodyOf = ({ operation }: Listed) => operation.requestBody?.content['application/json']
const withBody = operations.filter((each) => bodyOf(each) && bodyOf(each)?.schema.maxProperties !== 0)

test('every write has a body in the document, so that generated clients send its type: without it they get 415', () => {
  const writes = operations.filter(({ method }) => ['post', 'put', 'patch'].includes(method))
  expect(writes.filter((each) => !bodyOf(each))).toEqual([])
})

test.each(withBody)(
  '$way takes what the document has as an example, and says what is wrong with another body',
  async (each) => {
    const { schema, example } = each.operation.requestBody?.content['application/json'] ?? {}
    const accepts = schemaIn(document, schema ?? {})
    expect(accepts.safeParse(example ?? world.mock.snapshot()).error).toBeUndefined()
    const wrong = { quizId: 7, kind: 'party', by: 'soon', frozen: 'yes', id: 7, fault: 'flood', format: 'zip' }
    expect(accepts.safeParse(wrong).success).toBe(false)
    await expectError(each, await callOf(each, world, wrong), 400)
  },
)

/* The identifier of any candidate is valid, so that path has no 404. */
const ofOneRow = operations.filter(({ path }) => path.includes('{') && !path.includes('{email}'))

test.each(ofOneRow)('$way says that there is no such row, as the document says', async (each) => {
  await expectError(each, await callOf(each, { ...world, names: {} }), 404)
})

/* Who asks for the identifier of the world always gets it. */
const strict = operations.filter(({ way }) => way !== 'GET /world')

test.each(strict)('$way has no parameter but those in the document', async (each) => {
  const target = each.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => world.names[name] ?? '')
  const response = await world.mock.fetch(`${world.mock.baseUrl}/__mock${target}?nonsense=1`, {
    method: each.method.toUpperCase(),
    headers: { 'content-type': 'application/json' },
  })
  await expectError({ ...each, way: '' }, response, 400)
})

const waits = operations.filter(({ path }) => path.endsWith('/wait'))

test.each(waits)('$way has its errors in the document', async (each) => {
  const get = (query: string) => world.mock.fetch(`${world.mock.baseUrl}/__mock${each.path}?${query}`)
  await expectError(each, await get('timeout=1'), 400)
  await expectError(each, await get(`after=${each.path.startsWith('/requests') ? 999 : 'nothing'}`), 404)
  world.mock.reset()
  await expectError(each, await get('timeoutMs=0'), 504)
})

test('what a rule forbids a candidate has its code in the document', async () => {
  const act = async (name: string, wanted: number) => {
    const each = operations.find(({ path }) => path.endsWith(name))
    if (each)
      await expectError(
        each,
        await callOf(each, { ...world, names: { ...world.names, inviteId: world.names['failed'] ?? '' } }),
        wanted,
      )
  }
  for (const name of ['/start', '/pass', '/fail', '/abandon']) await act(name, 409)
  world.mock.open(world.names['failed'] ?? '').claim('retake')
  await act('/claim', 409)
})

describe('the schema of a rule', () => {
  const { schema } = document.paths['/faults']?.['post']?.requestBody?.content['application/json'] ?? {}
  const accepts = (rule: unknown): boolean => schemaIn(document, schema ?? {}).safeParse(rule).success

  test.each([
    { fault: 503 },
    { fault: { status: 429, headers: { 'retry-after': '2' } }, times: null },
    { script: [503, 'ok', 'cut', { delayMs: 50 }, { code: 'A', data: 'result' }] },
    { event: 'any', fault: { delay: '30s' }, probability: 0.5 },
  ])('allows %j', (rule) => {
    expect(accepts(rule)).toBe(true)
  })

  test.each([
    { fault: 'flood' },
    { fault: 600 },
    { fault: 503, times: 0 },
    { fault: 503, chance: 1 },
    { event: 'any', fault: 'cut' },
  ])('does not allow %j', (rule) => {
    expect(accepts(rule)).toBe(false)
  })
})
