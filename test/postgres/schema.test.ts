import { expect, onTestFinished, test } from 'vitest'
import { openPostgresLedger } from '../../src/ledger/postgres/index.ts'
import { sql } from './server.mjs'
import { created, freshDatabase, freshLedger, request } from './setting.ts'

/** A role of its own, without privileges. */
async function newRole(url: string): Promise<{ name: string; url: string }> {
  const name = `role_${crypto.randomUUID().slice(0, 8)}`
  await sql(url, `CREATE ROLE ${name} LOGIN PASSWORD 'canary-password'`)
  onTestFinished(async () => void (await sql(url, `DROP OWNED BY ${name}; DROP ROLE ${name}`)))
  const own = new URL(url)
  own.username = name
  own.password = 'canary-password'
  return { name, url: own.href }
}

test('an opening that finds its tables runs no DDL', async () => {
  const url = await freshDatabase()
  await freshLedger({ url })
  const { name, url: own } = await newRole(url)
  await sql(
    url,
    `GRANT USAGE ON SCHEMA certify TO ${name}; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA certify TO ${name};
     GRANT USAGE ON ALL SEQUENCES IN SCHEMA certify TO ${name}`,
  )
  const ledger = await freshLedger({ url: own })
  expect(await ledger.claim(request('a'))).toEqual({ kind: 'claimed' })
  expect(await ledger.settle('a', created('inv_1'))).toBe('recorded')
  expect(await ledger.purge({ email: 'ada@example.com' })).toEqual({ removed: 1, kept: 0 })
})

test('a role that may not create tables is told so, and so is one that must not', async () => {
  const url = await freshDatabase()
  const { url: own } = await newRole(url)
  await expect(openPostgresLedger({ url: own })).rejects.toMatchObject({
    code: 'LEDGER_UNUSABLE',
    message: expect.stringContaining('no privilege for it (42501)'),
    hint: expect.stringContaining('certify ledger migrate'),
  })
  await expect(openPostgresLedger({ url, migrate: false })).rejects.toMatchObject({
    code: 'LEDGER_UNUSABLE',
    message: expect.stringContaining('its tables are missing or old'),
    hint: expect.stringContaining('certify ledger migrate'),
  })
})

test('tables that a newer version has added to still work, unless it says that they do not', async () => {
  const url = await freshDatabase()
  const older = await freshLedger({ url })
  await sql(
    url,
    `ALTER TABLE certify.certify_send_records ADD COLUMN later text NOT NULL DEFAULT 'x';
     UPDATE certify.certify_ledger SET version = 99`,
  )
  await older.claim(request('a'))
  const ledger = await freshLedger({ url })
  expect(await ledger.settle('a', created('inv_1'))).toBe('recorded')
  expect(await ledger.check()).toMatchObject({ problems: [], schemaVersion: 99 })
  await sql(url, 'UPDATE certify.certify_ledger SET oldest_reader = 99')
  await expect(openPostgresLedger({ url })).rejects.toMatchObject({
    code: 'LEDGER_UNUSABLE',
    message: expect.stringContaining('newer version'),
    hint: expect.stringContaining('Update certify-sdk'),
  })
})

test('ledgers in two schemas of one database know nothing of each other', async () => {
  const url = await freshDatabase()
  const one = await freshLedger({ url, schema: 'Hiring-EU' })
  const other = await freshLedger({ url: `${url}?schema=other` })
  expect(await one.claim(request('a'))).toEqual({ kind: 'claimed' })
  expect(await other.claim(request('a'))).toEqual({ kind: 'claimed' })
  expect(one.path).toMatch(/^postgres:\/\/127\.0\.0\.1:\d+\/test_\w+\?schema=Hiring-EU$/)
})

test.each(['1a', 'a"b', "a'b", 'pg_x', '', 'x'.repeat(64)])('a schema cannot be named %j', async (schema) => {
  await expect(openPostgresLedger({ url: 'postgres://127.0.0.1:1/x', schema })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    issues: [{ path: 'schema' }],
  })
})

test('a database whose encoding cannot hold every name is refused', async () => {
  const url = await freshDatabase()
  const latin = new URL(url)
  latin.pathname = `${latin.pathname}_latin`
  await sql(
    url,
    `CREATE DATABASE ${latin.pathname.slice(1)} ENCODING LATIN1 TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`,
  )
  await expect(openPostgresLedger({ url: latin.href })).rejects.toThrow('the encoding of the database is not UTF8')
})

test('the clock can be accepted, as with a file', async () => {
  const url = await freshDatabase()
  const at = (time: string) => ({ now: () => Date.parse(time), startTimer: () => () => {} })
  const ahead = await freshLedger({ url, clock: at('2040-01-01T00:00:00Z') })
  await ahead.claim(request('a'))
  const behind = await freshLedger({ url, clock: at('2030-01-01T00:00:00Z') })
  await expect(behind.claim(request('b', 'b@example.com'))).rejects.toMatchObject({ code: 'CLOCK_SKEW' })
  const accepted = await freshLedger({ url, clock: at('2030-01-01T00:00:00Z'), acceptClock: true })
  expect(await accepted.claim(request('b', 'b@example.com'))).toEqual({ kind: 'claimed' })
  const earlier = await freshLedger({ url, clock: at('2029-12-31T00:00:00Z') })
  await expect(earlier.claim(request('c', 'c@example.com'))).rejects.toMatchObject({ code: 'CLOCK_SKEW' })
})
