import { inspect } from 'node:util'
import { expect, test, vi } from 'vitest'
import { sql } from './server.mjs'
import { ACCOUNT, CREATE, NONE, PACKAGE, QUIZ, setting } from './worker-setting.ts'

test('what is enqueued is sent, recorded in the ledger and in the outbox, and told as an event', async () => {
  const { ledger, mock, enqueue, drain, creates } = await setting()
  await enqueue('hire-1')
  const { counts, wishes, stopped } = await drain()
  const invite = { inviteId: mock.invites[0]?.inviteId }
  expect({ counts, stopped }).toEqual({ counts: { ...NONE, created: 1 }, stopped: 'drained' })
  expect(wishes).toMatchObject([
    { reference: 'hire-1', state: 'created', entry: 'hire-1', quizId: QUIZ, campaign: 'spring', invites: [invite] },
  ])
  expect(await ledger.outbox.find('hire-1')).toMatchObject({ state: 'created', entry: 'hire-1', code: undefined })
  expect(await ledger.find('hire-1')).toMatchObject({ state: 'created', campaign: 'spring', invites: [invite] })
  expect(creates()).toBe(1)
})

test('a package is sent as one invite for each quiz', async () => {
  const { ledger, mock, drain, pool } = await setting()
  const input = { packageId: PACKAGE, candidate: { name: 'Ada Byron', email: 'ada@example.com' } }
  await ledger.enqueue(pool, input, { account: ACCOUNT, reference: 'hire-1' })
  const { wishes } = await drain()
  expect(mock.invites.length).toBeGreaterThan(1)
  expect(wishes).toMatchObject([{ state: 'created', packageId: PACKAGE, quizId: undefined }])
  expect(wishes[0]?.invites).toHaveLength(mock.invites.length)
})

test('a candidate with an open invite is not invited again, and the wish names the other entry', async () => {
  const { ledger, guarded, enqueue, drain, mock } = await setting()
  const candidate = { name: 'Ada Byron', email: 'hire-1@example.com' }
  const { inviteId } = await guarded.invites.create({ quizId: QUIZ, candidate }, { reference: 'earlier' })
  await enqueue('hire-1')
  const { wishes } = await drain()
  expect(wishes).toMatchObject([{ state: 'already_invited', entry: 'earlier', invites: [{ inviteId }] }])
  expect(await ledger.outbox.find('hire-1')).toMatchObject({ state: 'already_invited', entry: 'earlier' })
  expect(mock.invites).toHaveLength(1)
})

test('with ifInvited create another invite is sent, one after another for a candidate', async () => {
  const { enqueue, drain, mock } = await setting()
  mock.faults.add({ times: Number.POSITIVE_INFINITY, fault: { delayMs: 100 } })
  for (const reference of ['a', 'b', 'c']) await enqueue(reference, { ifInvited: 'create' }, 'ada@example.com')
  const { counts } = await drain()
  expect(counts).toEqual({ ...NONE, created: 3 })
  expect(mock.invites).toHaveLength(3)
})

test('two wishes for one candidate send one invite', async () => {
  const { enqueue, drain, mock } = await setting()
  for (const reference of ['a', 'b']) await enqueue(reference, {}, 'ada@example.com')
  expect((await drain()).counts).toEqual({ ...NONE, created: 1, already_invited: 1 })
  expect(mock.invites).toHaveLength(1)
})

test('what the service refuses ends refused, and is sent again only when somebody says so', async () => {
  const { ledger, enqueue, drain, mock, creates } = await setting()
  mock.faults.add({ operation: CREATE, fault: { code: 'BAD_USER_INPUT' } })
  await enqueue('hire-1')
  expect((await drain()).wishes).toMatchObject([{ state: 'refused', error: { code: 'BAD_USER_INPUT' } }])
  expect(await ledger.outbox.find('hire-1')).toMatchObject({ state: 'refused', code: 'BAD_USER_INPUT' })
  expect((await drain()).counts).toEqual(NONE)
  await ledger.outbox.retry('hire-1')
  expect((await drain()).wishes).toMatchObject([{ state: 'created', entry: 'hire-1+2' }])
  expect(await ledger.find('hire-1')).toMatchObject({ state: 'refused' })
  expect(creates()).toBe(2)
})

