import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { closeLedger } from '../../bin/ledger/open-ledger.ts'
import type { Fetch } from '../../src/index.ts'
import { createRunner, invite, quizId } from './run.ts'

const wordsOf = (text: string) => text.replaceAll(/\s+/g, ' ')

function rowsFor(folder: string): string {
  const file = join(folder, 'rows.csv')
  writeFileSync(file, `email,quiz_id\nada@example.com,${quizId}\nbob@example.com,${quizId}\n`)
  return file
}

test('a candidate who is recorded under a named account is refused under the default one', async () => {
  const { certify, mock, home } = createRunner()
  expect((await certify([...invite, '--account', 'acme'])).code).toBe(0)
  const file = rowsFor(home.folder)
  for (const argv of [invite, ['bulk', file, '--yes'], ['bulk', file, '--dry-run']]) {
    const { code, stderr } = await certify(argv)
    expect([code, mock.invites.length]).toEqual([5, 1])
    expect(wordsOf(stderr)).toContain('under the account “acme”, and this is “default” (default). Nothing was sent.')
    expect(stderr).toContain('--account acme')
    expect(stderr).not.toContain('ada@')
  }
  expect((await certify([...invite, '--if-invited', 'create'])).code).toBe(0)
  expect((await certify(['bulk', file, '--yes', '--account', 'other'])).code).toBe(5)
})

test('accounts with names are tenants: both may invite a candidate', async () => {
  const { certify, mock, home } = createRunner()
  const forTenant = (account: string) => ({ env: { CERTIFY_ACCOUNT: account } })
  expect((await certify(invite, forTenant('acme'))).code).toBe(0)
  expect((await certify(['bulk', rowsFor(home.folder), '--yes'], forTenant('globex'))).code).toBe(0)
  expect((await certify([...invite, '--account', 'acme'], forTenant('globex'))).code).toBe(5)
  expect(mock.invites.length).toBe(3)
  const { code, stderr } = await certify(invite, forTenant(' '))
  expect([code, stderr]).toEqual([2, expect.stringContaining('CERTIFY_ACCOUNT')])
})

test('in CI a create needs an explicit ledger, and the error names the three choices, as doctor does', async () => {
  const { certify, mock, home } = createRunner()
  const file = rowsFor(home.folder)
  for (const argv of [invite, ['bulk', file, '--yes'], ['doctor']]) {
    const { code, stderr, stdout } = await certify(argv, { env: { CI: 'true' } })
    expect(code).toBe(2)
    for (const choice of ['postgres://', 'a file on a disk that stays; not to one in a CI cache', ':memory:'])
      expect(wordsOf(stderr + stdout)).toContain(choice)
  }
  expect(mock.invites).toEqual([])
  expect((await certify(['bulk', file, '--dry-run'], { env: { CI: 'true' } })).code).toBe(0)
  expect((await certify(invite, { env: { CI: 'true', CERTIFY_LEDGER: ':memory:' } })).code).toBe(0)
  expect((await certify(invite, { env: { CI: 'true', CERTIFY_LEDGER: home.ledger } })).code).toBe(0)
})

test('a ledger that cannot be created suggests another path or :memory:', async () => {
  const { certify, mock, home } = createRunner()
  const file = join(home.folder, 'a-file')
  writeFileSync(file, '')
  const { code, stderr } = await certify(invite, { env: { XDG_STATE_HOME: file } })
  expect(code).toBe(2)
  expect(wordsOf(stderr)).toContain('set CERTIFY_LEDGER to another path, or to :memory:')
  expect(mock.invites).toEqual([])
})

test('a dry run reads the ledger, creates none and records nothing', async () => {
  const { certify, mock } = createRunner()
  const dry = await certify([...invite, '--dry-run'])
  expect([dry.code, dry.stderr, mock.invites.length]).toEqual([0, '', 0])
  expect((await certify(['ledger', 'check'])).code).toBe(5)
  expect((await certify(invite)).code).toBe(0)
  const refused = await certify([...invite, '--dry-run'])
  expect([refused.code, wordsOf(refused.stderr)]).toEqual([0, expect.stringContaining('the create would be refused')])
  expect(mock.invites).toHaveLength(1)
})

