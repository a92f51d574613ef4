import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SWITCH_NAMES } from '../../mock-server/contract/behaviour.ts'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import type { BehaviourSwitches } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import {
  ask,
  askAs,
  CREATE,
  INES,
  invite,
  invitePackage,
  keyOf,
  QUIZ,
  refusalIn,
  refusedInvite,
  refusedPackage,
  TRACKS,
} from './calls.ts'

const NOW = '2028-02-29T12:00:00.000Z'
const mockWith = (behaviour: Partial<BehaviourSwitches>): MockServer => createMockServer({ behaviour, now: NOW })

test('docs/spec-gaps.md lists every switch', () => {
  const document = readFileSync(new URL('../../docs/spec-gaps.md', import.meta.url), 'utf8')
  for (const name of SWITCH_NAMES) expect(document).toContain(`\`${name}\``)
})

test.each([
  ['normalised-email', 'INES.Duarte@Candidate.test', true],
  ['normalised-email', 'ines.duarte+react@candidate.test', false],
  ['exact-email', 'INES.Duarte@Candidate.test', false],
  ['exact-email', INES.email, true],
] as const)('candidateIdentity %s: is %s the same candidate? %s', async (candidateIdentity, email, same) => {
  const mock = mockWith({ candidateIdentity })
  mock.candidate(INES.email).certify(QUIZ)
  const answer = await ask(mock, CREATE, { input: { quizId: QUIZ, candidate: { email } } })
  expect(answer.body?.errors !== undefined).toBe(same)
  expect(mock.invites).toHaveLength(same ? 0 : 1)
})

test('candidateIdentity normalised-email trims the address in a tester’s calls', async () => {
  const mock = mockWith({})
  mock.candidate(` ${INES.email} `).certify(QUIZ)
  expect(await refusedInvite(mock)).toEqual(['BAD_USER_INPUT', expect.stringContaining('certification')])
})

test('candidateIdentity: the name does not count', async () => {
  const mock = mockWith({ pendingInvite: 'refuse' })
  await invite(mock)
  await refusedInvite(mock, { candidate: { ...INES, name: 'Somebody Else' } })
  expect(mock.invites).toHaveLength(1)
})

test.each([undefined, null, '', '  '])('candidateName: %j is accepted if optional, else missing', async (name) => {
  const candidate = { email: INES.email, name }
  const optional = mockWith({ candidateName: 'optional' })
  await invite(optional, { candidate })
  expect(optional.invites[0]?.candidate.name).toBe(name ?? null)

  const required = mockWith({ candidateName: 'required' })
  expect(await refusedInvite(required, { candidate })).toEqual(['BAD_USER_INPUT', 'candidate.name is missing.'])
  expect(required.invites).toEqual([])
  await invite(required)
  expect(required.invites).toHaveLength(1)
})

test('pendingInvite allow: a second create makes a second invite and sends a second e-mail', async () => {
  const mock = mockWith({ pendingInvite: 'allow' })
  const [first, second] = [await invite(mock), await invite(mock)]
  expect(second.inviteId).not.toBe(first.inviteId)
  expect([mock.invites.length, mock.outbox.length]).toEqual([2, 2])
})

test('pendingInvite refuse: a second create is refused until the first link closes', async () => {
  const mock = mockWith({ pendingInvite: 'refuse' })
  await invite(mock)
  await mock.clock.advance(14 * 24 * 60 * 60 * 1000 - 1)
  expect(await refusedInvite(mock)).toEqual(['BAD_USER_INPUT', expect.stringContaining('PENDING')])
  expect(await refusedPackage(mock)).toEqual(['BAD_USER_INPUT', expect.stringContaining(QUIZ)])
  expect([mock.invites.length, mock.outbox.length]).toEqual([1, 1])
  await mock.clock.advance(1)
  await invite(mock)
  expect(mock.invites).toHaveLength(2)
})

test('pendingInvite return-existing: a second create returns the open invite and sends nothing', async () => {
  const mock = mockWith({ pendingInvite: 'return-existing' })
  const first = await invite(mock)
  expect(await invite(mock, { externalReference: 'again' })).toEqual(first)
  const { invites } = await invitePackage(mock)
  expect(invites.find(({ quizId }) => quizId === QUIZ)?.inviteId).toBe(first.inviteId)
  expect([mock.invites.length, mock.outbox.length]).toEqual([3, 3])
  await mock.clock.advance('14d')
  expect((await invite(mock)).inviteId).not.toBe(first.inviteId)
})

