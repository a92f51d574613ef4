import { inspect } from 'node:util'
import { expect, inject, test } from 'vitest'
import { openPostgresLedger, type PostgresClient, type PostgresLedgerOptions } from '../../src/ledger/postgres/index.ts'
import { createDatabase, sql, startPostgres } from './server.mjs'
import { onTestFinished } from 'vitest'
import { created, freshLedger, poolOf, request } from './setting.ts'

const CANARIES = ['canary-password', 'canary@example.com', 'Canary Candidate', 'canary-link', 'canary-user']

function expectNoCanary(error: unknown): void {
  const shown = [inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error), String((error as Error).stack)]
  for (const canary of CANARIES) for (const text of shown) expect(text).not.toContain(canary)
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('it did not reject'),
    (error: unknown) => error,
  )
}

const { host, port, user } = inject('postgres')

test.each<readonly [title: string, options: PostgresLedgerOptions, code: string, words: RegExp]>([
  [
    'a wrong password',
    { url: `postgres://${user}:canary-password@${host}:${port}/postgres` },
    'LEDGER_UNUSABLE',
    /28P01/,
  ],
  [
    'a database that is not there',
    { url: inject('postgres').url.replace(/postgres$/, 'nowhere') },
    'LEDGER_UNUSABLE',
    /3D000/,
  ],
  [
    'a host that is not there',
    { url: 'postgres://canary-user:canary-password@127.0.0.1:1/x', unreachableTimeoutMs: 50 },
    'LEDGER_UNUSABLE',
    /ECONNREFUSED/,
  ],
  ['a password that is not escaped', { url: 'postgres://u:1/canary-password@host/x' }, 'CONFIG_INVALID', /url must be/],
  ['a # in a password', { url: 'postgres://u:1#canary-password@host/x' }, 'CONFIG_INVALID', /url must be/],
  ['a ? in a password', { url: 'postgres://u:1?canary-password@host/x' }, 'CONFIG_INVALID', /url must be/],
  ['another kind of URL', { url: 'https://canary-user:canary-password@host/x' }, 'CONFIG_INVALID', /url must be/],
])('%s is told without the password', async (_title, options, code, words) => {
  const error = await errorOf(openPostgresLedger(options))
  expect(error).toMatchObject({ code, outcome: 'not-executed', message: expect.stringMatching(words) })
  expectNoCanary(error)
})

test('a missing password is told at once, and as that: no connection is tried again', async () => {
  const url = `postgres://${user}@${host}:${port}/postgres`
  const opened = openPostgresLedger({ url, unreachableTimeoutMs: 600_000 })
  expect(await errorOf(opened)).toMatchObject({
    code: 'LEDGER_UNUSABLE',
    outcome: 'not-executed',
    message: expect.stringContaining('the database asks for a password, and there is none'),
    hint: expect.stringContaining('PGPASSWORD'),
  })
})

test('an error of the server is told by its code alone, without the values of the statement', async () => {
  const url = await createDatabase(inject('postgres').url)
  const ledger = await freshLedger({ url })
  await sql(url, 'DROP TABLE certify.certify_candidates')
  const input = { quizId: 'quiz', candidate: { name: 'Canary Candidate', email: 'canary@example.com' } }
  const error = await errorOf(ledger.claim(request('a', 'canary@example.com', { input })))
  expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE', message: expect.stringContaining('42P01') })
  expectNoCanary(error)
})

test('an error of a client is told without its words', async () => {
  const client: PostgresClient = {
    query: async (_text, values) => Promise.reject(new Error(`canary-password ${String(values)}`)),
  }
  const error = await errorOf(openPostgresLedger({ client, unreachableTimeoutMs: 50 }))
  expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE' })
  expectNoCanary(error)
})

test('a ledger shows neither its password nor its user', async () => {
  const { url } = inject('postgres')
  const ledger = await freshLedger({ url: await createDatabase(url) })
  const shown = inspect(ledger, { depth: 9, showHidden: true }) + JSON.stringify(ledger) + ledger.path
  expect(shown).not.toContain(new URL(url).password)
  expect(ledger.path).not.toContain('@')
})

test('names and addresses with any characters come back as they were', async () => {
  const url = await createDatabase(inject('postgres').url)
  const ledger = await freshLedger({ client: poolOf(url) })
  const name = 'Ada \0 \uD800 \uF8FE \uF8FE0041 😀 \\u0000 "\''
  const input = { quizId: 'quiz', candidate: { name, email: 'ada@example.com' } }
  await ledger.claim(request('a', 'ada@example.com', { input, campaign: name }))
  await ledger.settle('a', { ...created(name), packageName: name })
  const entry = await ledger.find('a')
  expect(entry).toMatchObject({ input, campaign: name, packageName: name, invites: [{ inviteId: name }] })
})

test('TLS is as `pg` has it: a certificate that cannot be verified is refused at once', async () => {
  const postgres = await startPostgres({ tls: true })
  onTestFinished(postgres.stop)
  const url = await postgres.createDatabase()
  const error = await errorOf(openPostgresLedger({ url: `${url}?sslmode=verify-full` }))
  expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE', message: expect.stringContaining('TLS failed') })
  const certificate = new URL('../certificates/ca.pem', import.meta.url).pathname
  const ledger = await freshLedger({ url: `${url}?sslmode=verify-full&sslrootcert=${certificate}` })
  expect(await ledger.claim(request('a'))).toEqual({ kind: 'claimed' })
})
