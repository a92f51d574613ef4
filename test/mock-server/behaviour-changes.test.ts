import { expect, test } from 'vitest'
import type { BehaviourSwitches } from '../../mock-server/generated/contract.ts'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { switchesWith } from '../../mock-server/contract/behaviour.ts'
import { ask, askAs, CREATE, CREATE_PACKAGE, INES, invite, keyOf, PACKAGE, QUIZ, TRACKS } from './calls.ts'

const NOW = '2030-03-01T09:30:00.000Z'
const HOOK = 'https://app.example/hook'
const INPUT = { quizId: QUIZ, candidate: INES }

/** What callbacks had in their headers, newest last. */
const sent: Headers[] = []

function mockWith(behaviour: Partial<BehaviourSwitches> = {}, status = 204): MockServer {
  sent.length = 0
  const deliver = (request: Request) => {
    sent.push(request.headers)
    return new Response(null, { status })
  }
  return createMockServer({ now: NOW, behaviour, callbacks: { deliver } })
}

/** The answer to a create, as far as switches affect it. */
async function created(mock: MockServer, input: object = {}, credentials?: Record<string, string>): Promise<string> {
  const given = { ...INPUT, ...input }
  const { status, body, type } = await askAs(mock, credentials ?? { 'x-api-key': keyOf(mock, 'full') }, CREATE, {
    input: given,
  })
  const [error] = body?.errors ?? []
  const code = (error as { code?: string } | undefined)?.code ?? error?.extensions?.code ?? 'no code'
  const outcome = error ? `${code} ${JSON.stringify(body?.data)}` : JSON.stringify(body?.data ?? 'no data')
  return `${status} ${type?.split(';')[0]} ${outcome.replaceAll(/inv_\w+|challenge\/\w+/g, '…')}`
}

async function listed(mock: MockServer, search: string | null = null): Promise<string> {
  const { body } = await ask(mock, TRACKS, { search })
  return JSON.stringify(body?.data)
}

/** How each switch shows: what is done before the switch changes, and what then is seen of it. */
interface Case {
  readonly to: Partial<BehaviourSwitches>
  readonly before?: (mock: MockServer) => unknown
  readonly seen: (mock: MockServer) => unknown
  /** How a receiver answers callbacks. */
  readonly answer?: number
}

const FAIL_AND_CALL = async (mock: MockServer) => {
  const { inviteId } = await invite(mock, { callbackUrl: HOOK })
  mock.open(inviteId).fail()
  await mock.settle()
  return inviteId
}

