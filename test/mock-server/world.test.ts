import { afterEach, expect, test, vi } from 'vitest'
import type { MockServerOptions, Package, Quiz, WorldData } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { INES, invite, listTracks, QUIZ, refusedInvite } from './calls.ts'

const NOW = '2030-03-01T09:30:00.000Z'

afterEach(() => {
  vi.useRealTimers()
})

test('different seeds give different ids and links', async () => {
  const [a, b] = [createMockServer({ seed: 'one' }), createMockServer({ seed: 'two' })]
  const [first, second] = [await invite(a), await invite(b)]
  expect(first.inviteId).not.toBe(second.inviteId)
  expect(first.challengeUrl).not.toBe(second.challengeUrl)
})

test('after reset, no invite gets the id or the link of a different one', async () => {
  const mock = createMockServer()
  const before = [await invite(mock), await invite(mock)]
  mock.reset()
  const other = await invite(mock, { candidate: { email: 'otto@candidate.test' } })
  const again = [await invite(mock), await invite(mock)]
  const named = ({ inviteId, challengeUrl }: { inviteId: string; challengeUrl: string }) => [inviteId, challengeUrl]
  expect(again.map(named)).toEqual(before.map(named))
  expect(before.flatMap(named)).not.toContain(other.inviteId)
  expect(before.flatMap(named)).not.toContain(other.challengeUrl)
})

test('mutating the options or the exposed rows does not change the world', async () => {
  const quizIds = [QUIZ]
  const pack = { id: 'pkg_own', name: 'Own', level: 'BEGINNER', description: '', quizIds } as const
  const mock = createMockServer({ world: { tracks: [{ id: 'trk_own', name: 'Own', slug: 'own', packages: [pack] }] } })
  quizIds.push('quiz_cobol')
  await invite(mock)
  const shown = mock.invites[0]
  if (shown) Object.assign(shown.candidate, { email: 'changed@candidate.test' })
  expect((await listTracks(mock))[0]?.packages[0]?.skills).toHaveLength(1)
  expect(mock.invites[0]?.candidate.email).toBe(INES.email)
})

test('reset restores the beginning: rows, histories, ids and clock', async () => {
  const mock = createMockServer({ now: NOW })
  const first = await invite(mock)
  mock.disableQuiz(QUIZ)
  mock.enableQuiz('quiz_cloud_intermediate_observability')
  mock.candidate(INES.email).certify('quiz_sql_beginner_queries')
  await mock.clock.advance('1000d')
  mock.reset()

  expect([mock.invites, mock.outbox]).toEqual([[], []])
  expect(mock.clock.now().toISOString()).toBe(NOW)
  expect(mock.quizzes).toEqual(createMockServer().quizzes)
  const certified = { email: 'marta.lindqvist@candidate.test' }
  await refusedInvite(mock, { quizId: 'quiz_react_beginner_components', candidate: certified })
  expect(await invite(mock)).toEqual(first)
  await invite(mock, { quizId: 'quiz_sql_beginner_queries' })
})

test('the clock follows real time, read on each use, so that fake timers work', async () => {
  vi.useFakeTimers({ now: new Date(NOW) })
  const mock = createMockServer()
  expect(mock.clock.now().toISOString()).toBe(NOW)
  vi.setSystemTime('2030-04-01T00:00:00.000Z')
  expect((await invite(mock)).expiresAt).toBe('2030-04-15T00:00:00.000Z')
})

test('a clock that follows real time keeps following after an advance, and stops when frozen', async () => {
  vi.useFakeTimers({ now: new Date(NOW) })
  const mock = createMockServer()
  await mock.clock.advance('1d')
  vi.advanceTimersByTime(1000)
  expect(mock.clock.now().toISOString()).toBe('2030-03-02T09:30:01.000Z')
  await mock.clock.freeze()
  vi.advanceTimersByTime(1000)
  expect(mock.clock.now().toISOString()).toBe('2030-03-02T09:30:01.000Z')
  mock.reset()
  expect(mock.clock.now().toISOString()).toBe('2030-03-01T09:30:02.000Z')
})

test.each([
  [1500, '2030-03-01T09:30:01.500Z'],
  ['30s', '2030-03-01T09:30:30.000Z'],
  ['15m', '2030-03-01T09:45:00.000Z'],
  ['2h', '2030-03-01T11:30:00.000Z'],
  ['14d', '2030-03-15T09:30:00.000Z'],
  [0, NOW],
] as const)('a frozen clock is advanced by %j', async (by, expected) => {
  const mock = createMockServer({ now: NOW })
  await mock.clock.advance(by)
  expect(mock.clock.now().toISOString()).toBe(expected)
})

test('the clock never goes back, and accepts only durations', async () => {
  const mock = createMockServer({ now: NOW })
  await expect(mock.clock.freeze('2030-03-01T09:29:59Z')).rejects.toThrow('only forward')
  await expect(mock.clock.advance(-1)).rejects.toThrow('not a length of time')
  await expect(mock.clock.advance(Number.NaN)).rejects.toThrow('not a length of time')
  await expect(mock.clock.advance('soon' as '1d')).rejects.toThrow('not a length of time')
  await expect(mock.clock.freeze('soon')).rejects.toThrow('not a time')
  expect(() => createMockServer({ now: 'soon' })).toThrow('not a time')
  await mock.clock.freeze('2030-03-01T09:30:01Z')
  expect(mock.clock.now().toISOString()).toBe('2030-03-01T09:30:01.000Z')
})

