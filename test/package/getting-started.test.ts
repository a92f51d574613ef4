import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test, vi } from 'vitest'
import { compile, lend, repository, runIn, writeProject } from './consumer.ts'
import { blocksOf, freePort, install, start, startMock } from './page-blocks.ts'

const consumer = inject('consumer')
const page = readFileSync(join(repository, 'docs/getting-started.md'), 'utf8')
const { shell, text, named, unnamed } = blocksOf(page)
const [clone, setUp = '', runTests, runCallbacks = '', ...otherShell] = shell
const [printed = '', configure = '', firstInvite = '', ...otherText] = text
const env = { PATH: `${join(repository, 'node_modules/.bin')}:${process.env['PATH']}` }

test('every block of the page is known to these tests', () => {
  const files = ['invite-applicant.js', 'invite-applicant.test.js', 'callbacks.js']
  expect([otherShell, otherText, unnamed, Object.keys(named)]).toEqual([[], [], [], files])
})

test('from a clone, npm run demo follows npm ci', () => {
  const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { scripts: object }
  expect([clone, Object.keys(scripts)]).toEqual(['npm ci\nnpm run demo\n', expect.arrayContaining(['demo'])])
})

test('the project of the page, set up as it says, has two tests that pass', () => {
  const { folder, installed } = firstHour('tests')
  expect(installed).toEqual(['npm install certify-sdk', 'npm install --save-dev vitest'])
  for (const name of Object.keys(named)) writeFileSync(join(folder, name), named[name] ?? '')
  const { status, stdout } = runIn(folder, 'sh', ['-c', runTests ?? ''], { ...env, NO_COLOR: '1' })
  expect([status, stdout]).toEqual([0, expect.stringMatching(/Tests +2 passed \(2\)/)])
})

test('the program of the page receives the event of the candidate whom it invites, and prints what the page says', async () => {
  const { folder } = firstHour('callbacks')
  const port = String(await freePort())
  writeFileSync(join(folder, 'callbacks.js'), named['callbacks.js']?.replace('3000', port) ?? '')
  const running = start(folder, 'bash', ['-euo', 'pipefail', '-c', runCallbacks.replace('3000', port)], env)
  const lines = printed.replaceAll('.', '\\.').replaceAll('inv_…', '(inv_\\w+)').trimEnd()
  await vi.waitFor(() => expect(running.stdout()).toMatch(new RegExp(`^${lines}\n$`)), 60_000)
  const [invited, passed] = [...running.stdout().matchAll(/inv_\w+/g)].map(String)
  expect(invited).toBe(passed)
  await running.stop()
})

test('the program is TypeScript too, as the page says', () => {
  const folder = writeProject(consumer, 'getting-started-typescript', { 'callbacks.ts': named['callbacks.js'] ?? '' })
  expect(compile(consumer, folder, 'callbacks.ts')).toBe('')
})

test('without a secret the program is refused by CONFIG_INVALID, as the page says', () => {
  const { folder } = firstHour('no-secret')
  writeFileSync(join(folder, 'callbacks.js'), named['callbacks.js'] ?? '')
  const some = { CERTIFY_BASE_URL: 'http://127.0.0.1:4010', CERTIFY_API_KEY: 'ck_1' }
  for (const [given, why] of [
    [some, 'secrets'],
    [{}, 'baseUrl'],
  ] as const) {
    const { stderr } = runIn(folder, 'node', ['callbacks.js'], given)
    expect(stderr).toContain("code: 'CONFIG_INVALID'")
    expect(stderr).toContain(why)
  }
})

test('the first invites for the real service run as written, against the mock', { timeout: 300_000 }, async () => {
  const { url, key } = await startMock(consumer)
  const { folder } = firstHour('real')
  lend(consumer, 'better-sqlite3')
  const [login = '', doctor = '', ...others] = configure.trimEnd().split('\n')
  expect([login, others]).toEqual(['npx certify-sdk auth login --base-url https://certify.example.com', []])
  expect(runIn(folder, 'sh', ['-c', `${login} --help`])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('key'),
  })
  const commands = `${doctor}\n${firstInvite}`
    .replace('<slug>', 'react')
    .replace('<quiz id>', 'quiz_react_beginner_state')
  const known = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key, XDG_STATE_HOME: folder }
  const { status, stdout } = runIn(folder, 'bash', ['-euo', 'pipefail', '-c', commands], known)
  expect(status).toBe(0)
  expect(stdout).toContain('quiz_react_beginner_state')
  expect(stdout).toMatch(/\/challenge\/.*\tfalse\n$/)
  expect(await (await fetch(`${url}/__mock/outbox`)).json()).toMatchObject({ total: 0 })
})

/* What the commands of the page make of an empty folder; the package of these tests stands for the one of the registry. */
function firstHour(name: string): { readonly folder: string; readonly installed: readonly string[] } {
  lend(consumer, 'vitest')
  const parent = join(consumer, `getting-started-${name}`)
  mkdirSync(parent)
  const lines = setUp.trimEnd().split('\n')
  const installed = lines.filter((line) => line.startsWith('npm install '))
  const others = lines.filter((line) => !installed.includes(line))
  expect(runIn(parent, 'bash', ['-euo', 'pipefail', '-c', others.join('\n')])).toMatchObject({ status: 0 })
  const folder = install(join(parent, 'first-hour'), consumer)
  symlinkSync(join(repository, 'node_modules/vitest'), join(folder, 'node_modules/vitest'))
  return { folder, installed }
}