test('pendingInvite return-existing: of two open invites, the first is returned', async () => {
  const mock = mockWith({ pendingInvite: 'return-existing' })
  const failed = mock.open((await invite(mock)).inviteId)
  failed.fail()
  const open = await invite(mock)
  failed.claim('retake')
  expect(await invite(mock)).toEqual(open)
  expect(mock.invites).toHaveLength(3)
})

test.each([
  ['two-years', '2030-03-01T11:59:59.999Z', '2030-03-01T12:00:00.000Z'],
  ['90d', '2028-05-29T11:59:59.999Z', '2028-05-29T12:00:00.000Z'],
] as const)('certificationValidity %s: blocks up to the last millisecond', async (validity, last, end) => {
  const mock = mockWith({ certificationValidity: validity })
  mock.candidate(INES.email).certify(QUIZ)
  await mock.clock.freeze(last)
  await refusedInvite(mock)
  expect(mock.invites).toEqual([])
  await mock.clock.freeze(end)
  await invite(mock)
  expect(mock.invites).toHaveLength(1)
})

test('certificationValidity never-expires: blocks forever', async () => {
  const mock = mockWith({ certificationValidity: 'never-expires' })
  mock.candidate(INES.email).certify(QUIZ)
  await mock.clock.advance('36500d')
  expect(await refusedInvite(mock)).toEqual(['BAD_USER_INPUT', expect.stringContaining('for ever')])
})

test.each(['BAD_USER_INPUT', 'NOT_FOUND'] as const)('unknownIdCode %s: quizzes and packages', async (unknownIdCode) => {
  const mock = mockWith({ unknownIdCode })
  expect((await refusedInvite(mock, { quizId: 'quiz_cobol' }))[0]).toBe(unknownIdCode)
  expect((await refusedPackage(mock, { packageId: 'pkg_cobol' }))[0]).toBe(unknownIdCode)
})

test.each(['BAD_USER_INPUT', 'VALIDATION_FAILED'])(
  'invalidInputCode %s applies to the e-mail address, the callbackUrl, and a callbackUrl in an admin session',
  async (invalidInputCode) => {
    const mock = mockWith({ invalidInputCode })
    const callbackUrl = 'https://hooks.example.test'
    const input = { quizId: QUIZ, candidate: INES, callbackUrl }
    expect((await refusedInvite(mock, { candidate: { email: 'ines' } }))[0]).toBe(invalidInputCode)
    expect((await refusedPackage(mock, { callbackUrl: 'http://a.test' }))[0]).toBe(invalidInputCode)
    expect(refusalIn(await askAs(mock, mock.adminSession.headers, CREATE, { input }))[0]).toBe(invalidInputCode)
    mock.disableQuiz(QUIZ)
    expect((await refusedInvite(mock))[0]).toBe('BAD_USER_INPUT')
    expect(mock.invites).toEqual([])
  },
)

const RESPONSES = [
  ['graphql-200', 200, 'json', true],
  ['graphql-401', 401, 'json', true],
  ['html-401', 401, 'html', false],
  ['graphql-200-without-code', 200, 'json', false],
] as const

test.each(RESPONSES)(
  'unauthenticatedResponse %s: HTTP %i with %s, a code: %s',
  async (response, status, type, hasCode) => {
    const mock = mockWith({ unauthenticatedResponse: response })
    for (const credentials of [{}, { 'x-api-key': 'ck_nobody' }, { authorization: 'Bearer nobody' }]) {
      const refused = await askAs(mock, credentials, TRACKS)
      expect([refused.status, refused.type]).toEqual([status, expect.stringContaining(type)])
      expect(refused.text.includes('UNAUTHENTICATED')).toBe(hasCode)
    }
    expect((await askAs(mock, { 'x-api-key': keyOf(mock, 'none') }, TRACKS)).status).toBe(200)
  },
)

test.each(RESPONSES)('forbiddenResponse: as %s, but with 403 instead of 401', async (name, status, type, hasCode) => {
  const mock = mockWith({ forbiddenResponse: name.replace('401', '403') as BehaviourSwitches['forbiddenResponse'] })
  const refused = await askAs(mock, { 'x-api-key': keyOf(mock, 'none') }, TRACKS)
  expect([refused.status, refused.type]).toEqual([status === 401 ? 403 : 200, expect.stringContaining(type)])
  expect(refused.text.includes('FORBIDDEN')).toBe(hasCode)
  expect((await askAs(mock, {}, TRACKS)).status).toBe(200)
})

