import { inspect } from 'node:util'
import { Client } from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openPostgresLedger, type PostgresClient, type PostgresLedger } from '../../src/ledger/postgres/index.ts'
import { createDatabase, sql } from './server.mjs'

const ACCOUNT = 'acme'
const candidate = { name: 'Ada Byron', email: 'ada@example.com' }
const INPUT = { quizId: 'quiz_react_beginner_state', candidate }

test('a wish and the rows of its transaction are committed together', async () => {
  const { ledger, tx, url } = await setting()
  await tx.query('BEGIN')
  await tx.query('INSERT INTO hires VALUES (1)')
  await ledger.enqueue(tx, INPUT, { account: ACCOUNT, reference: 'hire-1' })
  expect(await ledger.outbox.find('hire-1'), 'before the commit').toBeUndefined()
  await tx.query('COMMIT')
  expect(await ledger.outbox.find('hire-1')).toMatchObject({
    reference: 'hire-1',
    state: 'waiting',
    input: INPUT,
    account: ACCOUNT,
    ifInvited: 'refuse',
    tries: 0,
  })
  expect(await sql(url, 'SELECT count(*) FROM hires')).toBe('1')
})

test('after a rollback nothing is there', async () => {
  const { ledger, tx, url } = await setting()
  await tx.query('BEGIN')
  await tx.query('INSERT INTO hires VALUES (1)')
  const reference = await ledger.enqueue(tx, INPUT, { account: ACCOUNT })
  await tx.query('ROLLBACK')
  expect(await ledger.outbox.find(reference)).toBeUndefined()
  expect(await sql(url, 'SELECT count(*) FROM certify.certify_outbox')).toBe('0')
})

test('an invalid input or option is refused before the transaction is touched', async () => {
  const { ledger, url } = await setting()
  const statements: string[] = []
  const tx: PostgresClient = {
    query: async (text) => {
      statements.push(text)
      return []
    },
  }
  const invalid = { quizId: 'q', candidate: { name: 'Ada Byron', email: 'canary' } }
  await expect(ledger.enqueue(tx, invalid, { account: ACCOUNT })).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    outcome: 'not-executed',
    issues: [{ path: 'candidate.email' }],
  })
  const options = [
    { account: ' ' },
    {},
    { account: ACCOUNT, reference: 'not a reference' },
    { account: ACCOUNT, reference: 'x'.repeat(121) },
    { account: ACCOUNT, notBefore: new Date(Number.NaN) },
    { account: ACCOUNT, ifInvited: 'reuse' },
    { account: ACCOUNT, ifinvited: 'create' },
  ]
  for (const each of options) {
    await expect(ledger.enqueue(tx, INPUT, each as never)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      outcome: 'not-executed',
    })
  }
  expect(statements).toEqual([])
  expect(await sql(url, 'SELECT count(*) FROM certify.certify_outbox')).toBe('0')
})

test('the same reference with the same input is the same wish; with another input it is refused', async () => {
  const { ledger, tx } = await setting()
  const options = { account: ACCOUNT, reference: 'hire-1' }
  expect(await ledger.enqueue(tx, INPUT, options)).toBe('hire-1')
  const sameSpelling = { ...INPUT, candidate: { ...candidate, email: 'ADA@Example.com' } }
  expect(await ledger.enqueue(tx, sameSpelling, { ...options, account: ' acme ' })).toBe('hire-1')
  expect(await all(ledger)).toHaveLength(1)
  const others = [
    [{ ...INPUT, quizId: 'quiz_other' }, options],
    [{ ...INPUT, candidate: { ...candidate, email: 'bob@example.com' } }, options],
    [{ ...INPUT, candidate: { ...candidate, name: 'Ada Lovelace' } }, options],
    [INPUT, { ...options, account: 'other' }],
    [INPUT, { ...options, ifInvited: 'create' }],
  ] as const
  for (const [input, other] of others) {
    const error = await ledger.enqueue(tx, input, other).catch((each: unknown) => each)
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', outcome: 'not-executed', issues: [{ path: 'reference' }] })
    expect(inspect(error, { depth: 9 })).not.toMatch(/example|Ada/)
  }
  expect(await all(ledger)).toMatchObject([{ input: INPUT }])
})

test('two transactions with the same reference make one wish', async () => {
  const { ledger, tx, connect } = await setting()
  const other = await connect()
  const options = { account: ACCOUNT, reference: 'hire-1' }
  await tx.query('BEGIN')
  await ledger.enqueue(tx, INPUT, options)
  await other.query('BEGIN')
  const waiting = ledger.enqueue(other, INPUT, options)
  await tx.query('COMMIT')
  expect(await waiting).toBe('hire-1')
  await other.query('COMMIT')
  expect(await all(ledger)).toHaveLength(1)
})

