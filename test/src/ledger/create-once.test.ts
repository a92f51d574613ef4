import { expect, test } from 'vitest'
import { type InviteInput, settle } from '../../../src/index.ts'
import { type CreateOnceOptions, createOnce, type GuardedClient, type Ledger } from '../../../src/ledger/index.ts'
import { failureOf } from '../failing.ts'
import { all, candidate, DAY_MS, guardedSetting, PACKAGE, QUIZ } from './setting.ts'

const input = { quizId: QUIZ, candidate }
const job = { reference: 'job-17' }
const CREATE = 'developerCreateCertificationInvite'

const statesOf = async (ledger: Ledger) =>
  (await all(ledger.list())).map(({ reference, state }) => `${reference} ${state}`).toSorted()

test('a job that is delivered again ends with the invite of the first delivery, and sends nothing', async () => {
  const { guarded, ledger, mock } = await guardedSetting()
  const first = await createOnce(guarded, input, job)
  expect(first).toMatchObject({ status: 'created', invites: [{ challengeUrl: expect.any(String) }] })
  mock.requestLog.clear()
  expect(await createOnce(guarded, input, job)).toEqual(first)
  expect(mock.requestLog.list()).toEqual([])
  expect(await statesOf(ledger)).toEqual(['job-17 created'])
})

test.each([
  ['after its link has expired', 14 * DAY_MS, {}],
  ['with ifInvited: create', 0, { ifInvited: 'create' }],
  ['with ifUnknown: create', 0, { ifUnknown: 'create' }],
] as const)('a job that created an invite sends nothing when it is delivered again %s', async (_when, ms, options) => {
  const { clock, guarded, mock } = await guardedSetting()
  const first = await createOnce(guarded, input, job)
  clock.advance(ms)
  expect(await createOnce(guarded, input, { ...job, ...options })).toEqual(first)
  expect(mock.invites).toHaveLength(1)
})

test('a job may have another name or callback URL when it is delivered again', async () => {
  const { guarded, mock } = await guardedSetting()
  const first = await createOnce(guarded, { ...input, callbackUrl: 'https://acme.test/one' }, job)
  const again = { ...input, candidate: { ...candidate, name: 'Ada' }, callbackUrl: 'https://acme.test/two' }
  expect(await createOnce(guarded, again, job)).toEqual(first)
  expect(mock.invites).toHaveLength(1)
})

test('a job whose response was lost needs a person, however often it is delivered', async () => {
  const { guarded, mock } = await guardedSetting()
  mock.faults.add({ operation: CREATE, phase: 'after', fault: 'cut' })
  expect(await createOnce(guarded, input, job)).toMatchObject({
    status: 'unknown',
    error: { code: 'CONNECTION_LOST', outcome: 'unknown', reference: 'job-17' },
  })
  for (const options of [{}, { ifInvited: 'create', ifUnknown: 'create' }] as const) {
    expect(await createOnce(guarded, input, { ...job, ...options })).toMatchObject({
      status: 'unknown',
      error: { code: 'PRIOR_OUTCOME_UNKNOWN', outcome: 'not-executed', reference: 'job-17' },
    })
  }
  expect(mock.invites).toHaveLength(1)
})

test('after a person has found the invite, the job is done; its link is not known', async () => {
  const { guarded, ledger, mock } = await guardedSetting()
  mock.faults.add({ operation: CREATE, phase: 'after', fault: 'cut' })
  await createOnce(guarded, input, job)
  const inviteId = mock.invites[0]?.inviteId ?? ''
  await ledger.resolve('job-17', { created: inviteId })
  const { status, invites } = await createOnce(guarded, input, job)
  expect({ status, invites }).toEqual({
    status: 'created',
    invites: [{ inviteId, quizId: QUIZ, expiresAt: expect.any(String) }],
  })
  expect(mock.invites).toHaveLength(1)
})

test('after a person has found that nothing was created, the job is sent again, under the next reference', async () => {
  const { guarded, ledger, mock } = await guardedSetting()
  mock.faults.add({ operation: CREATE, phase: 'before', fault: 'cut' })
  expect((await createOnce(guarded, input, job)).status).toBe('unknown')
  await ledger.resolve('job-17', { notCreated: true })
  const created = await createOnce(guarded, input, job)
  expect(created.status).toBe('created')
  expect(await createOnce(guarded, input, job)).toEqual(created)
  expect(await statesOf(ledger)).toEqual(['job-17 not-executed', 'job-17+2 created'])
  expect(mock.invites).toHaveLength(1)
})

