import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { ask, CREATE, INES, invite, invitePackage, openOne, QUIZ, refusedInvite } from './calls.ts'

const NOW = '2030-03-01T09:30:00.000Z'

/** The code with which an action of the candidate is refused. */
function refusalOf(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code)
    throw error
  }
  throw new Error('nothing was refused')
}

test('an invite goes from PENDING through IN_PROGRESS to the result of its attempt', async () => {
  for (const [act, status] of [
    ['pass', 'PASSED'],
    ['fail', 'FAILED'],
    ['abandon', 'ABANDONED'],
  ] as const) {
    const challenge = await openOne(createMockServer())
    expect(challenge.invite.status).toBe('PENDING')
    challenge.start()
    expect(challenge.invite.status).toBe('IN_PROGRESS')
    challenge[act]()
    expect(challenge.invite.status).toBe(status)
  }
})

test('an invite is found by its link, by its id, and by nothing else', async () => {
  const mock = createMockServer()
  const { inviteId, challengeUrl } = await invite(mock)
  for (const link of [inviteId, challengeUrl, `${challengeUrl}?utm=1`]) {
    expect(mock.open(link).invite.inviteId).toBe(inviteId)
  }
  expect(() => mock.open(`${mock.baseUrl}/challenge/nothing`)).toThrow('no invite with that link')
  expect(() => mock.open('inv_nothing')).toThrow('no invite with that link')
})

test('a link works once, whatever the result of its attempt', async () => {
  for (const act of ['start', 'pass', 'fail', 'abandon'] as const) {
    const challenge = await openOne(createMockServer())
    challenge[act]()
    expect(refusalOf(() => challenge.start())).toBe('LINK_USED')
  }
})

test('a link works until its last millisecond', async () => {
  const mock = createMockServer({ now: NOW })
  const [inTime, late] = [await openOne(mock), await openOne(mock, { quizId: 'quiz_javascript_beginner' })]
  await mock.clock.freeze(new Date(Date.parse(late.invite.expiresAt) - 1))
  inTime.start()
  await mock.clock.advance(1)
  expect([late.invite.status, refusalOf(() => late.start()), refusalOf(() => late.pass())]).toEqual([
    'EXPIRED',
    'LINK_CLOSED',
    'LINK_CLOSED',
  ])
})

test('a second link for the same quiz cannot be started during an attempt, only after it', async () => {
  const mock = createMockServer()
  const [first, second] = [await openOne(mock), await openOne(mock)]
  first.start()
  expect(refusalOf(() => second.start())).toBe('ATTEMPT_IN_PROGRESS')
  first.abandon()
  second.start()
  expect(second.invite.status).toBe('IN_PROGRESS')
})

test('an attempt blocks creates while it runs; afterwards only a pass does', async () => {
  for (const [act, blocked] of [
    ['pass', true],
    ['fail', false],
    ['abandon', false],
  ] as const) {
    const mock = createMockServer()
    const challenge = await openOne(mock)
    challenge.start()
    expect((await refusedInvite(mock))[1]).toContain('in progress')
    challenge[act]()
    const answer = await ask(mock, CREATE, { input: { quizId: QUIZ, candidate: INES } })
    expect(answer.body?.errors !== undefined).toBe(blocked)
  }
})

test('an attempt still running when its link closes continues, keeps blocking creates, and can be passed', async () => {
  const mock = createMockServer({ now: NOW })
  const challenge = await openOne(mock)
  challenge.start()
  await mock.clock.advance('14d')
  expect(challenge.invite.status).toBe('IN_PROGRESS')
  await refusedInvite(mock)
  challenge.pass()
  expect(challenge.invite.status).toBe('PASSED')
})

test('a link shows the state of its invite: open, in progress, then gone (410) with the result and the offer', async () => {
  const mock = createMockServer()
  const { challengeUrl } = await invite(mock)
  const said = async () => {
    const response = await mock.fetch(challengeUrl)
    return `${response.status} ${await response.text()}`
  }
  mock.open(challengeUrl).start()
  expect(await said()).toMatch(/^200 [\s\S]*in progress/)
  mock.open(challengeUrl).fail()
  expect(await said()).toMatch(/^410 [\s\S]*was failed[\s\S]*On offer: a retake \(quiz_react_beginner_state\)/)
})