test('an admin session sends its headers instead of a key, and has no callbacks', async () => {
  const { certify, mock, home } = createRunner()
  const { headers } = mock.adminSession
  const env = { CERTIFY_API_KEY: undefined, CERTIFY_SESSION_HEADERS: JSON.stringify(headers) }
  expect((await certify(invite, { env })).code).toBe(0)
  const callback = await certify([...invite, '--callback-url', 'https://app.example/x'], { env })
  expect([callback.code, callback.stderr]).toEqual([
    2,
    expect.stringMatching(/cannot be set in an admin session; use an API key/),
  ])
  const both = await certify(['tracks', 'list'], { env: { ...env, CERTIFY_API_KEY: mock.apiKey } })
  expect([both.code, mock.invites.length]).toEqual([4, 1])
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const login = await certify(['auth', 'login', '--session', '--base-url', mock.baseUrl], {
    env: { CERTIFY_API_KEY: undefined },
    stdin: lines.join('\n'),
  })
  expect([login.code, login.stdout]).toEqual([0, expect.stringContaining('session (')])
  for (const value of Object.values(headers)) expect(login.stdout + login.stderr).not.toContain(value)
  const stored = { env: { CERTIFY_API_KEY: undefined, CERTIFY_BASE_URL: undefined } }
  expect((await certify(['tracks', 'list'], { ...stored, fetch: mock.fetch })).code).toBe(0)
  expect(home.credentials).toContain('credentials.json')
})

test('auth login stores the ledger and the account of a profile', async () => {
  const { certify, mock, home } = createRunner()
  const env = { CERTIFY_API_KEY: undefined }
  const login = (argv: readonly string[], stdin?: string) =>
    certify(['auth', 'login', '--base-url', mock.baseUrl, ...argv], { env, ...(stdin !== undefined && { stdin }) })
  expect((await login(['--with-key'], mock.apiKey)).code).toBe(0)
  const ledger = join(home.folder, 'own.ledger')
  expect((await login(['--ledger', ledger, '--account', 'acme'])).code).toBe(0)
  expect((await certify(invite, { env })).code).toBe(0)
  const [listed] = JSON.parse((await certify(['invites', 'list', '--json', '--ledger', ledger], { env })).stdout) as {
    readonly account: string
  }[]
  expect(listed?.account).toBe('acme')
})

test('ledger purge --dry-run counts what would be removed, and an unknown address is an error', async () => {
  const { certify } = createRunner()
  await certify(invite)
  const purge = ['ledger', 'purge', '--json', '--email']
  expect(JSON.parse((await certify([...purge, 'ada@example.com', '--dry-run'])).stdout)).toEqual({
    removed: 1,
    kept: 0,
  })
  expect(await certify([...purge, 'bob@example.com', '--yes'])).toMatchObject({ code: 5, stdout: '' })
  expect(JSON.parse((await certify([...purge, 'ada@example.com', '--yes'])).stdout)).toEqual({ removed: 1, kept: 0 })
})

test('another host name of the service invites nobody again, until the account is moved there', async () => {
  const { certify, mock, home } = createRunner()
  const file = rowsFor(home.folder)
  const fetch: Fetch = async (url, init) => mock.fetch(url.replace('https://other.test', mock.baseUrl), init)
  const there = { fetch, env: { CERTIFY_BASE_URL: 'https://other.test' } }
  expect((await certify(['bulk', file, '--yes'], { fetch })).code).toBe(0)
  const sent = mock.invites.length
  const plan = await certify(['bulk', file, '--dry-run'], there)
  expect(wordsOf(plan.stderr)).toContain('already invited')
  expect(wordsOf(plan.stderr)).not.toContain('nothing on record yet')
  const other = ['invites', 'create', '--quiz-id', 'quiz_react_beginner_state', '--email', 'new@example.com']
  const { code, stderr } = await certify(other, there)
  expect([code, mock.invites.length]).toEqual([2, sent])
  expect(wordsOf(stderr)).toContain(
    'the account “default” belongs to https://certify.test, and this client is for https://other.test',
  )
  expect(wordsOf(stderr)).toContain('certify ledger move --account default --to https://other.test')
  expect((await certify(['ledger', 'move', '--account', 'default', '--to', 'https://other.test'])).code).toBe(0)
  expect((await certify(['ledger', 'check'])).stdout).toContain('default, of https://other.test')
  expect((await certify(other, there)).code).toBe(0)
  expect((await certify(['bulk', file, '--yes'], there)).code).toBe(0)
  expect(mock.invites.length).toBe(sent + 1)
})

test.each([
  ['says so to a person at a terminal', true, [expect.stringMatching(/not recorded .*A second Ctrl-C ends this/)]],
  ['says nothing without a terminal', false, []],
])('a ledger that still records at the end of a command %s', async (_what, isTTY, said) => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const warn = vi.fn<(text: string) => Promise<void>>(async () => {})
  const context = { io: { stderr: { isTTY } }, output: { warn } } as unknown as Parameters<typeof closeLedger>[1]
  let end = () => {}
  const closing = closeLedger({ close: () => new Promise((resolve) => (end = resolve)) }, context)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(warn.mock.calls.flat()).toEqual(said)
  end()
  await closing
  expect(vi.getTimerCount()).toBe(0)
})