test('a failure of the transaction has the code of the database, and none of its words', async () => {
  const { ledger, tx } = await setting()
  await tx.query('BEGIN')
  await tx.query('SELECT 1/0').catch(() => {})
  const error = await ledger.enqueue(tx, INPUT, { account: ACCOUNT }).catch((each: unknown) => each)
  expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE', outcome: 'not-executed', cause: { code: '25P02' } })
  expect(inspect(error, { depth: 9 })).not.toMatch(/example|Ada|current transaction/)
})

test('clients with another mark for an argument can be used: the statement has one $1, and nothing like it', async () => {
  const { ledger, tx } = await setting()
  const texts: string[] = []
  const client: PostgresClient = {
    query: (text, values) => {
      texts.push(text)
      return tx.query(text, values)
    },
  }
  await ledger.enqueue(client, INPUT, { account: ACCOUNT })
  expect(texts).toHaveLength(1)
  expect(texts[0]?.match(/\$\d/g)).toEqual(['$1'])
  expect(texts[0]).not.toMatch(/\?|\$\$|[^:]:[a-z]/i)
})

test('wishes are listed by state, account, campaign and candidate, the newest first', async () => {
  const { ledger, tx } = await setting()
  for (let row = 1; row <= 1_100; row += 1) {
    const input = { ...INPUT, candidate: { ...candidate, email: `c${row}@example.com` } }
    const options = { account: row % 2 === 0 ? ACCOUNT : 'other', reference: `r${row}`, campaign: `c${row % 3}` }
    await ledger.enqueue(tx, input, options)
  }
  await ledger.outbox.cancel('r4')
  const references = async (filter: Parameters<PostgresLedger['outbox']['list']>[0]) =>
    (await all(ledger, filter)).map(({ reference }) => reference)
  expect(await references({})).toEqual(Array.from({ length: 1_100 }, (_each, index) => `r${1_100 - index}`))
  expect(await references({ state: 'cancelled' })).toEqual(['r4'])
  expect(await references({ account: ' acme', campaign: 'c0' })).toHaveLength(183)
  expect(await references({ email: 'C7@example.com' })).toEqual(['r7'])
  expect(await references({ state: 'waiting' })).toHaveLength(1_099)
})

test('only a waiting wish can be cancelled, and only one that ended without an invite can be tried again', async () => {
  const { ledger, tx, url } = await setting()
  await ledger.enqueue(tx, INPUT, { account: ACCOUNT, reference: 'hire-1' })
  const set = (state: string) => sql(url, `UPDATE certify.certify_outbox SET state = '${state}', ended_at = 1`)
  expect(await ledger.outbox.cancel('hire-1')).toMatchObject({ reference: 'hire-1', state: 'cancelled' })
  const refused = { code: 'INPUT_INVALID', outcome: 'not-executed', issues: [{ path: 'reference' }] }
  for (const state of ['sending', 'created', 'already_invited', 'refused', 'unknown', 'failed', 'cancelled']) {
    await set(state)
    await expect(ledger.outbox.cancel('hire-1')).rejects.toMatchObject(refused)
  }
  for (const state of ['waiting', 'sending', 'created', 'already_invited', 'cancelled']) {
    await set(state)
    await expect(ledger.outbox.retry('hire-1')).rejects.toMatchObject(refused)
  }
  for (const state of ['refused', 'unknown', 'failed']) {
    await set(state)
    expect(await ledger.outbox.retry('hire-1')).toMatchObject({ state: 'waiting', endedAt: undefined })
  }
  await expect(ledger.outbox.retry('nobody')).rejects.toMatchObject(refused)
})

test('counts say how many wishes wait, and for how long the oldest has been due', async () => {
  const now = Date.parse('2030-01-01T00:00:00Z')
  let elapsed = 0
  const { ledger, tx } = await setting({ now: () => now + elapsed, startTimer: () => () => {} })
  const none = { waiting: 0, sending: 0, refused: 0, unknown: 0, failed: 0, oldestDueMs: 0 }
  expect(await ledger.outbox.counts()).toEqual(none)
  await ledger.enqueue(tx, INPUT, { account: ACCOUNT })
  elapsed = 90_000
  await ledger.enqueue(tx, INPUT, { account: ACCOUNT, notBefore: new Date(now + 100_000) })
  await ledger.enqueue(tx, INPUT, { account: 'other' })
  expect(await ledger.outbox.counts({ account: ACCOUNT })).toEqual({ ...none, waiting: 2, oldestDueMs: 90_000 })
  expect(await ledger.outbox.counts()).toMatchObject({ waiting: 3 })
})