test('after a lost answer a wish is unknown and listed, and is never sent again by itself', async () => {
  const { ledger, enqueue, drain, mock, list, url } = await setting()
  mock.faults.add({ operation: CREATE, phase: 'after', fault: 'cut' })
  await enqueue('hire-1')
  expect((await drain()).wishes).toMatchObject([{ state: 'unknown', entry: 'hire-1', error: { outcome: 'unknown' } }])
  expect(await list({ state: 'unknown' })).toMatchObject([{ reference: 'hire-1', entry: 'hire-1' }])
  expect((await drain()).counts).toEqual(NONE)
  await ledger.outbox.retry('hire-1')
  expect((await drain()).counts, 'while its entry is unknown').toEqual({ ...NONE, unknown: 1 })
  expect(mock.invites).toHaveLength(1)

  await ledger.resolve('hire-1', { created: mock.invites[0]?.inviteId ?? '' })
  expect(await list({ state: 'unknown' })).toEqual([])
  expect(await list({ state: 'created' })).toMatchObject([{ reference: 'hire-1' }])
  expect(await ledger.outbox.counts()).toMatchObject({ unknown: 0 })
  expect(await sql(url, 'SELECT state FROM certify.certify_wishes')).toBe('created')
})

test('an unknown wish that a person found not to be created is sent again when somebody says so', async () => {
  const { ledger, enqueue, drain, mock } = await setting()
  mock.faults.add({ operation: CREATE, fault: 'cut' })
  await enqueue('hire-1')
  expect((await drain()).counts).toEqual({ ...NONE, unknown: 1 })
  await ledger.resolve('hire-1', { notCreated: true })
  expect((await drain()).counts).toEqual(NONE)
  await ledger.outbox.retry('hire-1')
  expect((await drain()).wishes).toMatchObject([{ state: 'created', entry: 'hire-1+2' }])
  expect(mock.invites).toHaveLength(1)
})

test('a wish behind an unknown entry of another send is not sent, and names that entry', async () => {
  const { ledger, enqueue, drain, mock, list } = await setting()
  mock.faults.add({ operation: CREATE, phase: 'after', fault: 'cut' })
  await enqueue('a', {}, 'ada@example.com')
  await drain()
  await enqueue('b', {}, 'ada@example.com')
  expect((await drain()).wishes).toMatchObject([
    { reference: 'b', state: 'unknown', entry: 'a', error: { code: 'PRIOR_OUTCOME_UNKNOWN' } },
  ])
  await ledger.resolve('a', { created: mock.invites[0]?.inviteId ?? '' })
  expect((await list()).map(({ reference, state }) => [reference, state])).toEqual([
    ['b', 'already_invited'],
    ['a', 'created'],
  ])
})

test.each([
  ['created', 'created'],
  ['unknown', 'unknown'],
  ['refused', 'refused'],
  ['not-executed', 'created'],
  ['nothing', 'created'],
] as const)('of a wish whose worker is gone, an entry that is %s decides: %s', async (entry, state) => {
  const { ledger, enqueue, drain, mock, url, guarded } = await setting()
  await enqueue('hire-1', { ifInvited: 'create' })
  if (entry !== 'nothing') {
    const candidate = { name: 'Ada Byron', email: 'hire-1@example.com' }
    await guarded.invites.create({ quizId: QUIZ, candidate }, { reference: 'hire-1' })
    await sql(url, `UPDATE certify.certify_send_records SET state = '${entry}' WHERE reference = 'hire-1'`)
  }
  await sql(url, `UPDATE certify.certify_outbox SET state = 'sending', owner = 'gone', due_at = 1, tries = 1`)
  const sentBefore = mock.invites.length
  expect((await drain()).wishes).toMatchObject([{ reference: 'hire-1', state }])
  expect(await ledger.outbox.find('hire-1')).toMatchObject({ state })
  const isSent = entry === 'nothing' || entry === 'not-executed'
  expect(mock.invites.length - sentBefore).toBe(isSent ? 1 : 0)
})

