import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { CertifyClient } from '../../src/index.ts'
import * as events from '../../src/ledger/contract/events.ts'
import { migratePostgresLedger, openPostgresInbox } from '../../src/ledger/postgres/index.ts'
import { runWorker } from '../../src/worker/index.ts'
import { sql } from './server.mjs'
import { all, created, freshDatabase, freshLedger, poolOf, request, scope } from './setting.ts'

const [page, outbox] = ['postgres', 'outbox'].map((name) =>
  readFileSync(join(import.meta.dirname, `../../docs/${name}.md`), 'utf8'),
) as [string, string]
const blocks = [...`${page}${outbox}`.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
const blockWith = (text: string) => {
  const [block, ...others] = blocks.filter((each) => each.includes(text))
  expect(others).toEqual([])
  return block ?? expect.fail(`the docs have no SQL with ${text}`)
}

/** Columns of a view, as the page lists them. */
const documented = (view: string) => {
  const table = page.split(`\`${view}\` has one row`)[1]?.split('\n\n')[1] ?? ''
  return [...table.matchAll(/^\|(.*?)\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, column = '']) => column),
  )
}

/** A database whose public has no privileges, with the tables of the documented owner, and the URLs of the documented roles. */
async function leastPrivilege() {
  const url = await freshDatabase()
  const database = new URL(url).pathname.slice(1)
  const run = (statements: string) => sql(url, statements.replaceAll(/\bhiring\b/g, database))
  const roles = ['certify_app', 'certify_reports', 'certify_enqueue', 'certify_owner']
  const as = (role: string) => Object.assign(new URL(url), { username: role, password: role }).href
  const login = (role: string) => run(`ALTER ROLE ${role} PASSWORD '${role}'`)
  await run('REVOKE ALL ON DATABASE hiring FROM PUBLIC; REVOKE ALL ON SCHEMA public FROM PUBLIC')
  onTestFinished(async () => {
    for (const role of roles) await run(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`)
  })
  await run(blockWith('CREATE ROLE certify_owner'))
  await login('certify_owner')
  await migratePostgresLedger({ url: as('certify_owner') })
  await run(blockWith('CREATE ROLE certify_app') + blockWith('CREATE ROLE certify_reports'))
  await run(blockWith('CREATE ROLE certify_enqueue'))
  for (const role of roles) await login(role)
  return { url, as }
}

test('the documented role of the application can do everything that a ledger, an outbox and an inbox do', async () => {
  const { as } = await leastPrivilege()
  const url = as('certify_app')
  const app = await freshLedger({ url, acceptClock: true })
  expect(await app.claim(request('a'))).toEqual({ kind: 'claimed' })
  expect(await app.settle('a', created('inv_1'))).toBe('recorded')
  expect(await events.learn(app, events.completed('inv_1', 'PASSED'))).toBe('token+ledger')
  await app.claim(request('b', 'bob@example.com'))
  await app.settle('b', { state: 'unknown', code: 'TIMED_OUT' })
  expect(await app.resolve('b', { notCreated: true })).toMatchObject({ state: 'not-executed' })
  expect(await all(app.expiring(1))).toEqual([])
  expect(await app.check()).toMatchObject({ problems: [] })
  const pace = app.shared?.(scope)
  await pace?.pauseFor(1)
  expect(await pace?.hold(1000, { failed: 0, lost: 0, code: 'SERVER_FAULT' })).toBe(true)
  await pace?.release(true, { failed: 0, lost: 0, code: 'SERVER_FAULT' })

  const wish = { quizId: 'quiz', candidate: { email: 'cy@example.com' } }
  await app.enqueue(poolOf(url), wish, { account: 'acme', reference: 'job-1' })
  const { baseUrl, apiKey, fetch } = createMockServer()
  const client = new CertifyClient({ baseUrl, apiKey, fetch })
  expect(await runWorker(app, client, { account: 'acme', drain: true })).toMatchObject({ counts: { refused: 1 } })
  await app.outbox.retry('job-1')
  await app.outbox.cancel('job-1')
  expect(await app.outbox.counts()).toMatchObject({ waiting: 0 })

  const inbox = await openPostgresInbox({ url })
  onTestFinished(() => inbox.close())
  await inbox.append({ key: 'e1', reference: 'a', deliveryId: null, body: new Uint8Array(), receivedAt: 1 })
  expect(await inbox.take(2, 1000)).toMatchObject({ key: 'e1' })
  await inbox.settle('e1', { state: 'handled' })

  expect(await app.purge({ email: 'ada@example.com' })).toEqual({ removed: 1, kept: 0 })
  expect(await app.purge({ olderThanMs: -1000 })).toMatchObject({ removed: 2 })
  /* A table of a later version, by the same owner. */
  await sql(as('certify_owner'), 'CREATE TABLE certify.later (id bigint GENERATED ALWAYS AS IDENTITY)')
  await sql(url, 'INSERT INTO certify.later DEFAULT VALUES')
  await expect(sql(url, 'DROP TABLE certify.later')).rejects.toThrow('must be owner')
})

test('the documented role of a program that only enqueues can do that, and sees no link', async () => {
  const { as } = await leastPrivilege()
  const url = as('certify_enqueue')
  const ledger = await freshLedger({ url, migrate: false })
  const enqueue = () => ledger.enqueue(poolOf(url), request('x').input, { account: 'acme', reference: 'job-1' })
  await enqueue()
  expect(await enqueue()).toBe('job-1')
  await expect(ledger.claim(request('a'))).rejects.toThrow('no privilege for it (42501)')
  await expect(sql(url, 'SELECT invites FROM certify.certify_send_records')).rejects.toThrow('permission denied')
})

test('the documented role for reports sees no link', async () => {
  const { as } = await leastPrivilege()
  const app = await freshLedger({ url: as('certify_app') })
  await app.claim(request('a'))
  const link = { challengeUrl: 'https://certify.test/challenge/1' }
  const { invites } = created('inv_1')
  await app.settle('a', { state: 'created', invites: invites.map((invite) => ({ ...invite, ...link })) })
  const reports = as('certify_reports')
  expect(await sql(reports, blockWith('ORDER BY expires_at'))).toBe('ada@example.com|inv_1|2099-01-15 00:00:00+00|')
  expect(await sql(reports, 'SELECT * FROM certify.certify_invites, certify.certify_sends')).not.toContain('challenge')
  await expect(sql(reports, 'SELECT * FROM certify.certify_send_records')).rejects.toThrow('permission denied')
})

test.each(['certify_sends', 'certify_invites'])('the page lists every column of %s', async (view) => {
  const url = await freshDatabase()
  await freshLedger({ url })
  const columns = await sql(
    url,
    `SELECT string_agg(column_name, ' ') FROM information_schema.columns WHERE table_schema = 'certify' AND table_name = '${view}'`,
  )
  expect(documented(view).toSorted()).toEqual(columns.split(' ').toSorted())
})

test('certify_invites has a row for each invite and each follow-up, with its result', async () => {
  const url = await freshDatabase()
  const ledger = await freshLedger({ url })
  await ledger.claim(request('a', 'ada@example.com', { campaign: 'spring', row: 7 }))
  await ledger.settle('a', created('inv_1', 'inv_2'))
  const event = { reference: 'a', id: null, name: null, data: {}, raw: new Uint8Array(), failures: 0 }
  const times = { occurredAt: '2030-01-01T00:00:00Z', receivedAt: 1 }
  const completed = { type: 'certification.completed', quizId: null, result: 'PASSED', validUntil: '2031-01-01' }
  await ledger.learn?.({ ...event, ...times, ...completed, key: 'e1', inviteId: 'inv_1' } as never)
  const claimed = { type: 'certification.follow_up_claimed', kind: 'retake' }
  const ids = { originalInviteId: 'inv_2', followUpInviteId: 'inv_3' }
  await ledger.learn?.({ ...event, ...times, ...claimed, ...ids, key: 'e2' } as never)
  const columns =
    'reference, invite_id, expires_at, follow_up_of, kind, result, result_at, valid_until, campaign, "row"'
  expect((await sql(url, `SELECT ${columns} FROM certify.certify_invites ORDER BY invite_id`)).split('\n')).toEqual([
    'a|inv_1|2099-01-15 00:00:00+00|||passed|2030-01-01 00:00:00+00|2031-01-01|spring|7',
    'a|inv_2|2099-01-15 00:00:00+00||||||spring|7',
    'a|inv_3||inv_2|retake||||spring|7',
  ])
})

test('the documented purge and retention leave nothing of a candidate, and nothing else is removed', async () => {
  const url = await freshDatabase()
  const ledger = await freshLedger({ url })
  const inbox = await openPostgresInbox({ url })
  onTestFinished(() => inbox.close())
  for (const [reference, email] of [
    ['a', 'Ada@Example.com'],
    ['b', 'bob@example.com'],
    ['c', 'cy@example.com'],
  ] as const) {
    await ledger.claim(request(reference, email))
    await ledger.settle(reference, created(`inv_${reference}`))
    const event = { key: `of-${reference}`, reference, deliveryId: null, body: new Uint8Array(), receivedAt: 1 }
    await inbox.append(event)
  }
  await ledger.claim(request('sending', 'ada@example.com', { although: { invited: true } }))
  await sql(url, blockWith('Ada@example.com') + blockWith('empty AS MATERIALIZED'))
  expect((await all(ledger.list())).map(({ reference }) => reference)).toEqual(['sending', 'c', 'b'])
  await ledger.settle('sending', { state: 'refused' })
  await sql(url, blockWith('Ada@example.com') + blockWith('empty AS MATERIALIZED'))
  const left = `SELECT string_agg(t::text, '') FROM (SELECT to_json(s)::text FROM certify.certify_send_records s
    UNION ALL SELECT to_json(c)::text FROM certify.certify_candidates c
    UNION ALL SELECT to_json(e)::text FROM certify.certify_events e) AS t`
  expect((await sql(url, left)).toLowerCase()).not.toMatch(/ada@example|of-a/)

  await sql(url, `UPDATE certify.certify_send_records SET sent_at = 0, expires_at = 1 WHERE reference = 'b'`)
  await sql(url, `UPDATE certify.certify_send_records SET sent_at = 0 WHERE reference = 'c'`)
  await sql(url, blockWith('2 years') + blockWith('empty AS MATERIALIZED'))
  expect((await all(ledger.list())).map(({ reference }) => reference)).toEqual(['c'])
  expect(await sql(url, 'SELECT email_key FROM certify.certify_candidates')).toBe('cy@example.com')
  expect(await ledger.check()).toMatchObject({ problems: [] })
})

test('a purge by e-mail and one by age leave nothing of a candidate either', async () => {
  const url = await freshDatabase()
  const ledger = await freshLedger({ url })
  for (const reference of ['a', 'b']) {
    await ledger.claim(request(reference, `${reference}@example.com`))
    await ledger.settle(reference, { state: 'refused' })
  }
  expect(await ledger.purge({ email: 'A@example.com' })).toEqual({ removed: 1, kept: 0 })
  expect(await sql(url, 'SELECT email_key FROM certify.certify_candidates')).toBe('b@example.com')
  expect(await ledger.purge({ olderThanMs: -1000 })).toEqual({ removed: 1, kept: 0 })
  expect(await sql(url, 'SELECT count(*) FROM certify.certify_candidates')).toBe('0')
})
