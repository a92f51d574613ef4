import { expect, onTestFinished, test, vi } from 'vitest'
import { createMockServer, type FaultRule, type MockServer } from '../../mock-server/index.ts'
import { ask, askAs, CREATE, INES, invite, invitePackage, post, QUIZ, TRACKS } from './calls.ts'

const NOW = '2030-03-01T09:30:00.000Z'

test('a request is logged with its time, key, operations, body and response', async () => {
  const mock = createMockServer({ now: NOW })
  const { inviteId } = await invite(mock)
  const [entry, ...more] = mock.requestLog.list()
  expect(entry).toEqual({
    number: 1,
    at: NOW,
    method: 'POST',
    target: '/api/developer/graphql',
    key: 'full',
    operations: ['developerCreateCertificationInvite'],
    email: INES.email,
    code: null,
    reason: null,
    body: JSON.stringify({ query: CREATE, variables: { input: { quizId: QUIZ, candidate: INES } } }),
    status: 200,
    response: expect.stringContaining(inviteId),
    headers: { 'content-type': 'application/json', 'x-api-key': '[key full]' },
    reference: null,
    createdInviteIds: [inviteId],
    faulty: false,
    faultId: null,
    faultPhase: null,
  })
  expect(more).toEqual([])
})

test('the question for the world, which a client asks before each create, is not logged', async () => {
  const mock = createMockServer()
  await mock.fetch(`${mock.baseUrl}/__mock/world`)
  await mock.fetch(`${mock.baseUrl}/nowhere`)
  expect(mock.requestLog.list().map(({ number, target }) => [number, target])).toEqual([[1, '/nowhere']])
})

test('the request log contains no key of the world, wherever it was sent', async () => {
  const mock = createMockServer()
  await ask(mock, TRACKS, { search: mock.apiKey })
  await mock.fetch(`${mock.endpoint}?key=${mock.apiKey}`)
  const entries = mock.requestLog.list()
  expect(JSON.stringify(entries)).not.toContain(mock.apiKey)
  expect(entries.map(({ target, body }) => `${target} ${body}`)).toEqual([
    expect.stringContaining('[key full]'),
    expect.stringContaining('key=[key full]'),
  ])
})

test('a request whose response a fault withheld or replaced is marked', async () => {
  const mock = createMockServer()
  mock.faults.add({ script: ['cut', 503] })
  await invite(mock).catch(() => {})
  await invite(mock).catch(() => {})
  expect(mock.requestLog.list()).toMatchObject([
    { faulty: true, status: null, response: null },
    { faulty: true, status: 503 },
  ])
})

test.each<[FaultRule, string, created: number]>([
  [{ phase: 'after', fault: 'cut' }, 'after', 1],
  [{ fault: 'cut' }, 'before', 0],
  [{ phase: 'after', fault: 503 }, 'after', 1],
  [{ fault: { delayMs: 0 } }, 'after', 1],
])('the log knows which fault hit a request, when, and what was created: %j', async (rule, faultPhase, created) => {
  const mock = createMockServer()
  const { id } = mock.faults.add(rule)
  await invite(mock).catch(() => {})
  const [entry] = mock.requestLog.list()
  expect(entry).toMatchObject({ faultId: id, faultPhase })
  expect(entry?.createdInviteIds).toEqual(mock.invites.map(({ inviteId }) => inviteId))
  expect(mock.invites).toHaveLength(created)
})

test('a magic address is the fault, an open invite that is returned was not created, and a package creates several', async () => {
  const mock = createMockServer({ behaviour: { pendingInvite: 'return-existing' } })
  const magic = { email: 'cut-after@candidate.test' }
  await invite(mock, { candidate: magic }).catch(() => {})
  await invite(mock)
  await invite(mock)
  await invitePackage(mock)
  const rows = mock.requestLog.list()
  expect(rows.map(({ createdInviteIds }) => createdInviteIds.length)).toEqual([1, 1, 0, 2])
  expect(rows[0]).toMatchObject({ faultId: magic.email, faultPhase: 'after' })
})

