import { expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import type { MockWorld } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { askAs, CREATE, INES, invite, QUIZ, TRACKS } from './calls.ts'

const NOW = '2030-03-01T09:30:00.000Z'
const quiz = {
  id: 'quiz_bread',
  skillName: 'Bread',
  level: 'BEGINNER',
  ready: true,
  durationMinutes: 20,
  enabledLanguages: ['en'],
  conceptsTested: ['Dough'],
} as const
const pack = { id: 'pkg_bread', name: 'Bread', level: 'BEGINNER', description: '', quizIds: ['quiz_bread'] } as const
const BAKERY: MockWorld = {
  quizzes: [quiz],
  tracks: [{ id: 'trk_baking', name: 'Baking', slug: 'baking', packages: [pack] }],
  candidates: [{ email: 'ada@example.com', certifications: [{ quizId: 'quiz_bread' }] }],
  apiKeys: [{ name: 'baker', key: 'ck_baker', scopes: ['CERTIFICATION_PACKAGE_READ', 'CERTIFICATION_INVITE_CREATE'] }],
}
const inBakery = (mock: MockServer, email = INES.email) =>
  askAs(mock, { 'x-api-key': mock.apiKey }, CREATE, { input: { quizId: 'quiz_bread', candidate: { email } } })

/** The problems for which loading a world is refused. */
function problemsOf(load: () => void): unknown {
  try {
    load()
  } catch (error) {
    if (error instanceof Error && 'problems' in error) return error.problems
    throw error
  }
  throw new Error('nothing was refused')
}

test('load replaces the world: its data, its keys, its id, and nothing of the old one is left', async () => {
  const mock = createMockServer({ now: NOW })
  const before = mock.worldId
  await invite(mock)
  mock.faults.add({ fault: 503 })
  await mock.clock.advance('1d')
  mock.load(BAKERY)
  expect(mock.worldId).not.toBe(before)
  expect([mock.invites, mock.outbox, mock.faults.list(), mock.requestLog.list()]).toEqual([[], [], [], []])
  expect(mock.clock.now().toISOString()).toBe(NOW)
  expect([mock.apiKey, mock.apiKeys.map(({ name }) => name)]).toEqual(['ck_baker', ['baker']])
  expect(mock.tracks.map(({ slug }) => slug)).toEqual(['baking'])
  expect((await inBakery(mock, 'ada@example.com')).body?.errors).toHaveLength(1)
  expect((await inBakery(mock)).body?.errors).toBeUndefined()
  const old = await askAs(mock, { 'x-api-key': createMockServer().apiKey }, TRACKS)
  expect(old.body?.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
})

test('reset returns to the world that was loaded last', async () => {
  const mock = createMockServer()
  mock.load(BAKERY)
  await inBakery(mock)
  mock.reset()
  expect(mock.invites).toEqual([])
  expect(mock.quizzes.map(({ id }) => id)).toEqual(['quiz_bread'])
  expect(mock.candidate('ada@example.com').certifications).toHaveLength(1)
})

test('a missing part of a loaded world is the documented one, whatever was loaded before', () => {
  const mock = createMockServer({ world: BAKERY })
  mock.load({})
  const documented = createMockServer()
  expect([mock.quizzes, mock.tracks, mock.apiKeys]).toEqual([documented.quizzes, documented.tracks, documented.apiKeys])
})

test('an invalid world is refused with every problem and its path, and the old world is kept', async () => {
  const mock = createMockServer({ now: NOW })
  await invite(mock)
  const before = [mock.worldId, mock.snapshot(), mock.behaviour]
  const wrong = {
    quizes: [],
    quizzes: [
      { ...quiz, level: 'BEGINER' },
      { ...quiz, id: 7, ready: 'yes', duration: 20 },
    ],
    tracks: [{ id: 'trk', name: 'Track', packages: [{ ...pack, quizIds: ['quiz_bread'] }] }],
    candidates: [{ email: 'ada@example.com', attempts: [{ quizId: 'quiz_bread', startedAt: 'soon' }] }],
    apiKeys: [{ name: 'baker', key: ' ', scopes: ['CERTIFICATION_INVITE_CREAT'] }],
    behaviour: { pendingInvite: 'deny', pendingInvites: 'refuse' },
  }
  const problems = [
    ['quizzes[1].id', 'this must be a string: put it in quotes'],
    ['quizzes[1].ready', 'this must be true or false'],
    ['quizzes[1].duration', 'a quiz has no duration. Did you mean durationMinutes?'],
    ['tracks[0].slug', 'this is missing'],
    ['candidates[0].attempts[0].startedAt', expect.stringMatching(/^soon is not a time/)],
    ['behaviour.pendingInvite', 'this must be allow, refuse, return-existing'],
    ['behaviour.pendingInvites', 'behaviour has no pendingInvites. Did you mean pendingInvite?'],
    ['quizes', 'a world has no quizes. Did you mean quizzes?'],
    ['quizzes[0].level', expect.stringMatching(/^this must be BEGINNER, .* Did you mean BEGINNER\?$/)],
    ['apiKeys[0].key', 'an API key is blank'],
    ['apiKeys[0].scopes[0]', expect.stringMatching(/Did you mean CERTIFICATION_INVITE_CREATE\?$/)],
  ]
  const found = problemsOf(() => mock.load(wrong as unknown as MockWorld))
  expect(found).toHaveLength(problems.length)
  expect(found).toEqual(expect.arrayContaining(problems.map(([path, message]) => ({ path, message }))))
  expect([mock.worldId, mock.snapshot(), mock.behaviour]).toEqual(before)
  await invite(mock)
})

test.each([
  ['no object', 7],
  ['a list', []],
  ['null', null],
  ['a text', 'tracks'],
])('a world that is %s is refused', (_, world) => {
  expect(problemsOf(() => createMockServer().load(world as unknown as MockWorld))).toEqual([
    { path: '', message: 'this must be an object' },
  ])
})

test('one error reports at most fifty problems, and how many more there are', () => {
  const quizzes = Array.from({ length: 60 }, () => ({ ...quiz, level: 'GURU' }))
  const load = () => createMockServer().load({ quizzes } as unknown as MockWorld)
  expect(problemsOf(load)).toHaveLength(50)
  expect(load).toThrow(/\n- and 10 more$/)
})

test('a secret that two API keys share is not quoted', () => {
  const apiKeys = [
    { name: 'a', key: 'ck_secret', scopes: [] },
    { name: 'b', key: 'ck_secret', scopes: [] },
  ]
  expect(problemsOf(() => createMockServer().load({ apiKeys }))).toEqual([
    { path: 'apiKeys[1].key', message: 'API key keys must differ: b has the key of a' },
  ])
})

test('a snapshot is not a world, nor a world a snapshot: each error says what to use', () => {
  const mock = createMockServer()
  expect(() => mock.load(mock.snapshot() as unknown as MockWorld)).toThrow(/a snapshot.*not a world.*--state/)
  expect(() => mock.restore(BAKERY as never)).toThrow(/a world, not a snapshot.*--world/)
})

test('the tracks and quizzes that a mock exposes can be loaded unchanged', () => {
  const [mock, other] = [createMockServer(), createMockServer({ world: BAKERY })]
  other.load({ quizzes: mock.quizzes, tracks: mock.tracks, candidates: [] })
  expect(other.tracks).toEqual(mock.tracks)
})

test('a world may set switches: options override them at the start, and a later load overrides the options', () => {
  const world: MockWorld = { behaviour: { pendingInvite: 'refuse', errorStatus: 400 } }
  const mock = createMockServer({ world, behaviour: { pendingInvite: 'return-existing' } })
  const shown = () => [mock.behaviour.pendingInvite, mock.behaviour.errorStatus]
  expect(shown()).toEqual(['return-existing', 400])
  mock.load(world)
  expect(shown()).toEqual(['refuse', 400])
  mock.setBehaviour({ errorStatus: 200, pendingInvite: 'allow' })
  mock.reset()
  expect(shown()).toEqual(['refuse', 400])
  mock.load({})
  expect(shown()).toEqual(['return-existing', 200])
})

test('restore keeps the switches and the keys of a loaded world', () => {
  const mock = createMockServer()
  const saved = mock.snapshot()
  mock.load({ ...BAKERY, behaviour: { pendingInvite: 'refuse' } })
  mock.restore(saved)
  expect([mock.behaviour.pendingInvite, mock.apiKey]).toEqual(['refuse', 'ck_baker'])
  expect(mock.quizzes.some(({ id }) => id === QUIZ)).toBe(true)
})

test('a world loaded into a session gets keys with the session’s suffix; other worlds stay', async () => {
  const mock = createMockServer()
  const [first, second] = [mock.openSession({ id: 'one' }), mock.openSession({ id: 'two' })]
  const token = first.adminSession
  first.load(BAKERY)
  expect(first.apiKeys.map(({ key }) => key)).toEqual(['ck_baker_one'])
  expect(first.adminSession).toEqual(token)
  const input = { quizId: 'quiz_bread', candidate: { email: INES.email } }
  const byKey = await askAs(mock, { 'x-api-key': 'ck_baker_one' }, CREATE, { input })
  expect(byKey.body?.errors).toBeUndefined()
  expect([mock, first, second].map(({ invites }) => invites.length)).toEqual([0, 1, 0])
  expect([mock.quizzes.length, second.quizzes.length]).toEqual(
    Array.from({ length: 2 }, () => createMockServer().quizzes.length),
  )
  first.load({})
  expect(first.apiKey).toMatch(/_one$/)
})

test('a session begins with the mock’s world and initial switches', async () => {
  const mock = createMockServer({ behaviour: { pendingInvite: 'refuse' } })
  expect(mock.openSession().behaviour.pendingInvite).toBe('refuse')
  mock.load({ ...BAKERY, behaviour: { errorStatus: 400 } })
  mock.setBehaviour({ candidateName: 'required' })
  const session = mock.openSession({ id: 'late' })
  expect([session.quizzes.length, session.apiKey]).toEqual([1, 'ck_baker_late'])
  const { pendingInvite, errorStatus, candidateName } = session.behaviour
  expect([pendingInvite, errorStatus, candidateName]).toEqual(['refuse', 400, 'optional'])
  session.setBehaviour({ pendingInvite: 'allow' })
  expect(mock.behaviour.pendingInvite).toBe('refuse')
  session.reset()
  expect(session.behaviour.pendingInvite).toBe('refuse')
})
