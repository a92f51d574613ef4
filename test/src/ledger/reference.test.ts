import { expect, test } from 'vitest'
import type { Ledger } from '../../../src/ledger/index.ts'
import { failureOf } from '../failing.ts'
import { all, candidate, clientOf, DAY_MS, guardedSetting, PACKAGE, QUIZ } from './setting.ts'

const input = { quizId: QUIZ, candidate }
const hire = { reference: 'hire-4711' } as const
const CREATE = 'developerCreateCertificationInvite'

const statesOf = async (ledger: Ledger) =>
  (await all(ledger.list())).map(({ reference, state }) => `${reference} ${state}`).toSorted()

test.each([
  ['at once', 0, {}],
  ['after its link has expired', 14 * DAY_MS, {}],
  ['with ifInvited: create', 0, { ifInvited: 'create' }],
  ['with ifUnknown: create', 0, { ifUnknown: 'create' }],
] as const)('the same reference with the same input returns the recorded invite, %s', async (_when, ms, options) => {
  const { clock, guarded, ledger, mock } = await guardedSetting()
  const first = await guarded.invites.create(input, hire)
  mock.requestLog.clear()
  clock.advance(ms)
  const respelt = { quizId: ` ${QUIZ}`, candidate: { ...candidate, email: 'ADA@example.com' }, sendInviteEmail: true }
  expect(await guarded.invites.create(respelt, { ...hire, ...options })).toEqual(first)
  expect(mock.requestLog.list()).toEqual([])
  expect(await statesOf(ledger)).toEqual(['hire-4711 created'])
})

test('a package is created once per reference', async () => {
  const { guarded, mock } = await guardedSetting()
  const pack = { packageId: PACKAGE, candidate }
  const first = await guarded.packageInvites.create(pack, hire)
  expect(await guarded.packageInvites.create(pack, hire)).toEqual(first)
  expect(mock.invites).toHaveLength(first.invites.length)
})

test.each([
  ['candidate', { ...input, candidate: { email: 'grace@example.com' } }, ['candidate.email', 'candidate.name']],
  ['quiz', { ...input, quizId: 'quiz_react_beginner_hooks' }, ['quizId']],
  ['e-mail setting', { ...input, sendInviteEmail: false }, ['sendInviteEmail']],
  ['external reference', { ...input, externalReference: 'x' }, ['externalReference']],
])('a reference reused with another %s is refused, and the error names the fields', async (_what, other, fields) => {
  const { guarded, mock } = await guardedSetting()
  await guarded.invites.create(input, hire)
  const error = await failureOf(guarded.invites.create(other, hire))
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', outcome: 'not-executed', retryable: false })
  expect(error.issues.map(({ path }) => path)).toEqual(fields)
  expect(error.message).toContain(fields.join(', '))
  expect(mock.invites).toHaveLength(1)
})

test('a reference of another account is refused', async () => {
  const { guarded, ledger, mock } = await guardedSetting()
  await guarded.invites.create(input, hire)
  const other = clientOf(mock, { ledger, account: 'other' })
  const error = await failureOf(other.invites.create(input, hire))
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', issues: [{ path: 'account' }] })
})

test('a reference whose response was lost needs a person, whatever the options', async () => {
  const { guarded, mock } = await guardedSetting()
  mock.faults.add({ operation: CREATE, phase: 'after', fault: 'cut' })
  const lost = await failureOf(guarded.invites.create(input, hire))
  expect(lost).toMatchObject({ code: 'CONNECTION_LOST', outcome: 'unknown', reference: 'hire-4711' })
  for (const options of [{}, { ifInvited: 'create', ifUnknown: 'create' }] as const) {
    expect(await failureOf(guarded.invites.create(input, { ...hire, ...options }))).toMatchObject({
      code: 'PRIOR_OUTCOME_UNKNOWN',
      outcome: 'not-executed',
      reference: 'hire-4711',
    })
  }
  expect(mock.invites).toHaveLength(1)
})

test('an invite that a person found has no recorded link: ALREADY_INVITED carries its id', async () => {
  const { guarded, ledger, mock } = await guardedSetting()
  mock.faults.add({ operation: CREATE, phase: 'after', fault: 'cut' })
  await failureOf(guarded.invites.create(input, hire))
  const inviteId = mock.invites[0]?.inviteId ?? ''
  await ledger.resolve('hire-4711', { created: inviteId })
  const error = await failureOf(guarded.invites.create(input, hire))
  expect(error).toMatchObject({ code: 'ALREADY_INVITED', prior: [{ invites: [{ inviteId }] }] })
  expect(mock.invites).toHaveLength(1)
})

test('after a person has found that nothing was created, it is sent again as the next attempt', async () => {
  const { guarded, ledger, mock } = await guardedSetting()
  mock.faults.add({ operation: CREATE, phase: 'before', fault: 'cut' })
  await failureOf(guarded.invites.create(input, hire))
  await ledger.resolve('hire-4711', { notCreated: true })
  const created = await guarded.invites.create(input, hire)
  expect(await guarded.invites.create(input, hire)).toEqual(created)
  expect(await statesOf(ledger)).toEqual(['hire-4711 not-executed', 'hire-4711+2 created'])
  expect(mock.invites).toHaveLength(1)
})