test('while another delivery is being sent, nothing is sent and nobody waits: the job is to be delivered later', async () => {
  const { clock, guarded, ledger, mock } = await guardedSetting()
  await claimFor(ledger, guarded, mock.worldId)
  for (const options of [{}, { ifInvited: 'create', ifUnknown: 'create' }] as const) {
    expect(await createOnce(guarded, input, { ...job, ...options })).toMatchObject({
      status: 'retry',
      error: {
        code: 'IN_PROGRESS',
        outcome: 'not-executed',
        reference: 'job-17',
        prior: [{ reference: 'job-17', state: 'sending' }],
      },
    })
  }
  expect(clock.waits).toEqual([])
  clock.advance(60_000)
  expect((await createOnce(guarded, input, job)).status).toBe('unknown')
  expect(mock.requestLog.list()).toEqual([])
})

test('what the service refuses is not retried; delivered again by hand, it is sent again', async () => {
  const { guarded, ledger, mock } = await guardedSetting()
  mock.faults.add({ operation: CREATE, times: 2, fault: { code: 'FORBIDDEN' } })
  for (const reference of ['job-17', 'job-17+2']) {
    expect(await createOnce(guarded, input, job)).toMatchObject({
      status: 'refused',
      error: { code: 'FORBIDDEN', outcome: 'not-executed', reference },
    })
  }
  expect((await createOnce(guarded, input, job)).status).toBe('created')
  expect(await statesOf(ledger)).toEqual(['job-17 refused', 'job-17+2 refused', 'job-17+3 created'])
})

test('what could not be sent is retried, until it is created', async () => {
  const { guarded, ledger, mock } = await guardedSetting()
  mock.faults.add({ operation: CREATE, times: 2, fault: { status: 429 } })
  const options = { ...job, retry: false } as const
  const limited = { status: 'retry', error: { code: 'RATE_LIMITED' } }
  expect(await createOnce(guarded, input, options)).toMatchObject(limited)
  expect(await createOnce(guarded, input, options)).toMatchObject(limited)
  expect((await createOnce(guarded, input, options)).status).toBe('created')
  expect((await createOnce(guarded, input, options)).status).toBe('created')
  expect(await statesOf(ledger)).toEqual(['job-17 not-executed', 'job-17+2 not-executed', 'job-17+3 created'])
  expect(mock.invites).toHaveLength(1)
})

test('of many deliveries at once, one is sent', async () => {
  const { guarded, ledger, mock } = await guardedSetting()
  const deliveries = Array.from({ length: 20 }, () => createOnce(guarded, input, { ...job, ifInvited: 'create' }))
  const statuses = new Set((await Promise.all(deliveries)).map(({ status }) => status))
  expect([...statuses].filter((status) => status !== 'created' && status !== 'retry')).toEqual([])
  expect(mock.invites).toHaveLength(1)
  expect(await statesOf(ledger)).toEqual(['job-17 created'])
})

test.each([
  ['first', 'job-17', []],
  ['second', 'job-17+2', ['job-17 not-executed']],
] as const)('a delivery that is overtaken before its %s claim sends nothing', async (_which, reference, before) => {
  const { guarded, ledger, mock } = await guardedSetting()
  if (before.length > 0) {
    mock.faults.add({ operation: CREATE, fault: { status: 429 } })
    await createOnce(guarded, input, { ...job, retry: false })
  }
  /* Its options are read after it has looked the reference up: then the other delivery is done. */
  const overtaken: CreateOnceOptions = { ...job, ifInvited: 'create' }
  const find = ledger.find
  Object.assign(ledger, {
    find: async (asked: string) => {
      const entry = await find(asked)
      if (asked === reference && entry === undefined) {
        Object.assign(ledger, { find })
        await guarded.invites.create(input, { reference })
      }
      return entry
    },
  })
  expect((await createOnce(guarded, input, overtaken)).status).toBe('created')
  expect(mock.invites).toHaveLength(1)
  expect(await statesOf(ledger)).toEqual([...before, `${reference} created`])
})

test.each([
  ['candidate', { ...input, candidate: { email: 'grace@example.com' } }],
  ['quiz', { ...input, quizId: 'quiz_react_beginner_hooks' }],
  ['package', { packageId: PACKAGE, candidate }],
] as const)('a reference that belongs to another %s is refused, and nothing is sent', async (_what, other) => {
  const { guarded, mock } = await guardedSetting()
  await createOnce(guarded, input, job)
  expect(await createOnce(guarded, other, job)).toMatchObject({
    status: 'refused',
    error: { code: 'CONFIG_INVALID', issues: [{ path: 'reference' }] },
  })
  expect(mock.invites).toHaveLength(1)
})

