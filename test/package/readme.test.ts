import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test, vi } from 'vitest'
import { compile, lend, repository, runIn, writeProject } from './consumer.ts'
import { blocksOf, commandOf, freePort, install, start, startMock } from './page-blocks.ts'

const consumer = inject('consumer')
const readme = readFileSync(join(repository, 'README.md'), 'utf8')
const { shell, named, unnamed } = blocksOf(readme)
const [installing, commands, mockExec, bulk, contributing, ...otherShell] = shell
const [ledger = '', callbacks = '', ...otherUnnamed] = unnamed
const program = named['invite.mjs'] ?? ''
/* What the README calls "the client from above". */
const client = program.split('\n').slice(0, 4).join('\n')
const input = /^const input = .*$/m.exec(ledger)?.[0] ?? ''

test('the README is short, and every block of it is known to these tests', () => {
  expect([otherShell, otherUnnamed, Object.keys(named)]).toEqual([[], [], ['invite.mjs', 'invite.test.ts']])
  expect(readme.split('\n').length).toBeLessThanOrEqual(201)
  const lines = [program, ledger, callbacks].map((code) => code.trimEnd().split('\n').length)
  expect(lines).toEqual([15, 8, 11])
})

test('the commands that set up a fresh clone are those of package.json, and the install names this package', () => {
  const { name, scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    name: string
    scripts: Record<string, string>
  }
  expect([contributing, installing]).toEqual(['npm ci && npm run demo\nnpm ci && npm test\n', `npm install ${name}\n`])
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['demo', 'test']))
  expect(readFileSync(join(repository, '.ci/run'), 'utf8')).toContain('npm ci\nnpm test')
})

test('the pictures of the README exist', () => {
  const pictures = [...readme.matchAll(/(?:src|srcset)="([^"]+)"|!\[[^\]]*\]\(([^)]+)\)/g)].map(
    (each) => each[1] ?? each[2],
  )
  expect(pictures).toHaveLength(3)
  expect(pictures.filter((path) => !existsSync(join(repository, path ?? '')))).toEqual([])
})

test('the programs and the test of the README compile strictly', () => {
  lend(consumer, 'vitest')
  const files = {
    'invite.ts': program,
    'ledger.ts': `${client}\n${ledger}`,
    'callbacks.ts': `${client}\n${input}\n${callbacks}`,
    'invite.test.ts': named['invite.test.ts'] ?? '',
  }
  const folder = writeProject(consumer, 'readme-programs', files)
  expect(compile(consumer, folder, ...Object.keys(files))).toBe('')
})

test('the program of the README runs with a mock of its own, as the README says', () => {
  const folder = install(writeProject(consumer, 'readme-program', { 'invite.mjs': program }), consumer)
  const ended = runIn(folder, 'sh', ['-c', mockExec ?? ''])
  expect(ended).toMatchObject({ status: 0, stdout: expect.stringMatching(/^inv_\w+ http:\/\/\S+\/challenge\/\w+\n$/) })
  expect(runIn(folder, 'node', ['invite.mjs']).stderr).toContain('CONFIG_INVALID')
})

test('the commands of the README run against the mock that it starts, as written but for the port', async () => {
  const { url, key } = await startMock(consumer, commandOf(readme, 'npx certify-sdk mock'))
  /* What the profile of the sandbox says, but for the port. */
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key }
  const { status, stdout, stderr } = runIn(consumer, 'bash', ['-euo', 'pipefail', '-c', commands ?? ''], env)
  expect({ status, stderr: stderr.replaceAll(/^npm warn .*\n/gm, '') }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain('quiz_react_beginner_state')
  expect(stdout).toContain(`${url}/challenge/`)
  expect(readme).toContain('`http://127.0.0.1:4010`')
  expect(await (await fetch(url, { headers: { accept: 'text/html' } })).text()).toContain('ada@example.com')
})

test('the ledger of the README sends one create: it returns the invite again, then refuses', async () => {
  const { url, key } = await startMock(consumer)
  lend(consumer, 'better-sqlite3')
  const caught = ledger.replace(/ \/\/ throws .*$/m, '.catch((error) => console.log(error.code))')
  const whole = `${client}\n${caught}
console.log(invite.inviteId === again.inviteId)
await ledger.close()\n`
  const folder = writeProject(consumer, 'readme-ledger', { 'ledger.mjs': whole })
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key }
  expect(runIn(folder, 'node', ['ledger.mjs'], env)).toEqual({
    status: 0,
    stdout: 'ALREADY_INVITED\ntrue\n',
    stderr: '',
  })
  expect(await (await fetch(`${url}/__mock/outbox`)).json()).toMatchObject({ total: 1 })
})

test('the test of the README passes in vitest', () => {
  lend(consumer, 'vitest')
  const folder = writeProject(consumer, 'readme-test', named)
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs')
  const { status, stdout } = runIn(folder, 'node', [vitest, 'run', '--root', folder], { NO_COLOR: '1' })
  expect([status, stdout]).toEqual([0, expect.stringMatching(/Tests +1 passed \(1\)/)])
})

test('bulk in the README invites two candidates, and sends nothing when it is run again', async () => {
  const { url, key } = await startMock(consumer)
  const folder = join(consumer, 'readme-bulk')
  mkdirSync(folder, { recursive: true })
  lend(consumer, 'better-sqlite3')
  install(folder, consumer)
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key, XDG_STATE_HOME: folder }
  const { status, stdout, stderr } = runIn(folder, 'bash', ['-euo', 'pipefail', '-c', bulk ?? ''], env)
  expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringMatching(/already invited +2/) })
  const states = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[1])
  expect(states).toEqual(['created', 'created', 'already_invited', 'already_invited'])
  expect(await (await fetch(`${url}/__mock/outbox`)).json()).toMatchObject({ total: 2 })
})

test('with the callbacks of the README, the result of an invite arrives', async () => {
  const port = await freePort()
  const { url, key } = await startMock(consumer, ['--map-callback', `https://app.example=http://127.0.0.1:${port}`])
  lend(consumer, 'better-sqlite3')
  const whole = `${client}\n${input}\n${callbacks.replace('3000', String(port))}`
  const folder = writeProject(consumer, 'readme-callbacks', { 'callbacks.mjs': whole })
  const secret = { CERTIFY_CALLBACK_SECRET: 'a secret of thirty-two characters' }
  const running = start(folder, 'node', ['callbacks.mjs'], { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key, ...secret })
  const invites = async () =>
    ((await (await fetch(`${url}/__mock/invites`)).json()) as { rows: { inviteId: string }[] }).rows
  await vi.waitFor(async () => expect(await invites()).toHaveLength(1), 30_000)
  const [invite] = await invites()
  await fetch(`${url}/__mock/invites/${invite?.inviteId}/pass`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  })
  await vi.waitFor(() => expect(running.stdout()).toMatch(/^certification\.completed \S+\n$/), 30_000)
  await running.stop()
})