test('the purge of a candidate removes its wishes, except what is being sent', async () => {
  const { ledger, tx, url } = await setting()
  const bob = { ...INPUT, candidate: { name: 'Bob', email: 'bob@example.com' } }
  const references = ['waiting', 'created', 'sending', 'claimed'] as const
  for (const reference of references) await ledger.enqueue(tx, INPUT, { account: ACCOUNT, reference })
  await ledger.enqueue(tx, bob, { account: ACCOUNT, reference: 'of-bob' })
  await sql(url, `UPDATE certify.certify_outbox SET state = 'created' WHERE reference = 'created'`)
  await sql(url, `UPDATE certify.certify_outbox SET state = 'sending' WHERE reference IN ('sending', 'claimed')`)
  await ledger.claim({
    scope: {
      baseUrl: 'https://certify.example.com',
      account: ACCOUNT,
      world: '',
    },
    target: {
      email: candidate.email,
      quizIds: [INPUT.quizId],
    },
    reference: 'claimed',
    input: INPUT,
    leaseMs: 6e4,
  })
  await ledger.purge({ email: 'ADA@example.com' })
  expect((await all(ledger)).map(({ reference }) => reference)).toEqual(['of-bob', 'claimed'])
})

test('a purge that ends in the middle leaves no wish whose entry is gone: it would be sent again', async () => {
  const { url, connect } = await setting()
  const client = await connect()
  let isGone = false
  const dying: PostgresClient = {
    query: async (text, values) => {
      if (isGone) throw Object.assign(new Error('gone'), { code: '42501' })
      const answer = await client.query(text, values)
      /* The statement that removes entries was its last one. */
      isGone = text.includes('DELETE FROM "certify".certify_send_records')
      return answer
    },
  }
  const ledger = await openPostgresLedger({ client: dying })
  await ledger.enqueue(client, INPUT, { account: ACCOUNT, reference: 'hire-1' })
  const scope = { baseUrl: 'https://certify.example.com', account: ACCOUNT, world: '' }
  const target = { email: candidate.email, quizIds: [INPUT.quizId] }
  await ledger.claim({ scope, target, reference: 'hire-1', input: INPUT, leaseMs: 60_000 })
  const expiresAt = new Date(Date.now() + 864e5).toISOString()
  await ledger.settle('hire-1', { state: 'created', invites: [{ inviteId: 'inv_1', expiresAt }] })
  /* Its worker ended before it recorded the wish. */
  await sql(url, `UPDATE certify.certify_outbox SET state = 'sending' WHERE reference = 'hire-1'`)
  await expect(ledger.purge({ email: candidate.email })).rejects.toMatchObject({ code: 'LEDGER_UNUSABLE' })
  expect(await sql(url, 'SELECT count(*) FROM certify.certify_send_records')).toBe('0')
  expect(await sql(url, 'SELECT count(*) FROM certify.certify_outbox')).toBe('0')
})

test('old wishes that ended are removed by age, except unknown ones', async () => {
  const { ledger, tx, url } = await setting()
  for (const reference of ['created', 'unknown', 'waiting', 'failed', 'recent']) {
    await ledger.enqueue(tx, INPUT, { account: ACCOUNT, reference })
  }
  await sql(
    url,
    `UPDATE certify.certify_outbox SET state = reference, ended_at = 1000 WHERE reference NOT IN ('waiting', 'recent');
     UPDATE certify.certify_outbox SET state = 'created', ended_at = extract(epoch FROM now()) * 1000 WHERE reference = 'recent'`,
  )
  await ledger.purge({ olderThanMs: 60_000 })
  expect((await all(ledger)).map(({ reference }) => reference)).toEqual(['recent', 'waiting', 'unknown'])
})

async function setting(clock?: Parameters<typeof openPostgresLedger>[0]['clock']) {
  const url = await createDatabase(inject('postgres').url)
  await sql(url, 'CREATE TABLE hires (id int)')
  const ledger = await openPostgresLedger({ url, clock })
  onTestFinished(() => ledger.close())
  const connect = async () => {
    const client = new Client({ connectionString: url })
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }
  return { url, ledger, tx: await connect(), connect }
}

async function all(ledger: PostgresLedger, filter: Parameters<PostgresLedger['outbox']['list']>[0] = {}) {
  const wishes = []
  for await (const wish of ledger.outbox.list(filter)) wishes.push(wish)
  return wishes
}