test.each([{ status: 429 }, { code: 'FORBIDDEN' }, { code: 'UNAUTHENTICATED' }])(
  'after a transient refusal it is sent again until it is created: %j',
  async (fault) => {
    const { guarded, ledger, mock } = await guardedSetting()
    mock.faults.add({ operation: CREATE, times: 2, fault })
    const options = { ...hire, retry: false } as const
    for (const reference of ['hire-4711', 'hire-4711+2'])
      expect(await failureOf(guarded.invites.create(input, options))).toMatchObject({ reference })
    const created = await guarded.invites.create(input, options)
    expect(await guarded.invites.create(input, options)).toEqual(created)
    expect((await statesOf(ledger)).at(-1)).toBe('hire-4711+3 created')
    expect(mock.invites).toHaveLength(1)
  },
)

test('a refusal of the create itself is the recorded failure: nothing is sent again', async () => {
  const { guarded, mock } = await guardedSetting()
  const unknownQuiz = { quizId: 'quiz_of_nobody', candidate }
  const first = await failureOf(guarded.invites.create(unknownQuiz, hire))
  mock.requestLog.clear()
  const again = await failureOf(guarded.invites.create(unknownQuiz, hire))
  expect(again).toMatchObject({ code: 'BAD_USER_INPUT', outcome: 'not-executed', reference: 'hire-4711' })
  expect(again.possibleReasons).toEqual(first.possibleReasons)
  expect(again.hint).toContain('new reference')
  expect(mock.requestLog.list()).toEqual([])
  expect(await failureOf(guarded.invites.create(unknownQuiz, { reference: 'hire-4712' }))).toMatchObject({
    code: 'BAD_USER_INPUT',
  })
  expect(mock.requestLog.list()).toHaveLength(1)
})

test('while another process is sending it is IN_PROGRESS; after the lease its outcome is unknown', async () => {
  const { clock, guarded, ledger, mock } = await guardedSetting()
  await ledger.claim({
    scope: { baseUrl: mock.baseUrl, account: 'acme', world: '' },
    target: { email: candidate.email, quizIds: [QUIZ] },
    ...hire,
    input,
    leaseMs: 60_000,
  })
  for (const options of [{}, { ifInvited: 'create', ifUnknown: 'create' }] as const) {
    const error = await failureOf(guarded.invites.create(input, { ...hire, ...options }))
    expect(error).toMatchObject({ code: 'IN_PROGRESS', outcome: 'not-executed', retryable: true })
  }
  clock.advance(60_000)
  expect((await failureOf(guarded.invites.create(input, hire))).code).toBe('PRIOR_OUTCOME_UNKNOWN')
  expect(mock.requestLog.list()).toEqual([])
})

test('of many concurrent calls one is sent, and all return its invite', async () => {
  const { guarded, ledger, mock } = await guardedSetting()
  const calls = Array.from({ length: 20 }, () => guarded.invites.create(input, { ...hire, ifInvited: 'create' }))
  const ids = new Set((await Promise.all(calls)).map(({ inviteId }) => inviteId))
  expect(ids.size).toBe(1)
  expect(mock.invites).toHaveLength(1)
  expect(await statesOf(ledger)).toEqual(['hire-4711 created'])
})

test('of concurrent calls after an attempt that created nothing, one is sent, and the reference finds it', async () => {
  const { guarded, ledger, mock } = await guardedSetting()
  mock.faults.add({ operation: CREATE, fault: { status: 429 } })
  await failureOf(guarded.invites.create(input, { ...hire, retry: false }))
  const calls = Array.from({ length: 5 }, () => guarded.invites.create(input, hire))
  const ids = new Set((await Promise.all(calls)).map(({ inviteId }) => inviteId))
  expect([ids.size, mock.invites.length]).toEqual([1, 1])
  expect(await statesOf(ledger)).toEqual(['hire-4711 not-executed', 'hire-4711+2 created'])
  expect(await ledger.find('hire-4711')).toMatchObject({
    reference: 'hire-4711+2',
    invites: [{ inviteId: [...ids][0] }],
  })
})

test('a reference in use with another input is refused at once: it does not wait for the other call', async () => {
  const { guarded, clock, mock } = await guardedSetting()
  const grace = { ...input, candidate: { email: 'grace@example.com' } }
  const [one, other] = await Promise.all([
    guarded.invites.create(input, hire),
    failureOf(guarded.invites.create(grace, hire)),
  ])
  expect(other).toMatchObject({
    code: 'CONFIG_INVALID',
    issues: [{ path: 'candidate.email' }, { path: 'candidate.name' }],
  })
  expect([one.inviteId, clock.waits]).toEqual([mock.invites[0]?.inviteId, []])
})
