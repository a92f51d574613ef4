import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { startServer } from '../src/http-server.ts'
import { repository, runIn } from './consumer.ts'

const consumer = inject('consumer')
const bin = join(consumer, 'node_modules/.bin/certify')

const mock = spawn(bin, ['mock', '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'pipe'] })
let env: Record<string, string>

beforeAll(async () => {
  const [line] = (await once(createInterface(mock.stdout), 'line')) as [string]
  const { url, apiKeys } = JSON.parse(line) as { url: string; apiKeys: { key: string }[] }
  env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: apiKeys[0]?.key ?? '' }
})

afterAll(() => mock.kill('SIGKILL'))

test('npx certify-sdk --version prints the version', () => {
  const { status, stdout } = runIn(consumer, 'npx', ['--no-install', 'certify-sdk', '--version'])
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
})

test.each(['--version', '--help'])('%s loads no command', (flag) => {
  const spy = join(consumer, 'spy.cjs')
  writeFileSync(spy, "process.on('exit', () => process.stderr.write(Object.keys(require.cache).join('\\n')))")
  const { stderr } = runIn(consumer, bin, [flag], { NODE_OPTIONS: `--require "${spy}"` })
  const loaded = stderr.split('\n').filter((path) => path !== spy)
  const names = loaded.map((path) => basename(path).replace(/-[\w-]{8}\.cjs$/, ''))
  expect(names.toSorted()).toEqual(['certify.cjs', 'manifest', 'rolldown-runtime'])
})

test.each([
  ['SIGINT', ['tracks', 'list'], 130, /aborted/],
  ['SIGTERM', ['tracks', 'list'], 143, /aborted/],
  ['SIGHUP', ['tracks', 'list'], 129, /aborted/],
] as const)('%s during a request ends certify %j with %i, as aborted', async (signal, argv, code, words) => {
  const silent = await startServer(() => {})
  const { PATH = '' } = process.env
  const child = spawn(bin, argv, { env: { PATH, ...env, CERTIFY_BASE_URL: silent.url } })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  await expect.poll(() => silent.received).toHaveLength(1)
  child.kill(signal)
  expect(await once(child, 'close')).toEqual([code, null])
  expect(stderr).toMatch(words)
})

test('a link that cannot be printed is on stderr, and the exit code says not to repeat the create (6)', () => {
  const script = `"${bin}" invites create --quiz-id quiz_react_beginner_state --email e@f.example > /dev/full`
  const { status, stderr } = runIn(consumer, 'bash', ['-c', script], env)
  expect(status).toBe(6)
  expect(stderr).toContain('/challenge/')
})

test('a reader that closes the pipe early is no error', () => {
  const script = `"${bin}" tracks view react --json | head -c 10`
  expect(runIn(consumer, 'bash', ['-o', 'pipefail', '-c', script], env)).toMatchObject({ status: 0, stderr: '' })
})

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends certify mock cleanly', async (signal) => {
  const other = spawn(bin, ['mock', '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(other.stdout, 'data')
  other.kill(signal)
  expect(await once(other, 'exit')).toEqual([0, null])
})

test('npm run demo runs two creates twice and loses a response, with commands that a clone has', () => {
  const { status, stdout, stderr } = runIn(repository, 'node', ['examples/demo.mjs'])
  expect(status).toBe(0)
  expect(new Set(stdout.match(/(?<=\/challenge\/)\S+/g)).size).toBe(1)
  expect(stderr).toContain('may have created an invite')
  expect(stdout.match(/^\$ .*/gm)?.filter((command) => !command.startsWith('$ npx certify '))).toEqual([])
})
