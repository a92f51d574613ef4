import { expect, test, vi } from 'vitest'
import { callbackUrls } from '../../../src/callbacks/index.ts'
import type { WholeLedger } from './whole.ts'
import { failureOf } from '../failing.ts'
import { all, candidate, clientOf, DAY_MS, guardedSetting, QUIZ } from './setting.ts'

const input = { quizId: QUIZ, candidate }
const hire = { reference: 'hire-4711' } as const
const CREATE = 'developerCreateCertificationInvite'

const statesOf = async (ledger: WholeLedger) =>
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

test('a reference reused with another input is refused, and the error names the fields that differ', async () => {
  const { guarded, mock } = await guardedSetting()
  await guarded.invites.create(input, hire)
  const other = { ...input, candidate: { email: 'grace@example.com' }, sendInviteEmail: false }
  const error = await failureOf(guarded.invites.create(other, hire))
  expect(error).toMatchObject({
    code: 'REFERENCE_CONFLICT',
    outcome: 'not-executed',
    retryable: false,
    reference: 'hire-4711',
    prior: [{ reference: 'hire-4711', state: 'created', invites: [{ inviteId: mock.invites[0]?.inviteId }] }],
  })
  expect(error.issues.map(({ path }) => path)).toEqual(['candidate.email', 'sendInviteEmail'])
  expect(error.message).toContain('candidate.email, sendInviteEmail')
  expect(mock.invites).toHaveLength(1)
})

test('a reference of another account is refused', async () => {
  const { guarded, ledger, mock } = await guardedSetting()
  await guarded.invites.create(input, hire)
  const other = clientOf(mock, { ledger, account: 'other' })
  const error = await failureOf(other.invites.create(input, hire))
  expect(error).toMatchObject({ code: 'REFERENCE_CONFLICT', issues: [{ path: 'account' }], prior: [] })
})

test('a callback URL that the client mints is not compared: it differs for each call', async () => {
  const { ledger, mock } = await guardedSetting()
  const callbacks = callbackUrls({ baseUrl: 'https://app.example', secrets: ['a'.repeat(32)] })
  const first = await clientOf(mock, { ledger, callbacks }).invites.create(input, hire)
  expect(await clientOf(mock, { ledger }).invites.create(input, hire)).toEqual(first)
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

test('callers who waited for a create that was refused send their own, one at a time', async () => {
  const { guarded, ledger, mock } = await guardedSetting()
  mock.faults.add({ operation: CREATE, times: 3, fault: { code: 'BAD_USER_INPUT' } })
  const ends = await Promise.allSettled(Array.from({ length: 8 }, () => guarded.invites.create(input, hire)))
  const invites = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.inviteId] : []))
  expect([invites.length, new Set(invites).size, mock.invites.length]).toEqual([5, 1, 1])
  expect(mock.requestLog.list()).toHaveLength(4)
  expect((await ledger.find('hire-4711'))?.history.map(({ what }) => what)).toEqual([
    ...Array.from({ length: 3 }, () => ['sent', 'refused']).flat(),
    'sent',
    'created',
  ])
})

test('a reference in use with another input is refused at once: it does not wait for the other call', async () => {
  const { guarded, clock, mock } = await guardedSetting()
  const grace = { ...input, candidate: { email: 'grace@example.com' } }
  const [one, other] = await Promise.all([
    guarded.invites.create(input, hire),
    failureOf(guarded.invites.create(grace, hire)),
  ])
  expect(other).toMatchObject({
    code: 'REFERENCE_CONFLICT',
    issues: [{ path: 'candidate.email' }],
    prior: [{ state: 'sending' }],
  })
  expect([one.inviteId, clock.waits]).toEqual([mock.invites[0]?.inviteId, []])
})

test('while the circuit breaker is open, creates leave the ledger as it was, and what it has is answered', async () => {
  const { clock, guarded, ledger, mock } = await guardedSetting()
  const opened = vi.fn<(event: object) => void>()
  const other = clientOf(mock, { ledger, hooks: { onBreakerOpened: opened } })
  const created = await guarded.invites.create(input, hire)
  const refused = { quizId: QUIZ, candidate: { email: 'refused@example.com' } }
  mock.faults.add({ operation: CREATE, fault: { code: 'BAD_USER_INPUT' } })
  await failureOf(guarded.invites.create(refused, { reference: 'refused-1' }))
  mock.faults.add({ fault: 503, times: Number.POSITIVE_INFINITY })
  const lost = { quizId: QUIZ, candidate: { email: 'lost@example.com' } }
  expect(await failureOf(other.invites.create(lost))).toMatchObject({ outcome: 'unknown' })
  expect(opened.mock.calls).toMatchObject([[{ code: 'SERVER_FAULT', status: 503, unknown: 1 }]])
  clock.advance(1000)
  const before = await all(ledger.list())
  const sent = mock.requestLog.list().length
  const fresh = { quizId: QUIZ, candidate: { email: 'fresh@example.com' } }
  for (const create of [
    () => guarded.invites.create(fresh),
    () => guarded.invites.create(fresh, { reference: 'fresh-1' }),
    () => other.invites.create(refused, { reference: 'refused-1' }),
    () => other.invites.create(fresh, { reference: 'refused-1' }),
  ]) {
    expect(await failureOf(create())).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      outcome: 'not-executed',
      retryable: true,
      retryAfterMs: 500,
    })
  }
  expect(await all(ledger.list())).toEqual(before.toSorted((one) => (one.reference === 'refused-1' ? -1 : 1)))
  expect((await ledger.purge({ email: 'refused@example.com' })).removed).toBe(1)
  expect(await all(ledger.list({ email: 'fresh@example.com' }))).toEqual([])
  /* One probe for all of them. */
  expect(mock.requestLog.list().length - sent).toBe(1)
  expect(await guarded.invites.create(input, hire)).toEqual(created)
  expect(await failureOf(guarded.invites.create(lost))).toMatchObject({ code: 'PRIOR_OUTCOME_UNKNOWN' })
})
