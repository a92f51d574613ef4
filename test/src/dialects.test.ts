import { expect, test } from 'vitest'
import { createMockServer, type Dialect } from '../../mock-server/index.ts'
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
const settings: readonly { readonly dialect: Partial<Dialect>; readonly told?: Told }[] = [
  { dialect: {} },
  { dialect: { candidateIdentity: 'exact-email' } },
  { dialect: { candidateName: 'required' } },
  { dialect: { pendingInvite: 'refuse' } },
  { dialect: { pendingInvite: 'return-existing' } },
  { dialect: { certificationValidity: 'never-expires' } },
  { dialect: { certificationValidity: '90d' } },
  { dialect: { unknownIdCode: 'NOT_FOUND' }, told: { unknownId: 'NOT_FOUND' } },
  { dialect: { searchResult: 'matching-packages' } },
  { dialect: { undeliverableTrack: 'omitted' } },
  { dialect: { nullSendInviteEmail: 'refused' } },
  { dialect: { invalidInputCode: 'VALIDATION_ERROR' } },
  { dialect: { severalReasons: 'first' } },
  { dialect: { bothCredentials: 'session' } },
  { dialect: { sessionScopes: [] } },
  { dialect: { unauthenticatedAnswer: 'graphql-401' } },
  { dialect: { unauthenticatedAnswer: 'html-401' } },
  { dialect: { unauthenticatedAnswer: 'graphql-200-without-code' }, told: { unauthenticated: 'API_ERROR' } },
  { dialect: { forbiddenAnswer: 'graphql-403' } },
  { dialect: { forbiddenAnswer: 'html-403' } },
  { dialect: { forbiddenAnswer: 'graphql-200-without-code' }, told: { forbidden: 'API_ERROR' } },
  { dialect: { errorCodePlace: 'top-level' } },
  { dialect: { errorCodePlace: 'none' }, told: { ...noCode, unknownId: 'API_ERROR' } },
  { dialect: { errorCodePlace: 'none', errorStatus: 400 }, told: { ...noCode, unknownId: 'API_ERROR' } },
  { dialect: { errorStatus: 400 } },
  { dialect: { refusedData: 'partial' } },
  { dialect: { rateLimit: { requests: 100, per: '1m' } } },
  { dialect: { runningAttempt: 'ends' } },
  { dialect: { disabledQuizLinks: 'withdrawn' } },
  { dialect: { followUpOffer: () => false } },
  { dialect: { callbackRetries: [] } },
  { dialect: { givenUpCallback: 'skip' } },
  { dialect: { eventNames: { 'certification.completed': 'result' } } },
  { dialect: { callbackSigning: { standardWebhooks: 'whsec_c2FuZGJveA==' } } },
]

test.each(settings)(
  'under $dialect the client lists, invites, and tells every refusal truly',
  async ({ dialect, told = {} }) => {
    const mock = createMockServer({ dialect })
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
const switches: Record<keyof Dialect, true> = {
  candidateIdentity: true,
  candidateName: true,
  pendingInvite: true,
  certificationValidity: true,
  unknownIdCode: true,
  searchResult: true,
  undeliverableTrack: true,
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
  eventNames: true,
  callbackSigning: true,
}

test('every switch of the mock is among the settings that the client is tested under', () => {
  const tested = settings.flatMap(({ dialect }) => Object.keys(dialect))
  expect([...new Set(tested)].toSorted()).toEqual(Object.keys(switches).toSorted())
})