test.each([
  ['extensions', { extensions: { code: 'BAD_USER_INPUT' } }],
  ['top-level', { code: 'BAD_USER_INPUT' }],
  ['none', {}],
] as const)('errorCodePlace %s', async (errorCodePlace, where) => {
  const mock = mockWith({ errorCodePlace })
  mock.disableQuiz(QUIZ)
  const { body } = await ask(mock, CREATE, { input: { quizId: QUIZ, candidate: INES } })
  const { code, extensions } = body?.errors?.[0] ?? {}
  expect({ ...(code && { code }), ...(extensions && { extensions }) }).toEqual(where)
})

test.each([200, 400] as const)('errorStatus %i is the status of GraphQL responses with errors', async (errorStatus) => {
  const mock = mockWith({ errorStatus })
  mock.disableQuiz(QUIZ)
  const refused = await ask(mock, CREATE, { input: { quizId: QUIZ, candidate: INES } })
  expect([refused.status, refusalIn(refused)[0]]).toEqual([errorStatus, 'BAD_USER_INPUT'])
  expect((await ask(mock, '{ nonsense }')).status).toBe(errorStatus)
  expect((await askAs(mock, {}, TRACKS)).status).toBe(200)
  expect((await askAs(mock, { 'x-api-key': keyOf(mock, 'none') }, TRACKS)).status).toBe(200)
  expect((await ask(mock, TRACKS)).status).toBe(200)
})

test.each(['null', 'partial'] as const)('refusedData %s is what accompanies the errors', async (refusedData) => {
  const mock = mockWith({ refusedData })
  const document = `mutation ($good: DeveloperCreateCertificationInviteInput!, $bad: DeveloperCreateCertificationInviteInput!) {
    good: developerCreateCertificationInvite(input: $good) { status }
    bad: developerCreateCertificationInvite(input: $bad) { status }
  }`
  const good = { quizId: QUIZ, candidate: INES }
  const { body } = await ask(mock, document, { good, bad: { ...good, quizId: 'quiz_cobol' } })
  expect(body?.errors?.map(({ path }) => path)).toEqual([['bad']])
  expect(body?.data).toEqual(refusedData === 'null' ? null : { good: { status: 'PENDING' }, bad: null })
  expect(mock.invites).toHaveLength(1)
})

test('a switch takes effect at once, and lasts until reset', async () => {
  const mock = mockWith({})
  await invite(mock)
  mock.setBehaviour({ pendingInvite: 'refuse' })
  expect(await refusedInvite(mock)).toEqual(['BAD_USER_INPUT', expect.stringContaining('PENDING')])
  mock.reset()
  expect(mock.behaviour.pendingInvite).toBe('allow')
})

test('candidateIdentity is fixed when a world begins', () => {
  const mock = mockWith({})
  expect(() => mock.setBehaviour({ candidateIdentity: 'exact-email', errorStatus: 400 })).toThrow(/when a world begins/)
  expect(mock.behaviour).toMatchObject({ candidateIdentity: 'normalised-email', errorStatus: 200 })
})

test('an invalid switch changes nothing, and neither do the others in that call', () => {
  const mock = mockWith({ pendingInvite: 'refuse' })
  const before = mock.behaviour
  for (const wrong of [
    { pendingInvite: 'deny', errorStatus: 400 },
    { errorStatus: 400, pendingInvites: 'refuse' },
    null,
    [],
  ]) {
    expect(() => mock.setBehaviour(wrong as object)).toThrow(/switches are not valid/)
  }
  expect(mock.behaviour).toEqual(before)
  expect(() => mock.setBehaviour({ pendingInvites: 'refuse' } as object)).toThrow(/Did you mean pendingInvite\?$/)
})

test('a new rate limit starts with a fresh count', async () => {
  const mock = mockWith({ rateLimit: { requests: 1, per: '1h' } })
  await invite(mock)
  expect((await ask(mock, TRACKS)).status).toBe(429)
  mock.setBehaviour({ rateLimit: { requests: 2, per: '1m' } })
  expect([(await ask(mock, TRACKS)).status, (await ask(mock, TRACKS)).status]).toEqual([200, 200])
  expect((await ask(mock, TRACKS)).status).toBe(429)
})