const CASES: Readonly<Record<keyof BehaviourSwitches, Case>> = {
  candidateIdentity: {
    to: { candidateIdentity: 'exact-email' },
    before: (mock) => {
      mock.candidate('Ada@example.com').certify(QUIZ)
      mock.candidate('Grace@example.com').startAttempt(QUIZ)
    },
    seen: async (mock) => [
      await created(mock, { candidate: { email: 'ada@example.com' } }),
      mock.candidate('Ada@example.com').certifications.length,
      mock.candidate('grace@example.com').attempts.length,
    ],
  },
  internationalEmail: {
    to: { internationalEmail: 'accept' },
    seen: (mock) => created(mock, { candidate: { email: 'inês@example.com' } }),
  },
  candidateName: {
    to: { candidateName: 'required' },
    seen: (mock) => created(mock, { candidate: { email: INES.email } }),
  },
  pendingInvite: {
    to: { pendingInvite: 'refuse' },
    before: invite,
    seen: (mock) => created(mock),
  },
  certificationValidity: {
    to: { certificationValidity: '1d' },
    seen: (mock) => {
      mock.candidate(INES.email).certify(QUIZ)
      return mock.candidate(INES.email).certifications
    },
  },
  runningAttempt: {
    to: { runningAttempt: 'ends' },
    before: async (mock) => {
      mock.open((await invite(mock)).inviteId).start()
      await mock.clock.advance('14d')
    },
    seen: (mock) => mock.candidate(INES.email).attempts,
  },
  disabledQuizLinks: {
    to: { disabledQuizLinks: 'withdrawn' },
    before: invite,
    seen: (mock) => {
      mock.disableQuiz(QUIZ)
      return mock.invites.map(({ status }) => status)
    },
  },
  followUpOffer: {
    to: { followUpOffer: () => false },
    before: async (mock) => mock.open((await invite(mock)).inviteId).fail(),
    seen: (mock) => mock.open(mock.invites[0]?.inviteId ?? '').offer,
  },
  unknownIdCode: { to: { unknownIdCode: 'NOT_FOUND' }, seen: (mock) => created(mock, { quizId: 'none' }) },
  searchResult: { to: { searchResult: 'matching-packages' }, seen: (mock) => listed(mock, 'practitioner') },
  undeliverableTrack: {
    to: { undeliverableTrack: 'omitted' },
    before: (mock) => {
      for (const { quizIds } of mock.tracks[0]?.packages ?? []) mock.disableQuiz(quizIds[0] ?? '')
    },
    seen: (mock) => listed(mock),
  },
  nullDescriptions: { to: { nullDescriptions: 'always' }, seen: (mock) => listed(mock) },
  nullSendInviteEmail: {
    to: { nullSendInviteEmail: 'refused' },
    seen: (mock) => created(mock, { sendInviteEmail: null }),
  },
  invalidInputCode: { to: { invalidInputCode: 'INVALID' }, seen: (mock) => created(mock, { callbackUrl: 'http://a' }) },
  severalReasons: {
    to: { severalReasons: 'first' },
    seen: async (mock) => {
      mock.disableQuiz(QUIZ)
      mock.disableQuiz('quiz_javascript_beginner')
      const { text } = await ask(mock, CREATE_PACKAGE, { input: { packageId: PACKAGE, candidate: INES } })
      return text
    },
  },
  bothCredentials: {
    to: { bothCredentials: 'session' },
    seen: (mock) => created(mock, { callbackUrl: HOOK }, { 'x-api-key': mock.apiKey, ...mock.adminSession.headers }),
  },
  sessionScopes: {
    to: { sessionScopes: ['CERTIFICATION_PACKAGE_READ'] },
    seen: (mock) => created(mock, {}, { ...mock.adminSession.headers }),
  },
  unauthenticatedAnswer: { to: { unauthenticatedAnswer: 'html-401' }, seen: (mock) => created(mock, {}, {}) },
  forbiddenAnswer: {
    to: { forbiddenAnswer: 'graphql-403' },
    seen: (mock) => created(mock, {}, { 'x-api-key': keyOf(mock, 'none') }),
  },
  errorCodePlace: { to: { errorCodePlace: 'none' }, seen: (mock) => created(mock, { quizId: 'none' }) },
  errorStatus: { to: { errorStatus: 400 }, seen: (mock) => created(mock, { quizId: 'none' }) },
  refusedData: { to: { refusedData: 'partial' }, seen: (mock) => created(mock, { quizId: 'none' }) },
  rateLimit: {
    to: { rateLimit: { requests: 0, per: '1m' } },
    seen: async (mock) => [await created(mock), mock.invites.length],
  },
  callbackRetries: {
    to: { callbackRetries: ['2h'] },
    answer: 503,
    seen: async (mock) => {
      await FAIL_AND_CALL(mock)
      return mock.callbacks.list().map(({ nextAttemptAt }) => nextAttemptAt)
    },
  },
  givenUpCallback: {
    to: { givenUpCallback: 'skip' },
    answer: 503,
    seen: async (mock) => {
      await FAIL_AND_CALL(mock)
      await mock.clock.advance('2h')
      return mock.callbacks.list().map(({ status }) => status)
    },
  },
  eventNames: {
    to: { eventNames: { 'certification.completed': 'done', result: 'outcome' } },
    seen: async (mock) => {
      const rule = (event: string) => {
        try {
          return mock.faults.add({ event, fault: 'drop' }).id
        } catch {
          return 'refused'
        }
      }
      const rules = [rule('certification.completed'), rule('done')]
      await FAIL_AND_CALL(mock)
      return [rules, mock.callbacks.list().map(({ type, body }) => [type, Object.keys(JSON.parse(body).data)])]
    },
  },
  callbackSigning: {
    to: { callbackSigning: { standardWebhooks: `whsec_${btoa('a secret of the receiver')}` } },
    seen: async (mock) => {
      await FAIL_AND_CALL(mock)
      return sent.at(-1)?.has('webhook-signature')
    },
  },
}

const cases = Object.entries(CASES).map(([name, one]) => ({ name: name as keyof BehaviourSwitches, ...one }))