test.each([
  ['x-api-key', (mock: MockServer) => mock.apiKey, '[key full]'],
  ['x-api-key', () => 'ck_of_somebody', '(hidden)'],
  [
    'authorization',
    (mock: MockServer) => mock.adminSession.headers['authorization'],
    'Bearer [key of the admin session]',
  ],
  ['authorization', () => 'Basic c2VjcmV0', '(hidden)'],
  ['cookie', () => 'session=secret', '(hidden)'],
  ['x-vault-token', () => 'secret', '(hidden)'],
  ['referer', (mock: MockServer) => `https://a.example/?k=${mock.apiKey}`, 'https://a.example/?k=[key full]'],
  ['traceparent', () => '00-4bf9-00f0-01', '00-4bf9-00f0-01'],
])('the header %s is logged without a secret', async (name, valueIn, shown) => {
  const mock = createMockServer()
  const reference = { 'x-client-reference': 'hire-4711' }
  await mock.fetch(mock.endpoint, { headers: { [name]: valueIn(mock) ?? '', ...reference } })
  expect(mock.requestLog.list()).toMatchObject([{ reference: 'hire-4711', headers: { [name]: shown, ...reference } }])
})

test('clearing the request log keeps its numbering; reset restarts it', async () => {
  const mock = createMockServer()
  for (let count = 0; count < 1001; count += 1) await mock.fetch(mock.endpoint)
  mock.requestLog.clear()
  for (let count = 0; count < 1001; count += 1) await mock.fetch(mock.endpoint)
  expect(mock.requestLog.list().map(({ number }) => number)).toEqual(
    Array.from({ length: 1000 }, (_, index) => index + 1003),
  )
  mock.reset()
  await mock.fetch(mock.endpoint)
  expect(mock.requestLog.list()).toMatchObject([{ number: 1 }])
  expect(mock.requestLog.dropped).toBe(0)
})

test('the request log keeps only the beginning of a long body', async () => {
  const mock = createMockServer()
  const body = JSON.stringify({ query: TRACKS, variables: { search: 'x'.repeat(20_000) } })
  await post(mock, body)
  await post(mock, 'x'.repeat(2 ** 20 + 1))
  expect(mock.requestLog.list().map((entry) => entry.body)).toEqual([body.slice(0, 16_384), null])
})

test('a key never shows in the request log: cut off at the limit, percent-encoded, or a prefix of another key', async () => {
  const keys = ['ck_a', 'ck_a_longer', 'ck b/c'].map((key) => ({ name: `key of ${key.length}`, key, scopes: [] }))
  const mock = createMockServer({ world: { apiKeys: keys } })
  for (const { key } of keys) await mock.fetch(`${mock.baseUrl}/x?${encodeURIComponent(key)}`)
  await mock.fetch(mock.endpoint, { method: 'POST', body: `${'x'.repeat(16_380)}ck_a_longer` })
  const session = mock.adminSession.headers['authorization']?.slice('Bearer '.length) ?? ''
  await mock.fetch(mock.endpoint, { method: 'POST', body: session })
  const told = JSON.stringify(mock.requestLog.list())
  for (const secret of ['ck_a', '_longer', 'ck%20b', 'ck b', session]) expect(told).not.toContain(secret)
})

test('after load, requests are listed under the new key names, and old and new keys are hidden', async () => {
  const mock = createMockServer()
  const { apiKey: old } = mock
  mock.load({ apiKeys: [{ name: 'baker', key: 'ck_baker', scopes: ['CERTIFICATION_PACKAGE_READ'] }] })
  await askAs(mock, { 'x-api-key': 'ck_baker' }, TRACKS, { search: `ck_baker ${old}` })
  const [entry] = mock.requestLog.list()
  expect(entry).toMatchObject({ key: 'baker', body: expect.stringContaining('[key baker] [key full]') })
})

test('a request that crashes in the mock is logged with its 500', async () => {
  const mock = createMockServer()
  const { challengeUrl } = await invite(mock)
  const broken = vi.spyOn(Date, 'now').mockImplementationOnce(() => {
    throw new Error('my own')
  })
  onTestFinished(() => broken.mockRestore())
  expect((await mock.fetch(challengeUrl)).status).toBe(500)
  expect(mock.requestLog.list().at(-1)).toMatchObject({ status: 500, faulty: false })
})
