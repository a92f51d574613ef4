import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgresInbox } from '../../src/ledger/postgres/index.ts'
import { sql } from './server.mjs'
import { all, created, freshDatabase, freshLedger, request } from './setting.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/postgres.md'), 'utf8')
const blocks = [...page.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
const blockWith = (text: string) => {
  const [block, ...others] = blocks.filter((each) => each.includes(text))
  expect(others).toEqual([])
  return block ?? expect.fail(`docs/postgres.md has no SQL with ${text}`)
}

/** Columns of a view, as the page lists them. */
const documented = (view: string) => {
  const table = page.split(`\`${view}\` has one row`)[1]?.split('\n\n')[1] ?? ''
  return [...table.matchAll(/^\|(.*?)\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, column = '']) => column),
  )
}

test('the documented roles can do what they need, and reports see no link', async () => {
  const url = await freshDatabase()
  const ledger = await freshLedger({ url })
  await sql(url, blockWith('CREATE ROLE certify_app') + blockWith('CREATE ROLE certify_reports'))
  onTestFinished(async () => {
    for (const role of ['certify_app', 'certify_reports']) await sql(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`)
  })
  await sql(url, "ALTER ROLE certify_app PASSWORD 'app'; ALTER ROLE certify_reports PASSWORD 'reports'")
  const as = (role: string, password: string) => {
    const own = new URL(url)
    own.username = role
    own.password = password
    return own.href
  }
  const app = await freshLedger({ url: as('certify_app', 'app'), migrate: false, acceptClock: true })
  await app.claim(request('a'))
  const link = { challengeUrl: 'https://certify.test/challenge/1' }
  const { invites } = created('inv_1')
  await app.settle('a', { state: 'created', invites: invites.map((invite) => ({ ...invite, ...link })) })
  expect(await ledger.find('a')).toMatchObject({ invites: [link] })
  const reports = as('certify_reports', 'reports')
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
