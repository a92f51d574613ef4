import { afterEach, expect, test } from 'vitest'
import { fromJSONSchema } from 'zod'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import { invite, QUIZ } from './calls.ts'

const opened: MockServer[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((mock) => mock.close()))
})

async function serving(options: object = {}) {
  const mock = createMockServer()
  opened.push(mock)
  const { url } = await mock.listen(options)
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

test('over HTTP a world is replaced whole, and its identifier is another one', async () => {
  const { mock, ask } = await serving()
  await invite(mock)
  const before = (await ask('GET /__mock/world')).body
  const candidates = [{ email: 'ada@example.com', attempts: [{ quizId: QUIZ }] }]
  const replaced = await ask('PUT /__mock/world', { candidates, behaviour: { errorStatus: 400 } })
  expect(replaced).toEqual({ status: 200, body: { worldId: mock.worldId } })
  expect((await ask('GET /__mock/world')).body).toEqual(replaced.body)
  expect(replaced.body).not.toEqual(before)
  expect((await ask('GET /__mock/health')).body).toMatchObject({ invites: 0 })
  expect((await ask('GET /__mock/candidates/ada@example.com')).body).toMatchObject({ attempts: [{ quizId: QUIZ }] })
  expect((await ask('GET /__mock/behaviour')).body).toMatchObject({ errorStatus: 400, pendingInvite: 'allow' })
})

test('a world in YAML is refused, with the way to one in JSON and without a word of it', async () => {
  const { ask } = await serving()
  const { status, body } = await ask('PUT /__mock/world', '# ada@example.com\ntracks: []\n')
  const message = 'The body is not JSON. Send the world as JSON: `certify mock init world.json` writes an example.'
  expect([status, body]).toEqual([400, { error: { code: 'BAD_REQUEST', message } }])
})

test('another body that is not JSON is refused without a word of it', async () => {
  const { ask } = await serving()
  const { status, body } = await ask('POST /__mock/clock/advance', 'ada@example.com')
  expect([status, body]).toEqual([400, { error: { code: 'BAD_REQUEST', message: 'The body is not JSON.' } }])
})

test('a world that is wrong is answered with all its problems, and the old one stays', async () => {
  const { mock, ask } = await serving()
  await invite(mock)
  const before = mock.worldId
  const wrong = { candidates: [{ email: 'ada', attempts: [{ quizId: 'quiz_react_beginner_stat' }] }] }
  const { status, body } = await ask('PUT /__mock/world', wrong)
  expect([status, mock.worldId, mock.invites.length]).toEqual([400, before, 1])
  expect(body).toMatchObject({
    error: {
      code: 'BAD_REQUEST',
      message: expect.stringMatching(/^This world is not valid:\n- candidates/),
      problems: [
        { path: 'candidates[0].email', message: expect.stringContaining('no valid e-mail') },
        { path: 'candidates[0].attempts[0].quizId', message: expect.stringContaining(`Did you mean ${QUIZ}?`) },
      ],
    },
  })
})

test('a snapshot and a world are told apart', async () => {
  const { ask } = await serving()
  const state = (await ask('GET /__mock/state')).body
  expect((await ask('PUT /__mock/world', state)).body).toMatchObject({
    error: { message: expect.stringContaining('PUT /__mock/state') },
  })
  expect((await ask('PUT /__mock/state', { tracks: [] })).body).toMatchObject({
    error: { message: expect.stringContaining('PUT /__mock/world') },
  })
})

test('switches are read and changed one by one, and a wrong one changes nothing', async () => {
  const { mock, ask } = await serving()
  const shown = (await ask('GET /__mock/behaviour')).body
  expect(mock.behaviour).toMatchObject({ ...Object(shown) })
  const rateLimit = { requests: 10, per: '1m' }
  const changed = await ask('PATCH /__mock/behaviour', { pendingInvite: 'refuse', rateLimit })
  expect(changed).toEqual({ status: 200, body: { ...shown, pendingInvite: 'refuse', rateLimit } })
  const wrong = await ask('PATCH /__mock/behaviour', { pendingInvite: 'allow', pending: 'allow' })
  expect(wrong).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringMatching(/behaviour has no pending\. Did you mean pendingInvite\?$/) } },
  })
  expect((await ask('GET /__mock/behaviour')).body).toEqual(changed.body)
  expect((await ask('POST /__mock/reset', {})).status).toBe(200)
  expect((await ask('GET /__mock/behaviour')).body).toEqual(shown)
})

