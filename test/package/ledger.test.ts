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

test('after SIGKILL during a create the candidate counts as being invited', async () => {
  const { mock, bin, env, run } = await setting()
  mock.faults.add({ operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'hang' })
  const child = spawn(process.execPath, [bin, ...invite], { env, stdio: 'ignore' })
  await expect.poll(() => mock.invites.length).toBe(1)
  child.kill('SIGKILL')
  await once(child, 'close')
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
