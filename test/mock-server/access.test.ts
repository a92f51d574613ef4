import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { askAs, CREATE, CREATE_PACKAGE, INES, keyOf, PACKAGE, QUIZ, TRACKS } from './calls.ts'

const OPERATIONS = [
  ['developerCertificationPackageTracks', TRACKS, {}],
  ['developerCreateCertificationInvite', CREATE, { input: { quizId: QUIZ, candidate: INES } }],
  ['developerCreateCertificationPackageInvite', CREATE_PACKAGE, { input: { packageId: PACKAGE, candidate: INES } }],
] as const

const ALLOWED: Record<string, readonly boolean[]> = {
  full: [true, true, true],
  read: [true, false, false],
  invite: [false, true, true],
  none: [false, false, false],
}

for (const [name, allowed] of Object.entries(ALLOWED)) {
  test.each(OPERATIONS.map((operation, index) => [...operation, allowed[index]] as const))(
    `the key ${name} and %s`,
    async (operation, document, variables, isAllowed) => {
      const mock = createMockServer()
      const { body } = await askAs(mock, { 'x-api-key': keyOf(mock, name) }, document, variables)
      expect(body?.errors?.map(({ extensions }) => extensions?.code)).toEqual(isAllowed ? undefined : ['FORBIDDEN'])
      expect(body?.data?.[operation] !== undefined).toBe(isAllowed)
      expect(mock.invites.length > 0).toBe(isAllowed === true && document !== TRACKS)
    },
  )
}

test.each([
  ['no credentials', {}],
  ['an unknown key', { 'x-api-key': 'ck_sandbox_nobody' }],
  ['an empty key', { 'x-api-key': '' }],
  ['a key in capitals', { 'x-api-key': 'CK_SANDBOX_FULL_7H2M9Q4X1V8C6T3W' }],
  ['an unknown session', { authorization: 'Bearer nobody' }],
])('with %s every operation is UNAUTHENTICATED, and nothing is created', async (_, credentials) => {
  const mock = createMockServer()
  for (const [, document, variables] of OPERATIONS) {
    const { status, body, text } = await askAs(mock, credentials, document, variables)
    expect([status, body?.errors?.[0]?.extensions?.code]).toEqual([200, 'UNAUTHENTICATED'])
    expect(text).not.toContain('ck_')
  }
  expect(mock.invites).toEqual([])
})

test('the documented keys never change', () => {
  expect(createMockServer().apiKeys.map(({ key }) => key)).toEqual([
    'ck_sandbox_full_7h2m9q4x1v8c6t3w',
    'ck_sandbox_read_5d8k2r7n4b1j9f6s',
    'ck_sandbox_invite_3p6z9g2y5a8w1e4u',
    'ck_sandbox_none_8t1c4v7m2x5q9h6k',
  ])
})

test('every key sees the same candidate', async () => {
  const mock = createMockServer({ behaviour: { pendingInvite: 'refuse' } })
  const variables = { input: { quizId: QUIZ, candidate: INES } }
  await askAs(mock, { 'x-api-key': keyOf(mock, 'full') }, CREATE, variables)
  const again = await askAs(mock, { 'x-api-key': keyOf(mock, 'invite') }, CREATE, variables)
  expect(again.body?.errors?.[0]?.extensions?.code).toBe('BAD_USER_INPUT')
  expect(mock.invites).toHaveLength(1)
})