test.each([[undefined], [17], ['two words'], [''], ['x'.repeat(121)]])(
  'without a usable reference (%j) nothing is sent: each delivery would be another unit of work',
  async (reference) => {
    const { guarded, mock } = await guardedSetting()
    const options = { reference } as unknown as CreateOnceOptions
    expect(await createOnce(guarded, input, options)).toMatchObject({
      status: 'refused',
      error: { code: 'CONFIG_INVALID', outcome: 'not-executed' },
    })
    expect(mock.requestLog.list()).toEqual([])
  },
)

test('the longest reference leaves room for the number of a later attempt', async () => {
  const { guarded, mock } = await guardedSetting()
  const longest = { reference: 'x'.repeat(120), retry: false } as const
  mock.faults.add({ operation: CREATE, fault: { status: 429 } })
  expect((await createOnce(guarded, input, longest)).status).toBe('retry')
  expect((await createOnce(guarded, input, longest)).status).toBe('created')
})

test('another job for the same candidate ends as a guarded create does', async () => {
  const { guarded, mock } = await guardedSetting()
  const first = await createOnce(guarded, input, job)
  const other = { reference: 'job-18' }
  expect(await createOnce(guarded, input, other)).toMatchObject({
    status: 'refused',
    error: { code: 'ALREADY_INVITED' },
  })
  expect((await createOnce(guarded, input, { ...other, ifInvited: 'reuse' })).invites?.[0]?.inviteId).toBe(
    first.invites?.[0]?.inviteId,
  )
  expect(mock.invites).toHaveLength(1)
  mock.faults.add({ operation: CREATE, phase: 'after', fault: 'cut' })
  const grace = { quizId: QUIZ, candidate: { email: 'grace@example.com' } }
  await createOnce(guarded, grace, { reference: 'job-19' })
  expect(await createOnce(guarded, grace, { reference: 'job-20' })).toMatchObject({
    status: 'unknown',
    error: { code: 'PRIOR_OUTCOME_UNKNOWN', reference: 'job-19' },
  })
})

test('a package is created once', async () => {
  const { guarded, mock } = await guardedSetting()
  const pack = { packageId: PACKAGE, candidate }
  const first = await createOnce(guarded, pack, job)
  expect(first.invites?.length).toBeGreaterThan(1)
  expect(await createOnce(guarded, pack, job)).toEqual(first)
  expect(mock.invites).toHaveLength(first.invites?.length ?? 0)
})

test('an invite whose response is not as expected counts as created, with what could be read', async () => {
  const { guarded, mock } = await guardedSetting()
  const body = JSON.stringify({ data: { [CREATE]: { inviteId: 'invite-1', challengeUrl: 17 } } })
  mock.faults.add({ operation: CREATE, fault: { status: 200, body } })
  const created = { status: 'created', invites: [{ inviteId: 'invite-1', expiryAssumed: true }] }
  expect(await createOnce(guarded, input, job)).toMatchObject(created)
  expect(await createOnce(guarded, input, job)).toMatchObject(created)
})

test('an invalid input is refused before anything is recorded', async () => {
  const { guarded, ledger } = await guardedSetting()
  const invalid = { quizId: QUIZ, candidate: {} } as InviteInput
  const refused = { status: 'refused', error: { code: 'INPUT_INVALID', outcome: 'not-executed' } }
  expect(await createOnce(guarded, invalid, job)).toMatchObject(refused)
  expect(await statesOf(ledger)).toEqual([])
  await createOnce(guarded, input, job)
  expect(await createOnce(guarded, invalid, job)).toMatchObject(refused)
})

test('a ledger that cannot be used is a cause that may pass', async () => {
  const { guarded, ledger } = await guardedSetting()
  await ledger.close()
  expect(await createOnce(guarded, input, job)).toMatchObject({ status: 'retry', error: { code: 'LEDGER_UNUSABLE' } })
})

test('a client without a ledger is refused: nothing would keep it from sending twice', async () => {
  const { client, mock } = await guardedSetting()
  const error = await failureOf(createOnce(client, input, job))
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', outcome: 'not-executed' })
  expect(mock.requestLog.list()).toEqual([])
})

/* As another process does: it has claimed the job, and has not ended. */
async function claimFor(ledger: Ledger, guarded: GuardedClient, world: string): Promise<void> {
  const { ok } = await settle(
    ledger.claim({
      scope: { baseUrl: guarded.endpoint, account: 'acme', world },
      target: { email: candidate.email, quizIds: [QUIZ] },
      reference: job.reference,
      input,
      leaseMs: 60_000,
    }),
  )
  expect(ok).toBe(true)
}
