import { expect, test, vi } from 'vitest'
import { createMockServer, type MockServer } from '../../../mock-server/index.ts'
import { type ApiKeyOptions, CertifyClient, CertifyError } from '../../../src/index.ts'
import { API_PATH } from '../../../src/util/url.ts'
import { scopeOf } from '../../../src/ledger/index.ts'
import { mockWorldAt } from '../../../src/ledger/scope.ts'
import { everythingShown, failureOf } from '../failing.ts'
import { all, candidate, clientOf, firstListedWithout, freshLedger, guardedSetting, PACKAGE, QUIZ } from './setting.ts'
import { claimOf, invite as inviteOf, settle } from './contract/samples.ts'

const single = 'developerCreateCertificationInvite'

test('a create is recorded with its complete result, under the reference that the service saw', async () => {
  const { guarded, ledger, mock } = await guardedSetting()
  const invite = await guarded.invites.create({ quizId: QUIZ, candidate })
  const [record] = await all(ledger.list())
  expect(record).toMatchObject({ state: 'created', input: { quizId: QUIZ, candidate }, invites: [invite] })
  expect(record).toMatchObject({ baseUrl: mock.baseUrl, account: 'acme', world: '' })
})

test('"reuse" returns the recorded invite, and "create" sends another one', async () => {
  const { guarded, mock } = await guardedSetting()
  const first = await guarded.invites.create({ quizId: QUIZ, candidate })
  const respelt = { quizId: QUIZ, candidate: { ...candidate, email: 'Ada@Example.com' }, sendInviteEmail: true }
  expect(await guarded.invites.create(respelt, { ifInvited: 'reuse' })).toEqual(first)
  expect(mock.invites).toHaveLength(1)
  const second = await guarded.invites.create({ quizId: QUIZ, candidate }, { ifInvited: 'create' })
  expect(second.inviteId).not.toBe(first.inviteId)
  const pack = { packageId: 'pkg_sql_beginner', candidate }
  const made = await guarded.packageInvites.create(pack)
  expect(await guarded.packageInvites.create(pack, { ifInvited: 'reuse' })).toEqual(made)
})

const listings = (mock: MockServer) =>
  mock.requestLog.list().filter(({ operations }) => operations.includes('developerCertificationPackageTracks'))

test('a package whose response names a quiz that the list lacks is listed again before its next create', async () => {
  const { ledger, mock } = await guardedSetting()
  const guarded = clientOf(mock, { ledger, fetch: firstListedWithout(mock, QUIZ) })
  const pack = (email: string) => guarded.packageInvites.create({ packageId: PACKAGE, candidate: { email } })
  await guarded.invites.create({ quizId: QUIZ, candidate })
  expect((await pack('eve@example.com')).invites.map(({ quizId }) => quizId)).toContain(QUIZ)
  expect(await failureOf(pack(candidate.email))).toMatchObject({ code: 'ALREADY_INVITED' })
  await pack('grace@example.com')
  expect(listings(mock)).toHaveLength(2)
})

test('a record has the title and the level from any list of the service that a client of its ledger has read', async () => {
  const { guarded, ledger, mock } = await guardedSetting()
  const about = async ({ reference = '' }) => {
    const { title, level } = (await ledger.find(reference)) ?? {}
    return [title, level]
  }
  await guarded.invites.create({ quizId: QUIZ, candidate }, { reference: 'unlisted' })
  expect(listings(mock)).toHaveLength(0)
  const grace = { email: 'grace@example.com' }
  await guarded.packageInvites.create({ packageId: 'pkg_sql_beginner', candidate: grace }, { reference: 'package' })
  await guarded.invites.create({ quizId: QUIZ, candidate: grace }, { reference: 'quiz' })
  await expect.poll(() => about({ reference: 'unlisted' })).toEqual(['State and Events', 'BEGINNER'])
  expect(await about({ reference: 'package' })).toEqual(['SQL Fundamentals', 'BEGINNER'])
  expect(await about({ reference: 'quiz' })).toEqual(['State and Events', 'BEGINNER'])
  expect(listings(mock)).toHaveLength(1)
})