test('a wish whose worker is gone waits while its entry has a lease', async () => {
  const { ledger, enqueue, run, url, mock, client } = await setting()
  await enqueue('hire-1')
  await ledger.claim({
    scope: {
      baseUrl: client.endpoint,
      account: ACCOUNT,
      world: mock.worldId,
    },
    target: {
      email: 'hire-1@example.com',
      quizIds: [QUIZ],
    },
    input: {
      quizId: QUIZ,
      candidate: {
        name: 'Ada Byron',
        email: 'hire-1@example.com',
      },
    },
    reference: 'hire-1',
    leaseMs: 6e5,
  })
  await sql(url, `UPDATE certify.certify_outbox SET state = 'sending', owner = 'gone', due_at = 1, tries = 1`)
  const stop = new AbortController()
  const running = run({ signal: stop.signal })
  await vi.waitFor(async () => expect((await ledger.outbox.find('hire-1'))?.tries).toBeGreaterThan(2), WITHIN)
  await sql(url, 'UPDATE certify.certify_send_records SET lease_until = 1')
  await vi.waitFor(async () => expect(await ledger.outbox.find('hire-1')).toMatchObject({ state: 'unknown' }), WITHIN)
  stop.abort()
  expect((await running).wishes.map(({ state }) => state)).toEqual(expect.arrayContaining(['waiting', 'unknown']))
  expect(mock.invites).toEqual([])
})

test('a reference that the ledger has for somebody else fails', async () => {
  const { enqueue, drain, guarded, mock } = await setting()
  const candidate = { name: 'Bob', email: 'bob@example.com' }
  await guarded.invites.create({ quizId: QUIZ, candidate }, { reference: 'hire-1' })
  await enqueue('hire-1')
  expect((await drain()).wishes).toMatchObject([{ state: 'failed', error: { code: 'CONFIG_INVALID' } }])
  expect(mock.invites).toHaveLength(1)
})

test('the wish that has been due for the longest time is sent first, and none before its time', async () => {
  const { ledger, enqueue, drain, url, mock } = await setting()
  for (const reference of ['a', 'b', 'c']) await enqueue(reference)
  await enqueue('later', { notBefore: new Date(Date.now() + 3_600_000) })
  await sql(url, `UPDATE certify.certify_outbox SET due_at = 5 WHERE reference = 'c'`)
  await sql(url, `UPDATE certify.certify_outbox SET due_at = 6 WHERE reference = 'a'`)
  await drain({ concurrency: 1 })
  expect(mock.invites.map(({ candidate }) => candidate.email)).toEqual(
    ['c', 'a', 'b'].map((each) => `${each}@example.com`),
  )
  expect(await ledger.outbox.find('later')).toMatchObject({ state: 'waiting' })
})

test('workers send only what was enqueued for their account', async () => {
  const { enqueue, drain, mock } = await setting()
  await enqueue('ours')
  await enqueue('theirs', { account: 'other' })
  expect((await drain()).counts.created).toBe(1)
  expect(mock.invites).toHaveLength(1)
})

test('events have no candidate, link, key or password', async () => {
  const { enqueue, drain, mock, url } = await setting()
  mock.faults.add({ operation: CREATE, script: ['ok', { code: 'BAD_USER_INPUT' }, 'cut', 503] })
  for (const reference of ['a', 'b', 'c', 'd']) await enqueue(reference)
  await enqueue('e', {}, 'a@example.com')
  const { events, counts } = await drain({ concurrency: 1 })
  expect(Object.values(counts).filter((count) => count > 0).length).toBeGreaterThan(2)
  const links = mock.invites.map(({ challengeUrl }) => challengeUrl)
  const { password } = new URL(url)
  const told = `${JSON.stringify(events)} ${inspect(events, { depth: 9, showHidden: true })}`
  for (const secret of ['example.com', 'Ada', mock.apiKey, password, ...links]) expect(told).not.toContain(secret)
})

const WITHIN = { timeout: 20_000 }