const certified = (passedAt: string): MockServerOptions => ({
  now: NOW,
  world: { candidates: [{ email: INES.email, certifications: [{ quizId: QUIZ, passedAt }] }] },
})

test('a past certification expires by its age', async () => {
  const [stale, fresh] = [
    createMockServer(certified('2028-03-01T09:30:00Z')),
    createMockServer(certified('2028-03-01T09:30:01Z')),
  ]
  await invite(stale)
  await refusedInvite(fresh)
  expect([stale.invites.length, fresh.invites.length]).toEqual([1, 0])
})

const quiz: Quiz = {
  id: 'quiz_a',
  skillName: 'Baking',
  level: 'BEGINNER',
  ready: true,
  durationMinutes: 20,
  enabledLanguages: ['en'],
  conceptsTested: ['Dough'],
}
const pack: Package = { id: 'pkg_a', name: 'A', level: 'BEGINNER', description: '', quizIds: ['quiz_a'] }
const track = { id: 'trk_a', name: 'A', slug: 'a', packages: [pack] }

test.each<[string, Partial<WorldData>, RegExp]>([
  [
    'two packages of one level in a track',
    { tracks: [{ ...track, packages: [pack, { ...pack, id: 'pkg_b' }] }] },
    /tracks\[0\]\.packages\[1\]\.level: in track trk_a, a package of level BEGINNER occurs twice: first at tracks\[0\]\.packages\[0\]/,
  ],
  [
    'a skill of another level',
    { quizzes: [{ ...quiz, level: 'EXPERT' }] },
    /pkg_a is BEGINNER, but its quiz quiz_a is EXPERT/,
  ],
  [
    'an unknown quiz',
    { tracks: [{ ...track, packages: [{ ...pack, quizIds: ['quiz_b'] }] }] },
    /pkg_a names the unknown quiz quiz_b/,
  ],
  [
    'the same quiz id twice',
    { quizzes: [quiz, quiz] },
    /quizzes\[1\]\.id: quiz id quiz_a occurs twice: first at quizzes\[0\]\.id/,
  ],
  [
    'the same package id twice',
    { tracks: [track, { ...track, id: 'trk_b', slug: 'b' }] },
    /tracks\[1\]\.packages\[0\]\.id: package id pkg_a occurs twice: first at tracks\[0\]\.packages\[0\]\.id/,
  ],
  ['the same track id twice', { tracks: [track, { ...track, slug: 'b', packages: [] }] }, /track id trk_a/],
  ['the same slug twice', { tracks: [track, { ...track, id: 'trk_b', packages: [] }] }, /track slug a/],
  [
    'the same quiz twice in a package',
    { tracks: [{ ...track, packages: [{ ...pack, quizIds: ['quiz_a', 'quiz_a'] }] }] },
    /quiz of package pkg_a quiz_a occurs twice: first at tracks\[0\]\.packages\[0\]\.quizIds\[0\]/,
  ],
  ['a duration of nothing', { quizzes: [{ ...quiz, durationMinutes: 0 }] }, /durationMinutes: this must be at least 1/],
  [
    'a key that would be two lines of an environment file',
    { apiKeys: [{ name: 'a', key: 'ck_a\nNODE_OPTIONS=--require=/tmp/x', scopes: [] }] },
    /apiKeys\[0\]\.key: an API key has a character that is not printable ASCII/,
  ],
  [
    'an escape sequence in the name of a key',
    { apiKeys: [{ name: '\u001b]0;owned\u0007', key: 'k', scopes: [] }] },
    /apiKeys\[0\]\.name: the name of an API key has a control character/,
  ],
  [
    'a history with an unknown quiz',
    { candidates: [{ email: 'a@b.test', attempts: [{ quizId: 'quiz_b' }] }] },
    /unknown quiz quiz_b/,
  ],
  ['a candidate without an address', { candidates: [{ email: 'ines' }] }, /ines has no valid e-mail/],
  [
    'two attempts at once',
    { candidates: [{ email: 'a@b.test', attempts: [{ quizId: 'quiz_a' }, { quizId: 'quiz_a' }] }] },
    /attempt in progress of a@b.test quiz_a occurs twice: first at candidates\[0\]\.attempts\[0\]\.quizId/,
  ],
  [
    'a candidate twice, in another case',
    {
      candidates: [
        { email: 'ada@b.test', attempts: [{ quizId: 'quiz_a' }] },
        { email: 'Ada@b.test', attempts: [{ quizId: 'quiz_a' }] },
      ],
    },
    /candidates\[1\]\.email: .*same candidate as candidates\[0\]/,
  ],
])('a world with %s is refused', (_, wrong, message) => {
  const world = { quizzes: [quiz], tracks: [track], ...wrong }
  expect(() => createMockServer({ world })).toThrow(message)
  expect(() => createMockServer({ world: { quizzes: [quiz], tracks: [track] } })).not.toThrow()
})

test('one error reports everything that is wrong with a world', () => {
  const world = { quizzes: [{ ...quiz, level: 'EXPERT' as const }, quiz], tracks: [{ ...track, slug: 'b' }, track] }
  expect(() => createMockServer({ world })).toThrow(/quiz_a occurs twice[\s\S]*track id trk_a occurs twice/)
})