test('the attempts and certifications of a candidate show their times and validity', async () => {
  const mock = createMockServer({ now: NOW })
  const challenge = await openOne(mock)
  challenge.start()
  await mock.clock.advance('30m')
  challenge.pass()
  const { attempts, certifications } = mock.candidate(INES.email.toUpperCase())
  const { inviteId } = challenge.invite
  const endedAt = '2030-03-01T10:00:00.000Z'
  expect(attempts).toEqual([{ inviteId, quizId: QUIZ, status: 'PASSED', startedAt: NOW, endedAt }])
  const validUntil = '2032-03-01T10:00:00.000Z'
  expect(certifications).toEqual([{ quizId: QUIZ, passedAt: endedAt, validUntil, valid: true }])
  await mock.clock.freeze(validUntil)
  expect(mock.candidate(INES.email).certifications).toMatchObject([{ valid: false }])
})

test('a fail earns one retake of the same quiz, and a failed retake earns none', async () => {
  const mock = createMockServer()
  const original = await openOne(mock)
  expect(original.offer).toBeNull()
  original.fail()
  expect(original.offer).toBe('retake')
  const retake = mock.open(original.claim('retake').inviteId)
  expect([original.offer, retake.invite.quizId]).toEqual([null, QUIZ])
  expect(refusalOf(() => original.claim('retake'))).toBe('NO_OFFER')
  retake.fail()
  expect(retake.offer).toBeNull()
})

test('a pass earns one level-up to the next level of the same skill if a READY quiz exists', async () => {
  const mock = createMockServer()
  const beginner = await openOne(mock)
  beginner.pass()
  expect(refusalOf(() => beginner.claim('retake'))).toBe('NO_OFFER')
  const intermediate = mock.open(beginner.claim('level-up').inviteId)
  expect(intermediate.invite).toMatchObject({ quizId: 'quiz_react_intermediate_state', level: 'INTERMEDIATE' })
  intermediate.pass()
  mock.disableQuiz('quiz_react_advanced_state')
  expect(intermediate.offer).toBeNull()
  mock.enableQuiz('quiz_react_advanced_state')
  const advanced = mock.open(intermediate.claim('level-up').inviteId)
  advanced.pass()
  expect(advanced.offer).toBeNull()
})

test('a level-up goes to the first READY quiz of the next level that the candidate is not certified in', async () => {
  const [bread, rye, wheat] = [
    ['bread', 'BEGINNER'],
    ['rye', 'INTERMEDIATE'],
    ['wheat', 'INTERMEDIATE'],
  ].map(([id = '', level]) => {
    const facts = { ready: true, durationMinutes: 20, enabledLanguages: ['en'], conceptsTested: [] }
    return { id, skillName: 'Bread', level: level as 'BEGINNER', ...facts }
  })
  const mock = createMockServer({ world: { quizzes: [bread, rye, wheat].filter((quiz) => quiz !== undefined) } })
  const earned = async (email: string) => {
    const challenge = await openOne(mock, { quizId: 'bread', candidate: { email } })
    challenge.pass()
    return challenge
  }
  expect((await earned('new@example.com')).claim('level-up').quizId).toBe('rye')
  mock.candidate('certified@example.com').certify('rye')
  expect((await earned('certified@example.com')).claim('level-up').quizId).toBe('wheat')
  mock.candidate('all@example.com').certify('rye')
  mock.candidate('all@example.com').certify('wheat')
  const all = await earned('all@example.com')
  expect(refusalOf(() => all.claim('level-up'))).toBe('NOT_ELIGIBLE')
})

test('a failed level-up earns a retake of its own', async () => {
  const mock = createMockServer()
  const beginner = await openOne(mock)
  beginner.pass()
  const levelUp = mock.open(beginner.claim('level-up').inviteId)
  levelUp.fail()
  expect(levelUp.claim('retake')).toMatchObject({ quizId: 'quiz_react_intermediate_state' })
})

