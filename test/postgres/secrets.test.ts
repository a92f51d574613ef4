import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openPostgresLedger, type PostgresLedgerOptions } from '../../src/ledger/postgres.ts'
import { sql, startPostgres } from './server.mjs'
import { created, freshDatabase, freshLedger, request } from './setting.ts'
import { settle } from '../src/ledger/contract/samples.ts'

const CANARIES = ['canary-password', 'canary@example.com', 'Canary Candidate', 'canary-user']

/** The error of a call, after a check that it shows no secret. */
async function errorOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => expect.fail('it did not reject'),
    (reason: unknown) => reason,
  )
  const shown = [inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error), String((error as Error).stack)]
  for (const canary of CANARIES) for (const text of shown) expect(text).not.toContain(canary)
  return error
}

const { host, port, user, password, url: server } = inject('postgres')
const fails = () => Promise.reject(new Error('canary-password'))
const bare = `postgres://${user}@${host}:${port}/postgres`

test.each<readonly [title: string, options: PostgresLedgerOptions, words: RegExp]>([
  ['a wrong password', { url: bare.replace('@', ':canary-password@') }, /28P01/],
  ['a wrong password of its own', { url: bare, connection: { password: async () => 'canary-password' } }, /28P01/],
  ['a password function that fails', { url: bare, connection: { password: fails } }, /cannot be reached/],
  ['a database that is not there', { url: server.replace(/postgres$/, 'nowhere') }, /3D000/],
  ['no server', { url: 'postgres://canary-user:canary-password@127.0.0.1:1/x' }, /ECONNREFUSED/],
])('%s is reported without its secrets', async (_title, options, words) => {
  const error = await errorOf(openPostgresLedger({ unreachableTimeoutMs: 50, ...options }))
  expect(error).toMatchObject({
    code: 'LEDGER_UNUSABLE',
    outcome: 'not-executed',
    message: expect.stringMatching(words),
  })
})

test('if the database cannot be reached without a password, the hint names PGPASSWORD', async () => {
  expect(await errorOf(openPostgresLedger({ url: bare, unreachableTimeoutMs: 50 }))).toMatchObject({
    code: 'LEDGER_UNUSABLE',
    hint: expect.stringContaining('PGPASSWORD'),
  })
})

test('an error of the server is reported by its code alone, without the values of the statement', async () => {
  const url = await freshDatabase()
  const ledger = await freshLedger({ url })
  await sql(url, 'ALTER TABLE certify.certify_sends ADD CHECK (length(record) < 10)')
  const input = { quizId: 'quiz', candidate: { name: 'Canary Candidate', email: 'canary@example.com' } }
  const error = await errorOf(ledger.claim(request('a', 'canary@example.com', { input })))
  expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE', message: expect.stringContaining('23514') })
})

test.each([
  ['in the URL', server, {}],
  ['from a function', bare, { password: async () => password }],
  ['that takes precedence over the one in the URL', bare.replace('@', ':wrong@'), { password }],
])('a ledger shows neither its user nor its password %s', async (_title, place, connection) => {
  const ledger = await freshLedger({ url: place, connection })
  const shown = inspect(ledger, { depth: 9, showHidden: true }) + JSON.stringify(ledger) + ledger.path
  expect(shown).not.toContain(password)
  expect(ledger.path).not.toContain('@')
})

test('texts with any characters are returned unchanged, and found', async () => {
  const ledger = await freshLedger()
  const text = 'Ada \0 \uD800 \uF8FE \uF8FE0041 😀 \\u0000 "\''
  const input = { quizId: 'quiz', candidate: { name: text, email: 'ada@example.com' } }
  await ledger.claim(request('a', 'ada@example.com', { input, campaign: text }))
  await settle(ledger, 'a', { ...created(text), packageName: text })
  const whole = { input, campaign: text, packageName: text, invites: [{ inviteId: text }] }
  expect(await ledger.find('a')).toMatchObject(whole)
  for await (const record of ledger.list({ campaign: text, inviteId: text })) expect(record).toMatchObject(whole)
})

test('TLS works as in `pg`: a certificate that cannot be verified is refused at once', async () => {
  const postgres = await startPostgres({ tls: true })
  onTestFinished(postgres.stop)
  const secure = `${await postgres.createDatabase()}?sslmode=verify-full`
  const certificate = new URL('../certificates/ca.pem', import.meta.url).pathname
  const ca = readFileSync(certificate)
  for (const options of [{ url: secure }, { url: `${secure}&sslrootcert=${certificate}`, connection: { ssl: true } }]) {
    const error = await errorOf(openPostgresLedger(options))
    expect(error).toMatchObject({ code: 'LEDGER_UNUSABLE', message: expect.stringContaining('TLS failed') })
  }
  for (const options of [
    { url: `${secure}&sslrootcert=${certificate}` },
    { url: secure, connection: { ssl: { ca } } },
  ]) {
    expect(await (await freshLedger(options)).check()).toMatchObject({ problems: [] })
  }
})
