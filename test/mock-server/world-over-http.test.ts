import { expect, onTestFinished, test } from 'vitest'
import { fromJSONSchema } from 'zod'
import { createMockServer } from '../../mock-server/index.ts'
import { QUIZ } from './calls.ts'

async function serving() {
  const mock = createMockServer()
  onTestFinished(() => mock.close())
  const { url } = await mock.listen()
  const ask = async (way: string, body?: unknown, headers: object = {}) => {
    const [method = '', path = ''] = way.split(' ')
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as Record<string, unknown> }
  }
  return { mock, ask }
}

test('a world in YAML is refused without quoting it, and the message says how to get one in JSON', async () => {
  const { ask } = await serving()
  const { status, body } = await ask('PUT /__mock/world', '# ada@example.com\ntracks: []\n')
  const message = 'The body is not JSON. Send the world as JSON: `certify mock init world.json` writes an example.'
  expect([status, body]).toEqual([400, { error: { code: 'BAD_REQUEST', message } }])
})

test('another body that is not JSON is refused without quoting it', async () => {
  const { ask } = await serving()
  const { status, body } = await ask('POST /__mock/clock/advance', 'ada@example.com')
  expect([status, body]).toEqual([400, { error: { code: 'BAD_REQUEST', message: 'The body is not JSON.' } }])
})

test('the schema of a world accepts what a mock accepts, and lists every setting', async () => {
  const { ask } = await serving()
  const schema = (await ask('GET /__mock/world.schema.json')).body
  const accepts = (world: unknown) => fromJSONSchema(schema).safeParse(world).success
  const { quizzes, tracks } = createMockServer()
  const world = { $schema: 'x', quizzes, tracks, candidates: [{ email: 'a@b.c', attempts: [{ quizId: QUIZ }] }] }
  const rateLimit = { requests: 1, per: '1m' }
  expect(accepts({ ...world, behaviour: { rateLimit, callbackRetries: ['1s'], sessionScopes: [] } })).toBe(true)
  for (const wrong of [
    { track: [] },
    { behaviour: { pendingInvite: 'deny' } },
    { behaviour: { followUpOffer: 'once' } },
    { behaviour: { rateLimit: { requests: 1 } } },
    { quizzes: [{ ...quizzes[0], level: 'GURU' }] },
    { quizzes: [{ ...quizzes[0], durationMinutes: 0.5 }] },
    { apiKeys: [{ name: 'a', key: 'b', scopes: ['ADMIN'] }] },
  ]) {
    expect(accepts(wrong)).toBe(false)
  }
})

test('only a world or a state may be larger than a request of the service', async () => {
  const { mock, ask } = await serving()
  const candidates = Array.from({ length: 20_000 }, (_, index) => ({
    email: `candidate-number-${index}@example.com`,
    certifications: [{ quizId: QUIZ }],
  }))
  expect((await ask('PUT /__mock/world', { candidates })).status).toBe(200)
  const state = (await ask('GET /__mock/state')).body
  mock.reset()
  expect((await ask('PUT /__mock/state', state)).status).toBe(200)
  expect(mock.candidate('candidate-number-19999@example.com').certifications).toHaveLength(1)
  expect(await ask('PATCH /__mock/behaviour', { candidates })).toMatchObject({
    status: 413,
    body: { error: { code: 'UNREADABLE' } },
  })
})
