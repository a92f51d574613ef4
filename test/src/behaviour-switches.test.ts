import { expect, test } from 'vitest'
import { type BehaviourSwitches, createMockServer } from '../../mock-server/index.ts'
import { CertifyClient, type CertifyErrorCode } from '../../src/index.ts'
import { failureOf } from './failing.ts'

const quizId = 'quiz_react_beginner_components'
const packageId = 'pkg_react_beginner'
const candidate = { name: 'Ada Byron', email: 'ada@example.com' }
const certified = { name: 'Marta Lindqvist', email: 'marta.lindqvist@candidate.test' }
const busy = { name: 'Tomasz Okafor', email: 'tomasz.okafor@candidate.test' }

/** What a refusal is told as where nothing but the code can say it, and the answer has none. */
const noCode = { refused: 'API_ERROR', unauthenticated: 'API_ERROR', forbidden: 'API_ERROR' } as const

interface Told {
  readonly refused?: CertifyErrorCode
  readonly unauthenticated?: CertifyErrorCode
  readonly forbidden?: CertifyErrorCode
  readonly unknownId?: CertifyErrorCode
}

/** Every switch of the mock, one setting at a time; beside it what the client tells differently under it. */
const settings: readonly { readonly behaviour: Partial<BehaviourSwitches>; readonly told?: Told }[] = [
  { behaviour: {} },
  { behaviour: { candidateIdentity: 'exact-email' } },
  { behaviour: { candidateName: 'required' } },
  { behaviour: { pendingInvite: 'refuse' } },
  { behaviour: { pendingInvite: 'return-existing' } },
  { behaviour: { certificationValidity: 'never-expires' } },
  { behaviour: { certificationValidity: '90d' } },
  { behaviour: { unknownIdCode: 'NOT_FOUND' }, told: { unknownId: 'NOT_FOUND' } },
  { behaviour: { searchResult: 'matching-packages' } },
  { behaviour: { undeliverableTrack: 'omitted' } },
  { behaviour: { nullDescriptions: 'always' } },
  { behaviour: { internationalEmail: 'accept' } },
  { behaviour: { nullSendInviteEmail: 'refused' } },
  { behaviour: { invalidInputCode: 'VALIDATION_ERROR' } },
  { behaviour: { severalReasons: 'first' } },
  { behaviour: { bothCredentials: 'session' } },
  { behaviour: { sessionScopes: [] } },
  { behaviour: { unauthenticatedAnswer: 'graphql-401' } },
  { behaviour: { unauthenticatedAnswer: 'html-401' } },
  { behaviour: { unauthenticatedAnswer: 'graphql-200-without-code' }, told: { unauthenticated: 'API_ERROR' } },
  { behaviour: { forbiddenAnswer: 'graphql-403' } },
  { behaviour: { forbiddenAnswer: 'html-403' } },
  { behaviour: { forbiddenAnswer: 'graphql-200-without-code' }, told: { forbidden: 'API_ERROR' } },
  { behaviour: { errorCodePlace: 'top-level' } },
  { behaviour: { errorCodePlace: 'none' }, told: { ...noCode, unknownId: 'API_ERROR' } },
  { behaviour: { errorCodePlace: 'none', errorStatus: 400 }, told: { ...noCode, unknownId: 'API_ERROR' } },
  { behaviour: { errorStatus: 400 } },
  { behaviour: { refusedData: 'partial' } },
  { behaviour: { rateLimit: { requests: 100, per: '1m' } } },
  { behaviour: { runningAttempt: 'ends' } },
  { behaviour: { disabledQuizLinks: 'withdrawn' } },
  { behaviour: { followUpOffer: () => false } },
  { behaviour: { callbackRetries: [] } },
  { behaviour: { givenUpCallback: 'skip' } },
]

test.each(settings)(
  'under $behaviour the client lists, invites, and tells every refusal truly',
  async ({ behaviour, told = {} }) => {
    const mock = createMockServer({ behaviour })
    const clientWith = (apiKey: string) => new CertifyClient({ baseUrl: mock.baseUrl, apiKey, fetch: mock.fetch })
    const client = clientWith(mock.apiKey)
    const keyNamed = (name: string) => mock.apiKeys.find((each) => each.name === name)?.key ?? ''

    expect((await client.tracks.list({ search: 'react' })).map(({ slug }) => slug)).toContain('react')
    expect(await client.tracks.get('react')).toMatchObject({ slug: 'react' })
    expect(await client.tracks.get('no-such-track')).toBeNull()

    const single = await client.invites.create({ quizId, candidate })
    const grace = { name: 'Grace Hopper', email: 'grace@example.com' }
    const pack = await client.packageInvites.create({ packageId, candidate: grace })
    const links = [single, ...pack.invites].map(({ challengeUrl }) => challengeUrl)
    expect(mock.invites.map(({ challengeUrl }) => challengeUrl)).toEqual(links)

    const { refused = 'BAD_USER_INPUT', unauthenticated = 'UNAUTHENTICATED', forbidden = 'FORBIDDEN' } = told
    const refusals = [
      [refused, client.invites.create({ quizId, candidate: certified })],
      [refused, client.invites.create({ quizId, candidate: busy })],
      [refused, client.packageInvites.create({ packageId, candidate: certified })],
      [refused, client.packageInvites.create({ packageId, candidate: busy })],
      [told.unknownId ?? 'BAD_USER_INPUT', client.invites.create({ quizId: 'quiz_unknown', candidate })],
      [told.unknownId ?? 'BAD_USER_INPUT', client.packageInvites.create({ packageId: 'pkg_unknown', candidate })],
      [unauthenticated, clientWith('ck_wrong').invites.create({ quizId, candidate })],
      [forbidden, clientWith(keyNamed('read')).invites.create({ quizId, candidate })],
      [forbidden, clientWith(keyNamed('none')).tracks.list()],
    ] as const
    for (const [code, call] of refusals) {
      const error = await failureOf(call)
      expect(error.code).toBe(code)
      expect(error.possibleReasons.length > 0).toBe(code === 'BAD_USER_INPUT')
      /* Without a code nobody can know: then the client may say so, but never that something was created. */
      expect(code === 'API_ERROR' ? ['not-executed', 'unknown'] : ['not-executed']).toContain(error.outcome)
    }
    expect(mock.invites).toHaveLength(links.length)
  },
)

/* A record of every key, so that a new switch does not compile until it stands here. */
const switches: Record<keyof BehaviourSwitches, true> = {
  candidateIdentity: true,
  candidateName: true,
  pendingInvite: true,
  certificationValidity: true,
  unknownIdCode: true,
  searchResult: true,
  undeliverableTrack: true,
  nullDescriptions: true,
  internationalEmail: true,
  nullSendInviteEmail: true,
  invalidInputCode: true,
  severalReasons: true,
  bothCredentials: true,
  sessionScopes: true,
  unauthenticatedAnswer: true,
  forbiddenAnswer: true,
  errorCodePlace: true,
  errorStatus: true,
  refusedData: true,
  rateLimit: true,
  runningAttempt: true,
  disabledQuizLinks: true,
  followUpOffer: true,
  callbackRetries: true,
  givenUpCallback: true,
}

test('every switch of the mock is among the settings that the client is tested under', () => {
  const tested = settings.flatMap(({ behaviour }) => Object.keys(behaviour))
  expect([...new Set(tested)].toSorted()).toEqual(Object.keys(switches).toSorted())
})
