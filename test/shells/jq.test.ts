import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { inTerminal, run, startWorld } from './terminal.ts'

const { mock, env } = await startWorld()
const program = 'certify'
const create = [program, 'invites', 'create', '--quiz-id', 'quiz_react_beginner_state', '--email', 'ada@example.com']

beforeEach(() => mock.reset())

test('--jq prints each result on a line, texts without quotes', async () => {
  const { status, stdout } = await run(['certify', 'tracks', 'list', '--jq', '.[].slug'], env)
  expect([status, stdout]).toEqual([0, mock.tracks.map(({ slug }) => `${slug}\n`).join('')])
})

test('--jq prints objects on one line each into a pipe, and indented on a terminal', async () => {
  const argv = ['certify', 'tracks', 'list', '--jq', '.[0]|{slug}']
  const [{ slug } = { slug: '' }] = mock.tracks
  expect((await run(argv, env)).stdout).toBe(`{"slug":"${slug}"}\n`)
  expect((await inTerminal(argv, env)).output).toBe(`{\r\n  "slug": "${slug}"\r\n}\r\n`)
})

test('a link goes into a variable of the shell with one command', async () => {
  const { status, stdout } = await run([...create, '--no-send-email', '--jq', '.challengeUrl'], env)
  expect([status, stdout]).toEqual([0, `${mock.invites[0]?.challengeUrl}\n`])
})

test.each([
  ['.[', 'it does not end'],
  ['nonsense', 'an unknown function'],
  ['.a | .b[', 'an open bracket'],
])('the filter %j is refused before anything is sent: %s', async (filter) => {
  const { status, stdout, stderr } = await run([...create, '--jq', filter], env)
  expect([status, stdout, mock.requestLog.list()]).toEqual([2, '', []])
  expect(stderr).toContain('jq does not accept the filter of --jq: ')
  expect(stderr).not.toContain('jq: error')
})

test('a filter that fails on the response of a create does not lose it', async () => {
  const { status, stdout, stderr } = await run([...create, '--no-send-email', '--jq', '.inviteId.link'], env)
  expect([status, stdout]).toEqual([6, ''])
  expect(JSON.parse(stderr)).toMatchObject({ error: { partial: { challengeUrl: mock.invites[0]?.challengeUrl } } })
})

test('a filter cannot read the key', async () => {
  const argv = ['certify', 'tracks', 'list', '--jq', '[env, $ENV] | map(.CERTIFY_API_KEY, .CERTIFY_BASE_URL)']
  expect((await run(argv, env)).stdout).toBe('[null,null,null,null]\n')
})

/* A program in place of jq. Without input, jq compiles the filter. */
function withJq(script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'certify-jq-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'jq'), `#!/bin/bash\n${script}\n`, { mode: 0o755 })
  return { folder, env: { ...env, PATH: `${folder}:${env.PATH}` } }
}

test('a jq that ends before it has read the document is no failure', async () => {
  const { stdout: document } = await run(['certify', 'commands', '--json'], env)
  expect(document.length).toBeGreaterThan(65_536)
  const early = withJq('exec <&-\necho early')
  const { status, stdout, stderr } = await run(['certify', 'commands', '--jq', '.'], early.env)
  expect([status, stdout, stderr]).toEqual([0, 'early\n', ''])
})

test.each([
  ['a query', ['tracks', 'list'], 143, () => 'interrupted while jq was running'],
  ['a create', [...create.slice(1), '--no-send-email'], 6, () => mock.invites[0]?.challengeUrl],
])('SIGTERM ends a jq that does not end, and %s does not lose what came', async (_name, argv, code, told) => {
  const { folder, env: endless } = withJq('[ -z "$(cat)" ] || { echo $$ > "$(dirname "$0")/pid"; exec sleep 600; }')
  const child = spawn(program, [...argv, '--jq', '.'], { env: endless, stdio: ['ignore', 'pipe', 'pipe'] })
  const written = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const pid = await vi.waitUntil(
    () => existsSync(join(folder, 'pid')) && Number(readFileSync(join(folder, 'pid'), 'utf8')),
    20_000,
  )
  child.kill('SIGTERM')
  const [stdout, stderr, [status]] = await written
  expect([status, stdout]).toEqual([code, ''])
  expect(stderr).toContain(told())
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})
