import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { lend, runAsync } from './consumer.ts'

const invite = ['invites', 'create', '--quiz-id', 'quiz_react_beginner_state', '--email', 'ada@example.com']
const hasOwnSqlite = process.getBuiltinModule('node:sqlite') !== undefined

/* The installed package in its own folder, with or without @photostructure/sqlite beside it, and a mock. */
async function setting({
  withPackage = true,
  under = '',
}: {
  readonly withPackage?: boolean
  readonly under?: string
} = {}) {
  const whole = mkdtempSync(join(tmpdir(), 'certify-cli-ledger-'))
  const folder = join(whole, under)
  const mock = createMockServer()
  const { url } = await mock.listen()
  onTestFinished(async () => {
    await mock.close()
    rmSync(whole, { recursive: true, force: true })
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
  const run = (argv: readonly string[], node: readonly string[] = [], cwd?: string) =>
    runAsync(process.execPath, [...node, bin, ...argv], env, cwd)
  return { whole, folder, mock, bin, env, run, ledger: join(folder, 'state/certify/ledger.sqlite') }
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

test.each([
  ['', 'npm install @photostructure/sqlite@1` (with --global, if this package is global).'],
  ['_npx/0a1b', 'npm install @photostructure/sqlite@1 certify-sdk` in this folder, and npx finds both there.'],
])(
  'without any SQLite the error says what to install for a package in "%s", and nothing is sent',
  async (under, how) => {
    const { mock, run } = await setting({ withPackage: false, under })
    const { status, stderr } = await run(invite)
    const missing =
      'error: The ledger cannot be used: this runtime has no SQLite of its own, and @photostructure/sqlite is not installed.\n' +
      `hint: Use Node.js 22.13 or later, or run \`${how}\n`
    expect({ status, stderr, sent: mock.invites.length }).toEqual(
      hasOwnSqlite ? { status: 0, stderr: '', sent: 1 } : { status: 2, stderr: missing, sent: 0 },
    )
    expect((await run(['tracks', 'list'])).status).toBe(0)
  },
)

test('nothing is loaded from a working folder in which the package is not installed', async () => {
  const { whole, run } = await setting({ withPackage: false, under: '_npx/0a1b' })
  const foreign = join(whole, 'foreign')
  const loaded = join(whole, 'loaded')
  const trap = `require('node:fs').appendFileSync(${JSON.stringify(loaded)}, __filename); module.exports = {}`
  for (const name of ['@photostructure/sqlite', 'graphql', 'yaml', 'undici', 'commander']) {
    mkdirSync(join(foreign, 'node_modules', name), { recursive: true })
    writeFileSync(join(foreign, 'node_modules', name, 'index.js'), trap)
  }
  const commands = [invite, ['ledger', 'check'], ['doctor'], ['mock', 'init', 'world.yaml']]
  const ends = await Promise.all(commands.map((argv) => run(argv, [], foreign)))
  expect([ends.map(({ stderr }) => stderr.includes('not load')), existsSync(loaded)]).toEqual([
    ends.map(() => false),
    false,
  ])
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