test.each([
  [{ createdAt: '2029-12-31T00:00:00Z' }, '2030-01-14T00:00:00.000Z'],
  [{}, '2030-01-15T00:00:00.000Z'],
  [{ expiresAt: '2030-01-03T00:00:00Z' }, '2030-01-03T00:00:00.000Z'],
])('a create that returns an imported invite has its expiry: %j', async (times, expiresAt) => {
  const { guarded, ledger, mock } = await guardedSetting()
  const { email, name } = candidate
  const challengeUrl = 'https://certify.test/challenge/inv_1'
  const invite = { email, name, quizId: QUIZ, inviteIds: ['inv_1'], challengeUrl, reference: 'old', from: 'our ATS' }
  await ledger.import([{ ...invite, ...times }], await scopeOf(guarded))
  const created = { inviteId: 'inv_1', challengeUrl, status: null, emailSent: null, expiresAt }
  expect(await guarded.invites.create({ quizId: QUIZ, candidate }, { reference: 'old' })).toEqual(created)
  expect(await guarded.invites.create({ quizId: QUIZ, candidate }, { ifInvited: 'reuse' })).toEqual(created)
  expect(mock.invites).toEqual([])
})

test.each<[how: string, read: (client: CertifyClient) => Promise<unknown>]>([
  ['tracks.list', (client) => client.tracks.list()],
  ['tracks.list with a search', (client) => client.tracks.list({ search: 'React' })],
  ['tracks.get', (client) => client.tracks.get('react')],
])('the titles of %s are recorded with creates of other clients of the ledger, lost ones too', async (_how, read) => {
  const { ledger, mock } = await guardedSetting()
  await read(clientOf(mock, { ledger, account: 'globex' }))
  const lost = clientOf(mock, { ledger, fetch: async () => new Response(null, { status: 502 }) })
  await failureOf(lost.invites.create({ quizId: ` ${QUIZ}`, candidate }, { reference: 'lost' }))
  expect(await ledger.find('lost')).toMatchObject({ state: 'unknown', title: 'State and Events', level: 'BEGINNER' })
})

test('an unknown package is not sent while the packages cannot be listed', async () => {
  const { guarded, mock } = await guardedSetting()
  mock.disableQuiz(QUIZ)
  await guarded.packageInvites.create({ packageId: 'pkg_sql_beginner', candidate })
  mock.enableQuiz(QUIZ)
  const before = mock.invites.length
  mock.faults.add({ operation: 'developerCertificationPackageTracks', fault: { status: 503 } })
  const error = await failureOf(guarded.packageInvites.create({ packageId: PACKAGE, candidate }, { retry: false }))
  expect(error).toMatchObject({ operation: 'tracks.list', outcome: 'not-executed' })
  expect(mock.invites).toHaveLength(before)
})

test.each([
  ['whole', {}],
  ['odd', { emailSent: 'yes' }],
])('a response with an invite of another candidate is RESPONSE_MISMATCHED, and unknown: %s', async (_what, odd) => {
  const { guarded, ledger, mock } = await guardedSetting()
  /* What another process sent and recorded. */
  const theirs = inviteOf('inv_of_otto')
  const input = { quizId: QUIZ, candidate: { email: 'otto@example.com' } }
  await ledger.claim(claimOf(input, 'otto', { baseUrl: mock.baseUrl, account: 'acme' }))
  await settle(ledger, 'otto', { state: 'created', invites: [theirs] })
  mock.faults.add({ fault: { status: 200, body: JSON.stringify({ data: { [single]: { ...theirs, ...odd } } }) } })
  const error = await failureOf(guarded.invites.create({ quizId: QUIZ, candidate }))
  expect(error).toMatchObject({ code: 'RESPONSE_MISMATCHED', outcome: 'unknown', partial: undefined })
  expect(await ledger.find(error.reference ?? '')).toMatchObject({ state: 'unknown', code: 'RESPONSE_MISMATCHED' })
  const again = await failureOf(guarded.invites.create({ quizId: QUIZ, candidate }))
  expect(again.code).toBe('PRIOR_OUTCOME_UNKNOWN')
})

