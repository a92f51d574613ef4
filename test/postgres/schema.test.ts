import { expect, onTestFinished, test } from 'vitest'
import type { WholeLedger } from '../src/ledger/whole.ts'
import { openPostgresLedger } from '../../src/ledger/postgres.ts'
import { all, settle } from '../src/ledger/contract/samples.ts'
import { sql } from './server.mjs'
import { created, freshDatabase, freshLedger, request } from './setting.ts'

/** A fresh role without privileges. */
async function newRole(url: string): Promise<{ name: string; url: string }> {
  const name = `role_${crypto.randomUUID().slice(0, 8)}`
  await sql(url, `CREATE ROLE ${name} LOGIN PASSWORD 'password'`)
  onTestFinished(async () => void (await sql(url, `DROP OWNED BY ${name}; DROP ROLE ${name}`)))
  const own = new URL(url)
  own.username = name
  own.password = 'password'
  return { name, url: own.href }
}

/** As documented in docs/queues.md. */
const PRIVILEGES = [
  'USAGE ON SCHEMA certify',
  'SELECT ON certify.certify_ledger',
  ...['SELECT', 'INSERT', 'UPDATE', 'DELETE'].map((each) => `${each} ON certify.certify_sends`),
  ...['SELECT', 'INSERT', 'DELETE'].map((each) => `${each} ON certify.certify_invites`),
  ...['SELECT', 'INSERT'].map((each) => `${each} ON certify.certify_references`),
  ...['SELECT', 'INSERT', 'UPDATE'].map((each) => `${each} ON certify.certify_accounts`),
  ...['SELECT', 'INSERT', 'UPDATE'].map((each) => `${each} ON certify.certify_changes`),
  ...['SELECT', 'INSERT', 'UPDATE', 'DELETE'].map((each) => `${each} ON certify.certify_events`),
]

/** Every call that reads or writes another table, or in another way. */
async function useEverything(ledger: WholeLedger): Promise<void> {
  await ledger.claim(request('a'))
  const link = { challengeUrl: 'https://certify.test/challenge/1' }
  const { state, invites } = created('inv_1')
  await settle(ledger, 'a', { state, invites: invites.map((invite) => ({ ...invite, ...link })) })
  await all(ledger.list({ inviteId: 'inv_1' }))
  expect(await ledger.claim(request('again', 'ada@example.com', { ifInvited: 'reuse' }))).toMatchObject({
    kind: 'taken',
  })
  await ledger.claim(request('b', 'bob@example.com'))
  await settle(ledger, 'b', { state: 'unknown' })
  await ledger.resolve('b', { created: 'inv_2' })
  await ledger.resolve('b', { undo: true })
  await ledger.inbox.append({ key: 'e', reference: 'a', deliveryId: null, body: new Uint8Array(), receivedAt: 1 })
  await ledger.inbox.take(2, 1000)
  await ledger.inbox.settle('e', { state: 'handled' })
  await ledger.purge({ email: 'ada@example.com' })
}

test('a role needs exactly these privileges: not CREATE, and none on sequences', async () => {
  const url = await freshDatabase()
  await freshLedger({ url })
  const { name, url: own } = await newRole(url)
  for (const each of PRIVILEGES) await sql(url, `GRANT ${each} TO ${name}`)
  await useEverything(await freshLedger({ url: own }))
  const needed: string[] = []
  for (const each of PRIVILEGES) {
    await sql(
      url,
      `REVOKE ${each} FROM ${name}; TRUNCATE certify.certify_sends CASCADE; TRUNCATE certify.certify_events, certify.certify_accounts, certify.certify_changes`,
    )
    const failure = await freshLedger({ url: own }).then(useEverything).catch(String)
    if (failure?.includes('the user has no privilege for it (42501)')) needed.push(each)
    await sql(url, `GRANT ${each} TO ${name}`)
  }
  expect(needed).toEqual(PRIVILEGES)
})

test('a role without permission to create the tables gets a hint; CREATE on the schema is enough', async () => {
  const url = await freshDatabase()
  const { name, url: own } = await newRole(url)
  await expect(openPostgresLedger({ url: own })).rejects.toMatchObject({
    code: 'LEDGER_UNUSABLE',
    message: expect.stringContaining('no privilege for it (42501)'),
    hint: expect.stringContaining('docs/queues.md'),
  })
  await sql(url, `CREATE SCHEMA certify; GRANT USAGE, CREATE ON SCHEMA certify TO ${name}`)
  await useEverything(await freshLedger({ url: own }))
})

test('tables of another version are refused', async () => {
  const url = await freshDatabase()
  await freshLedger({ url })
  await sql(url, 'UPDATE certify.certify_ledger SET version = 99')
  await expect(openPostgresLedger({ url })).rejects.toMatchObject({
    code: 'LEDGER_UNUSABLE',
    message: expect.stringContaining('another version of this package'),
  })
})

test('ledgers in two schemas of one database are independent', async () => {
  const url = await freshDatabase()
  const one = await freshLedger({ url, schema: 'Hiring-EU' })
  const other = await freshLedger({ url: `${url}?schema=other` })
  expect(await one.claim(request('a'))).toMatchObject({ kind: 'claimed' })
  expect(await other.claim(request('a'))).toMatchObject({ kind: 'claimed' })
  expect(one.path).toMatch(/^postgres:\/\/127\.0\.0\.1:\d+\/test_\w+\?schema=Hiring-EU$/)
})

test('a database whose encoding cannot hold every name is refused', async () => {
  const latin = new URL(await freshDatabase())
  const name = `${latin.pathname.slice(1)}_latin`
  await sql(latin.href, `CREATE DATABASE ${name} ENCODING LATIN1 TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`)
  latin.pathname = name
  await expect(openPostgresLedger({ url: latin.href })).rejects.toThrow('the encoding of the database is not UTF8')
})

test('a read-only database is reported as one: its ledger can be read, and claims nothing', async () => {
  const url = await freshDatabase()
  await (await freshLedger({ url })).claim(request('a'))
  await sql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`)
  const ledger = await freshLedger({ url, unreachableTimeoutMs: 50 })
  expect(await ledger.find('a')).toMatchObject({ state: 'sending' })
  await expect(ledger.claim(request('b', 'bob@example.com'))).rejects.toMatchObject({
    code: 'LEDGER_UNUSABLE',
    message: expect.stringContaining('the database is read-only (25006)'),
    hint: expect.stringContaining('primary server'),
  })
})