test('a follow-up is a new invite open for 14 days, without e-mail, and inherits callbackUrl and externalReference', async () => {
  const mock = createMockServer({ now: NOW })
  const callbackUrl = 'https://app.example/hook'
  const original = await openOne(mock, { callbackUrl, externalReference: 'application-7' })
  original.fail()
  await mock.clock.advance('20d')
  const retake = original.claim('retake')
  expect(retake).toMatchObject({
    status: 'PENDING',
    candidate: INES,
    callbackUrl,
    externalReference: 'application-7',
    emailSent: false,
    createdAt: '2030-03-21T09:30:00.000Z',
    expiresAt: '2030-04-04T09:30:00.000Z',
    followUpOf: { inviteId: original.invite.inviteId, kind: 'retake' },
  })
  expect(original.invite.followedBy).toBe(retake.inviteId)
  expect(mock.outbox).toHaveLength(1)
  expect((await mock.fetch(retake.challengeUrl)).status).toBe(200)
})

test('the follow-up of a package invite inherits its callbackUrl and belongs to no package', async () => {
  const mock = createMockServer()
  const callbackUrl = 'https://app.example/hook'
  const [first] = (await invitePackage(mock, { callbackUrl })).invites
  const original = mock.open(first?.inviteId ?? '')
  original.fail()
  expect(original.claim('retake')).toMatchObject({ callbackUrl, packageId: null, externalReference: null })
})

test.each([
  ['pass', ['IN_PROGRESS', 'PASSED']],
  ['fail', ['IN_PROGRESS', 'FAILED']],
  ['abandon', ['IN_PROGRESS', 'ABANDONED']],
] as const)('%s@candidate.test acts on its own, one step per second', async (name, statuses) => {
  const mock = createMockServer({ now: NOW })
  const candidate = { email: `${name}+7@candidate.test` }
  const challenge = await openOne(mock, { candidate })
  for (const status of statuses) {
    await mock.clock.advance('999ms')
    expect(challenge.invite.status).not.toBe(status)
    await mock.clock.advance(1)
    expect(challenge.invite.status).toBe(status)
  }
})

test.each([
  ['retake', ['FAILED', 'PASSED']],
  ['level-up', ['PASSED', 'PASSED']],
])('%s@candidate.test claims what it has earned, and passes', async (name, statuses) => {
  const mock = createMockServer({ now: NOW })
  await invite(mock, { candidate: { email: `${name}@candidate.test` } })
  await mock.clock.advance('10s')
  expect(mock.invites.map(({ status }) => status)).toEqual(statuses)
  expect(mock.invites[1]?.followUpOf?.kind).toBe(name)
})

test('a magic candidate stops once a tester has used its link', async () => {
  const mock = createMockServer({ now: NOW })
  const challenge = await openOne(mock, { candidate: { email: 'pass@candidate.test' } })
  challenge.abandon()
  await mock.clock.advance('1d')
  expect(mock.invites.map(({ status }) => status)).toEqual(['ABANDONED'])
})

test('e-mails to bounce@ are reported as not sent; e-mails to lost@ are reported as sent, but never arrive', async () => {
  const mock = createMockServer()
  const sent = async (email: string) => (await invite(mock, { candidate: { email } })).emailSent
  expect(await Promise.all(['bounce@candidate.test', 'Bounce+1@Candidate.test'].map(sent))).toEqual([false, false])
  expect(await sent('lost@candidate.test')).toBe(true)
  expect(mock.outbox).toEqual([])
  expect(await sent('bounce@example.com')).toBe(true)
  expect(mock.outbox).toHaveLength(1)
})

test.each([
  ['cut-before', 0],
  ['cut-after', 1],
  ['garbled', 1],
  ['down', 0],
  ['limited', 0],
])('a create for %s@candidate.test fails as the name says, and leaves %i invites', async (name, invites) => {
  const mock = createMockServer()
  const input = { quizId: QUIZ, candidate: { email: `${name}+1@candidate.test` } }
  const outcome = await ask(mock, CREATE, { input }).then(
    ({ status }) => status,
    (error: Error) => error.message,
  )
  const told: Record<string, number | string> = { down: 503, limited: 429, garbled: 'terminated' }
  expect(outcome).toBe(told[name] ?? 'fetch failed')
  expect(mock.invites).toHaveLength(invites)
  await invite(mock, { candidate: { email: `${name}@example.com` } })
})