test('an unknown outcome is sent again only with ifUnknown: create', async () => {
  const { guarded, mock } = await guardedSetting()
  mock.faults.add({ operation: single, phase: 'before', fault: 'cut' })
  await failureOf(guarded.invites.create({ quizId: QUIZ, candidate }))
  await guarded.invites.create({ quizId: QUIZ, candidate }, { ifUnknown: 'create' })
  expect(mock.invites).toHaveLength(1)
})

test.each([
  [
    'the service says no',
    'quiz_of_nobody',
    undefined,
    'BAD_USER_INPUT',
    [{ state: 'refused', code: 'BAD_USER_INPUT' }],
  ],
  [
    'it never got there, by forgetting it',
    QUIZ,
    { fault: { status: 429, headers: { 'retry-after': '999' } } },
    'RATE_LIMITED',
    [],
  ],
] as const)('the ledger records that %s, and the next call is sent', async (_what, quizId, rule, code, records) => {
  const { guarded, ledger, mock } = await guardedSetting()
  if (rule !== undefined) mock.faults.add(rule)
  expect((await failureOf(guarded.invites.create({ quizId, candidate }))).code).toBe(code)
  expect(await all(ledger.list())).toMatchObject(records)
  await guarded.invites.create({ quizId: QUIZ, candidate })
  expect(mock.invites).toHaveLength(1)
})

test('invalid input reaches neither the service nor the ledger', async () => {
  const { guarded, ledger, mock } = await guardedSetting()
  const error = await failureOf(guarded.invites.create({ quizId: QUIZ, candidate: { email: 'nobody' } }))
  expect(error.code).toBe('INPUT_INVALID')
  expect(await all(ledger.list())).toEqual([])
  expect(mock.requestLog.list()).toEqual([])
})

test('of concurrent creates for one candidate one is sent; the others wait, then get ALREADY_INVITED or its invite', async () => {
  const { guarded, mock } = await guardedSetting()
  const input = { quizId: QUIZ, candidate }
  const [one, two, three] = await Promise.all([
    guarded.invites.create(input),
    guarded.invites.create(input, { ifInvited: 'reuse' }),
    failureOf(guarded.invites.create(input)),
  ])
  expect(two).toEqual(one)
  expect(three.code).toBe('ALREADY_INVITED')
  expect(mock.invites).toHaveLength(1)
})

/* A candidate whom another call is inviting. */
async function inProgressSetting(options: Partial<ApiKeyOptions> = {}) {
  const { ledger, mock, clock } = await guardedSetting()
  const input = { quizId: QUIZ, candidate }
  await ledger.claim(claimOf(input, 'held', { baseUrl: mock.baseUrl, account: 'acme', leaseMs: 600_000 }))
  const guarded = clientOf(mock, { ledger, account: 'acme', ...options })
  return { guarded, mock, clock, input }
}

test('a create that another call is sending is polled with backoff until the deadline; a hook is told once', async () => {
  const told: CertifyError[] = []
  const hooks = { onInProgress: (event: CertifyError) => told.push(event) }
  const { guarded, mock, clock, input } = await inProgressSetting({ deadlineMs: 5000, hooks })
  const error = await failureOf(guarded.invites.create(input))
  expect(error).toMatchObject({
    code: 'IN_PROGRESS',
    outcome: 'not-executed',
    operation: 'invites.create',
    prior: [{ reference: 'held', state: 'sending', invites: [] }],
  })
  expect(error.retryable).toBe(true)
  expect(told).toMatchObject([{ code: 'IN_PROGRESS', prior: [{ reference: 'held' }] }])
  expect(`${error.message} ${error.hint}`).toMatch(/another call is inviting this candidate.*[Cc]all again/)
  expect(clock.waits).toEqual([50, 100, 200, 400, 800, 1000, 1000, 1000, 450])
  expect(mock.requestLog.list()).toEqual([])
  for (const secret of ['ada@', 'Ada Byron']) expect(everythingShown(error)).not.toContain(secret)
})

test('if the ledger cannot record, nothing is sent', async () => {
  const { guarded, ledger, mock } = await guardedSetting()
  await ledger.close()
  expect((await failureOf(guarded.invites.create({ quizId: QUIZ, candidate }))).code).toBe('LEDGER_UNUSABLE')
  expect(mock.requestLog.list()).toEqual([])
})