test('every switch is in the table of changes', () => {
  expect(Object.keys(CASES).toSorted()).toEqual(Object.keys(switchesWith()).toSorted())
})

test.each(cases)('$name: a change counts at once, until a reset', async ({ name, to, before, seen, answer }) => {
  const look = async (changed: boolean) => {
    const mock = mockWith({}, answer)
    const initial = mock.behaviour[name]
    await before?.(mock)
    if (changed) mock.setBehaviour(to)
    expect(mock.behaviour[name]).toEqual(changed ? to[name] : initial)
    const shown = await seen(mock)
    mock.reset()
    expect(mock.behaviour[name]).toEqual(initial)
    await before?.(mock)
    return [shown, await seen(mock)]
  }
  const [unchanged, afterReset] = await look(false)
  const [changed, changedAndReset] = await look(true)
  expect(changed).not.toEqual(unchanged)
  expect(changedAndReset).toEqual(afterReset)
})

test.each(cases)('$name: a change shows what a mock with this switch shows', async ({ to, before, seen, answer }) => {
  const [changed, made] = [mockWith({}, answer), mockWith(to, answer)]
  await before?.(changed)
  changed.setBehaviour(to)
  const shown = await seen(changed)
  sent.length = 0
  await before?.(made)
  expect(shown).toEqual(await seen(made))
})

test('a switch that is wrong changes nothing, also none of the others', () => {
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

test('a switch that is left out or undefined stays as it is', () => {
  const mock = mockWith({ pendingInvite: 'refuse' })
  mock.setBehaviour({ pendingInvite: undefined, errorStatus: 400 } as object)
  expect([mock.behaviour.pendingInvite, mock.behaviour.errorStatus]).toEqual(['refuse', 400])
})

test('what is shown of the switches cannot change them', () => {
  const mock = mockWith({ sessionScopes: [] })
  Object.assign(mock.behaviour, { pendingInvite: 'refuse' })
  expect(mock.behaviour.pendingInvite).toBe('allow')
  const [given, rateLimit] = [['1s'] as ['1s'], { requests: 1, per: '1m' as const }]
  mock.setBehaviour({ callbackRetries: given, rateLimit })
  given.pop()
  rateLimit.requests = 100
  expect(mock.behaviour).toMatchObject({ callbackRetries: ['1s'], rateLimit: { requests: 1 } })
})

test('a new rate limit begins to count anew', async () => {
  const mock = mockWith({ rateLimit: { requests: 1, per: '1h' } })
  await invite(mock)
  expect((await ask(mock, TRACKS)).status).toBe(429)
  mock.setBehaviour({ rateLimit: { requests: 2, per: '1m' } })
  expect([(await ask(mock, TRACKS)).status, (await ask(mock, TRACKS)).status]).toEqual([200, 200])
  expect((await ask(mock, TRACKS)).status).toBe(429)
})

test('no identifier is given twice when candidates become two, or one again', async () => {
  const mock = mockWith()
  const both = async () => {
    for (const email of ['Ada@example.com', 'ada@example.com']) await invite(mock, { candidate: { email } })
  }
  await both()
  mock.setBehaviour({ candidateIdentity: 'exact-email' })
  await both()
  mock.setBehaviour({ candidateIdentity: 'normalised-email' })
  await both()
  expect(new Set(mock.invites.map(({ inviteId }) => inviteId)).size).toBe(6)
  expect(new Set(mock.invites.map(({ challengeUrl }) => challengeUrl)).size).toBe(6)
})

test('two candidates who become one keep an attempt in progress, whichever began later', async () => {
  const mock = mockWith({ candidateIdentity: 'exact-email' })
  const running = mock.open((await invite(mock, { candidate: { email: 'Ada@example.com' } })).inviteId)
  running.start()
  await mock.clock.advance('1d')
  mock.open((await invite(mock, { candidate: { email: 'ada@example.com' } })).inviteId).fail()
  mock.setBehaviour({ candidateIdentity: 'normalised-email' })
  expect(mock.candidate('ADA@example.com').attempts.map(({ status }) => status)).toEqual(['IN_PROGRESS', 'FAILED'])
  expect(await created(mock, { candidate: { email: 'ada@example.com' } })).toContain('BAD_USER_INPUT')
  running.pass()
  expect(mock.candidate('ada@example.com').certifications).toHaveLength(1)
})
