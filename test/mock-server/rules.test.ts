import { expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import type { BehaviourSwitches } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { askAs, HOOK, INES, invite, openOne, QUIZ, refusedInvite, TRACKS } from './calls.ts'

const NOW = '2030-03-01T09:30:00.000Z'

const mockWith = (behaviour: Partial<BehaviourSwitches> = {}): MockServer =>
  createMockServer({ now: NOW, behaviour, callbacks: { deliver: () => new Response(null, { status: 204 }) } })

/** The rows of a world as its snapshot has them. */
function rowsOf(mock: MockServer): Record<string, unknown> {
  return (mock.snapshot().world as { rows: Record<string, unknown> }).rows
}

test('a new world has its quizzes and nothing else', () => {
  const mock = createMockServer({ world: { candidates: [] } })
  const { quizzes, positions: _positions, ...rows } = rowsOf(mock)
  expect(quizzes).toHaveLength(mock.quizzes.length)
  expect(rows).toEqual({ invites: [], attempts: [], certifications: [], mails: [], plans: [] })
})

test('the ids and links of a seed never change', async () => {
  const { inviteId, challengeUrl } = await invite(mockWith())
  expect([inviteId, challengeUrl.slice(-32)]).toEqual(['inv_266ge1239nz5a7cm', 'w6gdns26tccdy6y5sb6wg3ngbqz9k0a7'])
})

test('a magic candidate without an offer claims nothing', async () => {
  const mock = mockWith()
  await invite(mock, { quizId: 'quiz_react_advanced_state', candidate: { email: 'level-up@candidate.test' } })
  await mock.clock.advance('1d')
  expect(mock.invites.map(({ status }) => status)).toEqual(['PASSED'])
})

test.each([
  ['pass+tag-of-any-length@candidate.test', 'PASSED'],
  ['someone+pass@candidate.test', 'PENDING'],
  ['+pass@candidate.test', 'PENDING'],
  ['pass@candidate.test.example', 'PENDING'],
])('%s is magic only if the complete name before the tag matches: %s', async (email, status) => {
  const mock = mockWith()
  const challenge = await openOne(mock, { candidate: { email } })
  await mock.clock.advance('1d')
  expect(challenge.invite.status).toBe(status)
})

test('an attempt in a history starts at its startedAt, or with the world', () => {
  const attempts = [{ quizId: QUIZ, startedAt: '2030-02-01T00:00:00.000Z' }, { quizId: 'quiz_python_beginner' }]
  const mock = createMockServer({ now: NOW, world: { candidates: [{ email: INES.email, attempts }] } })
  const times = mock.candidate(INES.email).attempts.map(({ startedAt }) => startedAt)
  expect(times).toEqual(['2030-02-01T00:00:00.000Z', NOW])
})

test('a passed retake earns a level-up', async () => {
  const mock = mockWith()
  const failed = await openOne(mock)
  failed.fail()
  const retake = mock.open(failed.claim('retake').inviteId)
  retake.pass()
  expect(retake.claim('level-up')).toMatchObject({ quizId: 'quiz_react_intermediate_state' })
})

test.each([
  ['two-years', 'pass', '2032-03-01T09:30:00.000Z'],
  ['never-expires', 'pass', null],
  ['two-years', 'fail', null],
] as const)('certificationValidity %s: the event for a %s has validUntil %s', async (validity, act, validUntil) => {
  const mock = mockWith({ certificationValidity: validity })
  const challenge = await openOne(mock, { callbackUrl: HOOK })
  challenge[act]()
  const { data } = JSON.parse(mock.callbacks.list()[0]?.body ?? '')
  expect(data).toMatchObject({ validUntil })
})

test('a refusal gives every reason in its own sentence, with its end', async () => {
  const mock = mockWith({ pendingInvite: 'refuse' })
  await invite(mock)
  mock.candidate(INES.email).certify(QUIZ)
  mock.disableQuiz(QUIZ)
  const [, message] = await refusedInvite(mock)
  const quiz = `"State and Events" (${QUIZ})`
  expect(message).toBe(
    [
      `The quiz ${quiz} is not READY.`,
      `The candidate holds a certification for ${quiz} that is valid until 2032-03-01T09:30:00.000Z.`,
      `The candidate has a PENDING invite for ${quiz} until 2030-03-15T09:30:00.000Z.`,
    ].join(' '),
  )
})

test('an error says why a candidate cannot use a link or an offer', async () => {
  const mock = mockWith()
  const [challenge, other, third] = [await openOne(mock), await openOne(mock), await openOne(mock)]
  expect(() => challenge.claim('retake')).toThrow('No retake is on offer for this invite.')
  challenge.start()
  expect(() => challenge.start()).toThrow('This link was used: its attempt is in progress.')
  challenge.fail()
  expect(() => challenge.start()).toThrow('This link was used: its attempt was failed.')
  other.start()
  expect(() => challenge.claim('retake')).toThrow(/^The retake cannot be claimed now\. The candidate has an attempt/)
  await mock.clock.advance('14d')
  expect(() => third.start()).toThrow('This link closed at 2030-03-15T09:30:00.000Z.')
})

test.each([
  [{}, 'No credentials: send an API key in the x-api-key header.'],
  [{ 'x-api-key': 'nobody' }, 'This API key is not known.'],
  [{ authorization: 'Bearer nobody' }, 'This admin session is not known.'],
])('an unknown caller is told what was wrong: %j', async (credentials, message) => {
  const { body } = await askAs(mockWith(), credentials, TRACKS)
  expect(body?.errors).toMatchObject([{ message }])
})
