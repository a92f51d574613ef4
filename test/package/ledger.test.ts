import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { lend, runAsync } from './consumer.ts'

const invite = ['invites', 'create', '--quiz-id', 'quiz_react_beginner_state', '--email', 'ada@example.com']
const hasOwnSqlite = process.getBuiltinModule('node:sqlite') !== undefined

/* The installed package in its own folder, with or without @photostructure/sqlite beside it, and a mock. */
async function setting({ withPackage = true }: { readonly withPackage?: boolean } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'certify-cli-ledger-'))
  const mock = createMockServer()
  const { url } = await mock.listen()
  onTestFinished(async () => {
    await mock.close()
    rmSync(folder, { recursive: true, force: true })
  })
  cpSync(join(inject('consumer'), 'node_modules/certify-sdk'), join(folder, 'node_modules/certify-sdk'), {
    recursive: true,
  })
  if (withPackage) lend(folder, '@photostructure/sqlite')
  const bin = join(folder, 'node_modules/certify-sdk/dist/bin/certify.cjs')
  const env = {
    CERTIFY_BASE_URL: url,
    CERTIFY_API_KEY: mock.apiKey,
    CERTIFY_CONFIG_DIR: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
  }
  const run = (argv: readonly string[], node: readonly string[] = []) =>
    runAsync(process.execPath, [...node, bin, ...argv], env)
  return { folder, mock, bin, env, run, ledger: join(folder, 'state/certify/ledger.sqlite') }
}

test('the installed program records, refuses and lists invites, without warnings on stderr', async () => {
  const { mock, run, ledger } = await setting()
  expect(await run(invite)).toMatchObject({ status: 0, stderr: '' })
  expect(await run(invite)).toMatchObject({ status: 5, stdout: '' })
  const [{ inviteId } = { inviteId: '' }] = mock.invites
  expect(await run(['invites', 'list', '--quiet'])).toEqual({ status: 0, stdout: `${inviteId}\n`, stderr: '' })
  expect((statSync(ledger).mode & 0o777).toString(8)).toBe('600')
  expect(await run(['ledger', 'check'])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`driver\t${hasOwnSqlite ? 'node:sqlite' : '@photostructure/sqlite'}\n`),
    stderr: '',
  })
})

test('without any SQLite the error says what to install, and nothing is sent', async () => {
  const { mock, run } = await setting({ withPackage: false })
  const { status, stderr } = await run(invite)
  const missing =
    'error: The ledger cannot be used: this runtime has no SQLite of its own, and @photostructure/sqlite is not installed.\n' +
    'hint: Use Node.js 22.13 or later, or run `npm install @photostructure/sqlite@1` (with --global, if this package is global).\n'
  expect({ status, stderr, sent: mock.invites.length }).toEqual(
    hasOwnSqlite ? { status: 0, stderr: '', sent: 1 } : { status: 2, stderr: missing, sent: 0 },
  )
  expect((await run(['tracks', 'list'])).status).toBe(0)
})

test('only one of four concurrent processes invites the candidate', async () => {
  const { mock, run } = await setting()
  const ends = await Promise.all([1, 2, 3, 4].map(() => run([...invite, '--json'])))
  expect(
    ends
      .map(({ status }) => String(status))
      .toSorted()
      .join(' '),
  ).toBe('0 5 5 5')
  expect(mock.invites).toHaveLength(1)
  const [{ inviteId } = { inviteId: '' }] = mock.invites
  for (const { stdout, stderr } of ends) expect(stdout + stderr).toContain(inviteId)
})

/* A create whose response never arrives, ended by a signal. */
async function endedBy(signal: 'SIGINT' | 'SIGKILL') {
  const { mock, bin, env, run } = await setting()
  mock.faults.add({ operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'hang' })
  const child = spawn(process.execPath, [bin, ...invite], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  await expect.poll(() => mock.invites.length).toBe(1)
  child.kill(signal)
  const [status] = (await once(child, 'close')) as [number | null]
  return { mock, run, status, stderr }
}

test('after SIGINT during a create the candidate is not invited again until it is resolved', async () => {
  const { mock, run, status, stderr } = await endedBy('SIGINT')
  const reference = (await run(['invites', 'list', '--state', 'unknown', '--quiet'])).stdout.trim()
  expect([status, stderr]).toEqual([
    6,
    expect.stringContaining(`certify invites resolve ${reference} --created <invite-id>`),
  ])
  expect(reference).toMatch(/^[0-9a-f-]{36}$/)
  expect(await run(invite)).toMatchObject({ status: 5, stderr: expect.stringContaining(reference) })
  expect((await run(['invites', 'resolve', reference, '--not-created', '--yes'])).status).toBe(0)
  expect((await run(invite)).status).toBe(0)
  expect(mock.invites).toHaveLength(2)
})

test('after SIGKILL during a create the candidate counts as being invited', async () => {
  const { mock, run } = await endedBy('SIGKILL')
  expect((await run(['invites', 'list', '--state', 'sending', '--quiet'])).stdout).toMatch(/^[0-9a-f-]{36}\n$/)
  expect((await run([...invite, '--deadline', '1s'])).stderr).toContain('Nothing was sent')
  expect(mock.invites).toHaveLength(1)
})

test('a command that needs no ledger loads neither the ledger nor SQLite', async () => {
  const { folder, run } = await setting()
  const spy = join(folder, 'spy.cjs')
  writeFileSync(
    spy,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'loaded.json'))},
      JSON.stringify([...Object.keys(require.cache), ...process.moduleLoadList])))`,
  )
  const loaded = async (...argv: readonly string[]) => {
    rmSync(join(folder, 'loaded.json'), { force: true })
    expect(await run(argv, ['--require', spy])).toMatchObject({ status: 0, stderr: '' })
    const names = JSON.parse(readFileSync(join(folder, 'loaded.json'), 'utf8')) as string[]
    const isLedger = (name: string) =>
      existsSync(name) && readFileSync(name, 'latin1').includes('CREATE TABLE certify_sends')
    return { ledger: names.some(isLedger), sqlite: names.some((name) => /sqlite/.test(name)) }
  }
  const none = { ledger: false, sqlite: false }
  expect(await loaded('tracks', 'list')).toEqual(none)
  expect(await loaded('auth', 'status')).toEqual(none)
  expect(await loaded(...invite)).toEqual({ ledger: true, sqlite: true })
})
