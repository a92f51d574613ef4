import { beforeEach, expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { answerOf, callOf, documentOf, type Listed, operationsOf, schemaIn, worldToCall } from './control-document.ts'

/* The OpenAPI document of the control API is true: every operation is called and answers as documented. */

const document = await documentOf(createMockServer())
const operations = operationsOf(document)

let world: Awaited<ReturnType<typeof worldToCall>>

beforeEach(async () => {
  world = await worldToCall()
})

test('the document is OpenAPI 3.1, names the server, and has unique operation ids', () => {
  const { baseUrl } = createMockServer()
  expect(document.openapi).toBe('3.1.0')
  expect(document.servers.map(({ url }) => url)).toEqual([`${baseUrl}/__mock`, `${baseUrl}/s/{sessionId}/__mock`])
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
  expect(operations.length).toBeGreaterThan(35)
})

const isStream = ({ path }: Listed): boolean => path === '/events'

test.each(operations.filter((each) => !isStream(each)))('$way answers as documented', async (each) => {
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

test.each(operations.filter(isStream))('$way streams events, as documented', async (each) => {
  const response = await callOf(each, world)
  await response.body?.cancel()
  const [type = ''] = Object.keys(answerOf(document, each, response.status)?.content ?? {})
  expect(response.headers.get('content-type')).toMatch(type)
  expect(type).toBe('text/event-stream')
})

/** Expects one error, with a status and a code that the document lists for this operation. */
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

test.each(withBody)('$way accepts the documented example, and says what is wrong with another body', async (each) => {
  const { schema, example } = each.operation.requestBody?.content['application/json'] ?? {}
  const accepts = schemaIn(document, schema ?? {})
  expect(accepts.safeParse(example ?? world.mock.snapshot()).error).toBeUndefined()
  const wrong = { quizId: 7, kind: 'party', by: 'soon', frozen: 'yes', id: 7, fault: 'flood', format: 'zip' }
  expect(accepts.safeParse(wrong).success).toBe(false)
  await expectError(each, await callOf(each, world, wrong), 400)
})

/* The address of any candidate is valid, so that path has no 404. */
const ofOneRow = operations.filter(({ path }) => path.includes('{') && !path.includes('{email}'))

test.each(ofOneRow)('$way has a documented 404 for an unknown id', async (each) => {
  await expectError(each, await callOf(each, { ...world, names: {} }), 404)
})

const waits = operations.filter(({ path }) => path.endsWith('/wait'))

test.each(waits)('$way documents its errors', async (each) => {
  const get = (query: string) => world.mock.fetch(`${world.mock.baseUrl}/__mock${each.path}?${query}`)
  await expectError(each, await get('timeout=1'), 400)
  await expectError(each, await get(`after=${each.path.startsWith('/requests') ? 999 : 'nothing'}`), 404)
  world.mock.reset()
  await expectError(each, await get('timeoutMs=0'), 504)
})

test('the code for an action that a rule forbids is documented', async () => {
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