test('a session has a world and switches of its own, by its path', async () => {
  const { mock, ask } = await serving()
  const session = mock.openSession({ id: 'worker-1' })
  const apiKeys = [{ name: 'mine', key: 'ck_mine', scopes: [] }]
  const { body } = await ask('PUT /s/worker-1/__mock/world', { candidates: [], apiKeys })
  expect(body).toEqual({ worldId: session.worldId })
  expect((await ask('GET /s/worker-1/__mock/keys')).body).toMatchObject({ apiKeys: [{ key: 'ck_mine_worker-1' }] })
  await ask('PATCH /s/worker-1/__mock/behaviour', { pendingInvite: 'refuse' })
  expect([session.behaviour.pendingInvite, mock.behaviour.pendingInvite]).toEqual(['refuse', 'allow'])
  expect((await ask('GET /s/worker-1/__mock/behaviour')).body).toMatchObject({ pendingInvite: 'refuse' })
  expect(mock.apiKeys).toHaveLength(4)
})

test('the schema of a world takes what a mock takes, and lists every setting', async () => {
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
    { behaviour: { followUpOffer: 'never' } },
    { behaviour: { rateLimit: { requests: 1 } } },
    { quizzes: [{ ...quizzes[0], level: 'GURU' }] },
    { quizzes: [{ ...quizzes[0], durationMinutes: 0.5 }] },
    { apiKeys: [{ name: 'a', key: 'b', scopes: ['ADMIN'] }] },
  ]) {
    expect(accepts(wrong)).toBe(false)
  }
})

test.each(['PUT /__mock/world', 'PATCH /__mock/behaviour', 'POST /__mock/reset'])(
  '%s with a body of another type is refused: pages may send it to anybody',
  async (way) => {
    const { mock, ask } = await serving()
    mock.faults.add({ fault: 503 })
    const before = mock.worldId
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', '']) {
      expect(await ask(way, '{"errorStatus":400}', { 'content-type': type })).toMatchObject({
        status: 415,
        body: { error: { code: 'JSON_NEEDED', message: expect.stringContaining(way.split(' ')[0] ?? '') } },
      })
    }
    expect([mock.worldId, mock.behaviour.errorStatus, mock.faults.list().length]).toEqual([before, 200, 1])
  },
)

test('no foreign page, and nobody without the token, replaces a world or changes a switch', async () => {
  const { mock, ask } = await serving({ controlToken: 'opensesame' })
  const before = mock.worldId
  for (const way of ['PUT /__mock/world', 'PATCH /__mock/behaviour']) {
    expect((await ask(way, {})).status).toBe(401)
    const foreign = { authorization: 'Bearer opensesame', origin: 'https://evil.example' }
    expect((await ask(way, {}, foreign)).status).toBe(403)
  }
  expect(mock.worldId).toBe(before)
  expect((await ask('GET /__mock/world')).body).toEqual({ worldId: before })
  expect((await ask('PATCH /__mock/behaviour', {}, { authorization: 'Bearer opensesame' })).status).toBe(200)
})

test('without a control API a world is only identified', async () => {
  const { mock, ask } = await serving({ control: false })
  expect((await ask('GET /__mock/world')).body).toEqual({ worldId: mock.worldId })
  expect((await ask('PUT /__mock/world', {})).status).toBe(404)
  expect((await ask('PATCH /__mock/behaviour', {})).status).toBe(404)
})

test('a world and a state may be larger than a request of the service, and nothing else', async () => {
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
