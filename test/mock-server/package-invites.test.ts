import { expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { createMockServer } from '../../mock-server/index.ts'
import {
  ask,
  CREATE_PACKAGE,
  INES,
  invite,
  invitePackage,
  PACKAGE,
  PACKAGE_QUIZZES,
  refusalIn,
  refusedPackage,
} from './calls.ts'

const NOW = '2030-03-01T09:30:00.000Z'

test('a package invite creates one ordinary invite per skill, in the order of the skills', async () => {
  const mock = createMockServer({ now: NOW })
  const created = await invitePackage(mock)
  expect(created.packageId).toBe(PACKAGE)
  expect(created.packageName).toBe('React Fundamentals')
  expect(created.invites.map(({ quizId }) => quizId)).toEqual(PACKAGE_QUIZZES)
  for (const one of created.invites) {
    expect(one).toMatchObject({ level: 'BEGINNER', status: 'PENDING', expiresAt: '2030-03-15T09:30:00.000Z' })
  }
  expect(new Set(created.invites.map(({ inviteId }) => inviteId)).size).toBe(3)
  expect(new Set(created.invites.map(({ challengeUrl }) => challengeUrl)).size).toBe(3)
  expect(mock.invites.map(({ packageId }) => packageId)).toEqual([PACKAGE, PACKAGE, PACKAGE])
})

test('a package invite equals one invite per skill', async () => {
  const settings = { callbackUrl: 'https://hooks.example.test', candidate: INES }
  const [whole, single] = [createMockServer({ now: NOW }), createMockServer({ now: NOW })]
  await invitePackage(whole, settings)
  for (const quizId of PACKAGE_QUIZZES) await invite(single, { ...settings, quizId })
  expect(whole.invites).toHaveLength(3)
  expect(whole.invites.map((row) => ({ ...row, packageId: null }))).toEqual(single.invites)
  expect(whole.outbox).toEqual(single.outbox)
})

const BLOCKERS: [string, RegExp, (mock: MockServer, quizId: string) => void][] = [
  ['is not READY', /not READY/, (mock, quizId) => mock.disableQuiz(quizId)],
  [
    'has an attempt in progress',
    /attempt in progress/,
    (mock, quizId) => mock.candidate(INES.email).startAttempt(quizId),
  ],
  ['is certified', /certification/, (mock, quizId) => mock.candidate(INES.email).certify(quizId)],
]

for (const [what, reason, block] of BLOCKERS) {
  test.each(PACKAGE_QUIZZES)(`a package invite is refused as a whole if its skill %s ${what}`, async (quizId) => {
    const mock = createMockServer()
    block(mock, quizId)
    const [code, message] = await refusedPackage(mock)
    expect(code).toBe('BAD_USER_INPUT')
    expect(message).toMatch(reason)
    expect(message).toContain(quizId)
    expect(message).toContain(PACKAGE)
    for (const other of PACKAGE_QUIZZES.filter((id) => id !== quizId)) expect(message).not.toContain(other)
    expect([mock.invites, mock.outbox]).toEqual([[], []])
  })
}

test('a refused create uses up no id', async () => {
  const [refused, fresh] = [createMockServer(), createMockServer()]
  refused.disableQuiz('quiz_javascript_beginner')
  await refusedPackage(refused)
  expect((await invite(refused)).inviteId).toBe((await invite(fresh)).inviteId)
})

test('an empty package and an unknown package are refused', async () => {
  const hollow = { id: 'pkg_hollow', name: 'Hollow', level: 'BEGINNER', description: '', quizIds: [] } as const
  const tracks = [{ id: 'trk_hollow', name: 'Hollow', slug: 'hollow', packages: [hollow] }]
  const mock = createMockServer({ world: { tracks } })
  expect(await refusedPackage(mock, { packageId: 'pkg_hollow' })).toEqual([
    'BAD_USER_INPUT',
    expect.stringContaining('no skills'),
  ])
  expect(await refusedPackage(mock, { packageId: 'pkg_cobol' })).toEqual([
    'BAD_USER_INPUT',
    'There is no package with the id "pkg_cobol".',
  ])
  expect(mock.invites).toEqual([])
})

test('externalReference is not a field of a package invite', async () => {
  const mock = createMockServer()
  const input = { packageId: PACKAGE, candidate: INES, externalReference: 'application-4711' }
  expect(refusalIn(await ask(mock, CREATE_PACKAGE, { input }))[0]).toBe('BAD_USER_INPUT')
  expect(mock.invites).toEqual([])
})
