import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { ask, askAs, CREATE, INES, invite, QUIZ, refusalIn, refusedInvite } from './calls.ts'

const NOW = '2030-03-01T09:30:00.000Z'

test('an invite is PENDING, expires exactly 14 days after its creation, and says whether its e-mail was sent', async () => {
  const mock = createMockServer({ now: NOW })
  const created = await invite(mock)
  expect(created).toEqual({
    inviteId: expect.stringMatching(/^inv_[0-9a-z]{16}$/),
    status: 'PENDING',
    challengeUrl: expect.stringMatching(/^https:\/\/certify\.test\/challenge\/[0-9a-z]{32}$/),
    expiresAt: '2030-03-15T09:30:00.000Z',
    emailSent: true,
  })
})

test('an invite keeps everything that it was created with', async () => {
  const mock = createMockServer({ now: NOW })
  const callbackUrl = 'https://user:pass@hooks.example.test:8443/certify?tenant=7'
  const created = await invite(mock, { externalReference: 'application-4711', callbackUrl })
  expect(mock.invites).toEqual([
    {
      ...created,
      quizId: QUIZ,
      packageId: null,
      skillName: 'State and Events',
      level: 'BEGINNER',
      candidate: INES,
      createdAt: NOW,
      externalReference: 'application-4711',
      callbackUrl,
      followUpOf: null,
      followedBy: null,
    },
  ])
})

test('the invite e-mail goes to the candidate and contains the link', async () => {
  const mock = createMockServer({ now: NOW })
  const { inviteId, challengeUrl } = await invite(mock)
  expect(mock.outbox).toEqual([
    { to: INES.email, subject: expect.stringContaining('State and Events'), challengeUrl, inviteId, sentAt: NOW },
  ])
})

test.each([
  [undefined, true],
  [true, true],
  [false, false],
])('sendInviteEmail: %s makes emailSent %s', async (sendInviteEmail, sent) => {
  const mock = createMockServer()
  expect((await invite(mock, { sendInviteEmail })).emailSent).toBe(sent)
  expect(mock.outbox).toHaveLength(sent ? 1 : 0)
})

test('an attempt or a certification blocks only its own candidate and quiz', async () => {
  const mock = createMockServer()
  mock.candidate('someone.else@candidate.test').certify(QUIZ)
  mock.candidate('someone.else@candidate.test').startAttempt(QUIZ)
  mock.candidate(INES.email).certify('quiz_react_beginner_components')
  mock.candidate(INES.email).startAttempt('quiz_react_intermediate_hooks')
  await invite(mock)
  expect(mock.invites).toHaveLength(1)
})

test('a candidate has at most one attempt in progress per quiz', () => {
  const mock = createMockServer()
  mock.candidate(INES.email).startAttempt(QUIZ)
  expect(() => mock.candidate(INES.email.toUpperCase()).startAttempt(QUIZ)).toThrow(
    /already has an attempt in progress/,
  )
  mock.candidate(INES.email).startAttempt('quiz_javascript_beginner')
})

test('an unknown quiz is refused, by the service and by a tester’s calls', async () => {
  const mock = createMockServer()
  expect(await refusedInvite(mock, { quizId: 'quiz_cobol' })).toEqual([
    'BAD_USER_INPUT',
    'There is no quiz with the id "quiz_cobol".',
  ])
  expect(() => mock.candidate(INES.email).startAttempt('quiz_cobol')).toThrow('no quiz "quiz_cobol"')
  expect(() => mock.candidate(INES.email).certify('quiz_cobol')).toThrow('no quiz "quiz_cobol"')
  expect(() => mock.disableQuiz('quiz_cobol')).toThrow('no quiz "quiz_cobol"')
  expect(() => mock.enableQuiz('quiz_cobol')).toThrow('no quiz "quiz_cobol"')
})

test.each([
  '',
  'ines',
  'ines@',
  '@candidate.test',
  'ines duarte@candidate.test',
  'ines@candidate..test',
  'ines@-candidate.test',
  'ines@candidate.test, bo@candidate.test',
  ' ines@candidate.test',
  'ines@candidate.test ',
  'inês@candidate.test',
  `ines@${'a'.repeat(64)}.test`,
])('%j is not an e-mail address', async (email) => {
  const mock = createMockServer()
  const [code, message] = await refusedInvite(mock, { candidate: { email } })
  expect([code, message]).toEqual(['BAD_USER_INPUT', 'candidate.email is not a valid e-mail address.'])
  expect(mock.invites).toEqual([])
})

test.each(['ines@localhost', 'ines+react@candidate.test', "o'neil@candidate.test", 'a.b.c@xn--bcher-kva.test', '.@a'])(
  '%j is an e-mail address',
  async (email) => {
    const mock = createMockServer()
    await invite(mock, { candidate: { email } })
    expect(mock.outbox.map(({ to }) => to)).toEqual([email])
  },
)

test.each([
  'http://hooks.example.test',
  'hooks.example.test',
  'https://',
  'HTTPS://hooks.example.test',
  ' https://a.test',
  'ftp://a.test',
  '',
])('the callbackUrl %j is refused', async (callbackUrl) => {
  const mock = createMockServer()
  const [code, message] = await refusedInvite(mock, { callbackUrl })
  expect([code, message]).toEqual(['BAD_USER_INPUT', expect.stringContaining('https://')])
  expect(mock.invites).toEqual([])
})

test.each(['https://localhost:9000/hook', 'https://10.0.0.7', 'https://key:secret@hooks.example.test/a?b#c'])(
  'the callbackUrl %j is accepted',
  async (callbackUrl) => {
    const mock = createMockServer()
    await invite(mock, { callbackUrl })
    expect(mock.invites[0]?.callbackUrl).toBe(callbackUrl)
  },
)

test('a callbackUrl in an admin session is refused, and everything else works', async () => {
  const mock = createMockServer()
  const input = { quizId: QUIZ, candidate: INES }
  const callbackUrl = 'https://hooks.example.test'
  const refused = await askAs(mock, mock.adminSession.headers, CREATE, { input: { ...input, callbackUrl } })
  expect(refusalIn(refused)).toEqual(['BAD_USER_INPUT', expect.stringContaining('admin session')])
  expect(mock.invites).toEqual([])
  const created = await askAs(mock, mock.adminSession.headers, CREATE, { input: { ...input, callbackUrl: null } })
  expect(created.body?.errors).toBeUndefined()
  expect(mock.invites).toHaveLength(1)
})

test.each([
  ['no e-mail', { quizId: QUIZ, candidate: { name: 'Inês' } }],
  ['no candidate', { quizId: QUIZ }],
  ['no quiz', { candidate: INES }],
  ['a number for an id', { quizId: 7, candidate: INES }],
  ['a field that does not exist', { quizId: QUIZ, candidate: INES, language: 'de' }],
])('an input with %s is BAD_USER_INPUT before anything is executed', async (_, input) => {
  const mock = createMockServer()
  const answer = await ask(mock, CREATE, { input })
  expect(answer.body).not.toHaveProperty('data')
  expect(answer.body?.errors?.[0]?.extensions?.code).toBe('BAD_USER_INPUT')
  expect(mock.invites).toEqual([])
})

test('an error message never quotes the candidate’s address or name', async () => {
  const mock = createMockServer()
  mock.candidate(INES.email).certify(QUIZ)
  const [, message] = await refusedInvite(mock, { callbackUrl: 'http://secret.example.test' })
  expect(message).not.toMatch(/ines|duarte|secret/i)
})