test('a blank account is refused', async () => {
  const { ledger, mock } = await guardedSetting()
  expect(() => clientOf(mock, { ledger, account: ' ' })).toThrow(/account/)
})

test('a reference of the real service is refused for a mock, and the error says whose record it is', async () => {
  const mock = createMockServer()
  const ledger = await freshLedger()
  const real = 'https://certify.example.com'
  const options = { reference: 'application-1' }
  const service = clientOf(mock, {
    baseUrl: real,
    fetch: (url, init) => mock.fetch(url.replace(real, mock.baseUrl), init),
    ledger,
  })
  const { inviteId } = await service.invites.create({ quizId: QUIZ, candidate }, options)
  const tried = clientOf(mock, { fetch: mock.fetch, ledger })
  const error = await failureOf(tried.invites.create({ quizId: QUIZ, candidate }, options))
  expect(error).toMatchObject({ code: 'REFERENCE_CONFLICT', outcome: 'not-executed' })
  expect(error.message).toContain(`recorded for ${real}, not for this mock. Nothing was sent.`)
  expect(error.hint).toContain('Keep this ledger')
  expect((await service.invites.create({ quizId: QUIZ, candidate }, options)).inviteId).toBe(inviteId)
  expect(mock.invites).toHaveLength(1)
})

test('a restarted mock is a different world: invites of the previous one are not reused', async () => {
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
  const ledger = await freshLedger()
  const listener = await mock.listen()
  const input = { quizId: QUIZ, candidate }
  const inThisWorld = () => {
    const client = new CertifyClient({ baseUrl: listener.url, apiKey: mock.apiKey, ledger })
    return client.invites.create(input, { ifInvited: 'reuse' })
  }
  const first = await inThisWorld()
  expect(await inThisWorld()).toEqual(first)
  expect(await mockWorldAt(listener.url + API_PATH)).toBe(mock.worldId)
  mock.reset()
  await inThisWorld()
  expect(mock.invites).toHaveLength(1)
  await mock.close()
  expect(await mockWorldAt(listener.url + API_PATH)).toBeUndefined()
  expect(await mockWorldAt(`https://certify.example.com${API_PATH}`)).toBe('')
})

test('a client asks a mock before each create which world it has, also if the mock was not running at first', async () => {
  const ledger = await freshLedger()
  const first = createMockServer()
  const { port, url } = await first.listen()
  await first.close()
  const client = new CertifyClient({ baseUrl: url, apiKey: first.apiKey, ledger })
  const create = async (reference: string) => client.invites.create({ quizId: QUIZ, candidate }, { reference })
  expect((await failureOf(create('before'))).code).toBe('UNREACHABLE')
  for (const round of ['one', 'two']) {
    const mock = createMockServer()
    await mock.listen({ port })
    await create(round)
    expect(await ledger.find(round)).toMatchObject({ state: 'created', world: mock.worldId })
    await mock.close()
  }
  expect(await ledger.check()).toMatchObject({ accounts: {} })
})

test('a mock in the same process is a world of its own, and another one after a reset', async () => {
  const { ledger, mock } = await guardedSetting()
  const client = clientOf(mock, { ledger, fetch: mock.fetch })
  for (const reference of ['one', 'two']) {
    await client.invites.create({ quizId: QUIZ, candidate }, { reference })
    expect([mock.invites.length, (await ledger.find(reference))?.world]).toEqual([1, mock.worldId])
    mock.reset()
  }
})

test('a mock that does not respond is not mistaken for the real service, which would be another scope', async () => {
  const unusable = { code: 'LEDGER_UNUSABLE', outcome: 'not-executed' }
  const timeout = vi.spyOn(AbortSignal, 'timeout')
  timeout.mockReturnValue(AbortSignal.abort(new DOMException('too late', 'TimeoutError')))
  await expect(mockWorldAt(`http://127.0.0.1:4010${API_PATH}`)).rejects.toMatchObject(unusable)
  timeout.mockRestore()
})
