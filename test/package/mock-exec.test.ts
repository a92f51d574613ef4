import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { CertifyClient } from '../../src/index.ts'
import { ownFolder } from '../src/ledger/setting.ts'
import { repository, runIn } from './consumer.ts'

const consumer = inject('consumer')
const bin = join(consumer, 'node_modules/.bin/certify')
const exec = (...words: readonly string[]) => runIn(consumer, bin, ['mock', 'exec', ...words])

/* Prints its pid and the URL of the mock in one line, then handles signals as its argument says. */
const CHILD = `const told = { pid: process.pid, url: process.env.CERTIFY_BASE_URL }
const [, how] = process.argv
const signals = []
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  if (how !== 'dies') process.on(signal, () => {
    signals.push(signal)
    if (how === 'ends') { console.log(signals.join()); process.exit(7) }
  })
setInterval(() => {}, 1000)
console.log(JSON.stringify(told))`

interface Told {
  readonly pid: number
  readonly url: string
}

/** Starts a command that waits for a signal, and returns what it prints. */
async function begin(how: 'ends' | 'dies', flags: readonly string[] = []) {
  const program = spawn(bin, ['mock', 'exec', ...flags, '--', process.execPath, '-e', CHILD, how], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void program.kill('SIGKILL'))
  let output = ''
  program.stdout.on('data', (chunk) => (output += String(chunk)))
  program.stderr.on('data', (chunk) => (output += String(chunk)))
  const [line] = (await once(createInterface(program.stdout), 'line')) as [string]
  return { program, told: JSON.parse(line) as Told, rest: () => output.slice(line.length + 1) }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const stories = join(repository, 'site/playground/stories')
test.each(readdirSync(stories))('the program %s of the playground runs on a machine as it is', (name) => {
  const program = join(consumer, `story-${name}`)
  copyFileSync(join(stories, name), program)
  const { status, stdout } = exec('--', process.execPath, program)
  expect([status, stdout]).toEqual([0, expect.stringMatching(/inv_|until|is invited/)])
})

test('the command finds the mock by its environment and shares the streams of certify', () => {
  const { status, stdout, stderr } = exec('--', bin, 'tracks', 'list', '--quiet')
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout.split('\n')).toContain('react')
  const piped = runIn(consumer, 'sh', [
    '-c',
    `echo hello | "${bin}" mock exec -- cat; "${bin}" mock exec -- sh -c 'echo oops >&2'`,
  ])
  expect(piped).toEqual({ status: 0, stdout: 'hello\n', stderr: 'oops\n' })
})

test.each([
  [['sh', '-c', 'exit 3'], 3],
  [['sh', '-c', 'kill -9 $$'], 137],
])('%j ends certify mock exec with %i and without output', (command, code) => {
  expect(exec('--', ...command)).toEqual({ status: code, stdout: '', stderr: '' })
})

test('a missing command exits with 127, even beside a folder that may not be searched, one that cannot be run with 126', () => {
  const locked = ownFolder()
  chmodSync(locked, 0)
  const PATH = `${locked}:${process.env['PATH']}`
  const missing = runIn(consumer, bin, ['mock', 'exec', '--', 'no-such-program'], { PATH })
  chmodSync(locked, 0o700)
  expect(missing).toEqual({
    status: 127,
    stdout: '',
    stderr: expect.stringMatching(/^error: there is no command 'no-such-program'; the mock was stopped\.\nhint: .+\n$/),
  })
  expect(exec('--', join(consumer, 'package.json'))).toEqual({
    status: 126,
    stdout: '',
    stderr: expect.stringMatching(
      /^error: the command '.*package\.json' cannot be run \(EACCES\); the mock was stopped\.\nhint: .+\n$/,
    ),
  })
})

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s goes to the command once; certify waits for its exit code and leaves nothing running',
  async (signal) => {
    const { program, told, rest } = await begin('ends')
    program.kill(signal)
    expect(await once(program, 'close')).toEqual([7, null])
    expect(rest()).toBe(`${signal}\n`)
    expect(isThere(told.pid)).toBe(false)
    await expect(fetch(told.url)).rejects.toThrow('fetch failed')
  },
)

test('the state is written whatever the exit code of the command, and no other file is left', async () => {
  const folder = ownFolder()
  const path = join(folder, 'world.json')
  const flags = ['--state', path, '--export-on-exit', path]
  const invite = `"${bin}" invites create --quiz-id quiz_react_beginner_state --email ada@example.com --quiet; exit 9`
  expect(exec(...flags, '--', 'sh', '-c', invite)).toMatchObject({ status: 9, stderr: '' })
  const { program } = await begin('ends', flags)
  program.kill('SIGINT')
  await once(program, 'close')
  expect(readFileSync(path, 'utf8')).toContain('ada@example.com')
  expect(runIn(folder, 'ls', ['-A']).stdout).toBe('world.json\n')
})

test.each([
  ['certify mock', ['mock', '--port', '0', '--json'], []],
  ['certify mock exec', ['mock', 'exec'], ['--', process.execPath, '-e', CHILD, 'dies']],
])('stopping %s repeatedly loses no state', async (_name, command, rest) => {
  const folder = ownFolder()
  const [before, after] = [join(folder, 'before.json'), join(folder, 'after.json')]
  writeFileSync(before, JSON.stringify(await largeState()))
  const program = spawn(bin, [...command, '--state', before, '--export-on-exit', after, ...rest], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void program.kill('SIGKILL'))
  await once(createInterface(program.stdout), 'line')
  const ended = once(program, 'exit')
  const again = setInterval(() => program.kill('SIGTERM'), 2)
  await ended.finally(() => clearInterval(again))
  expect(readFileSync(after, 'utf8')).toBe(`${readFileSync(before, 'utf8')}\n`)
  expect(runIn(folder, 'ls', ['-A']).stdout).toBe('after.json\nbefore.json\n')
})

/* Large enough to take a while to write. */
async function largeState(): Promise<unknown> {
  const mock = createMockServer({ now: '2030-01-01' })
  const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch })
  for (let number = 0; number < 2000; number += 1) {
    const candidate = { email: `${number}@example.com` }
    await client.invites.create({ quizId: 'quiz_react_beginner_state', candidate })
  }
  return mock.snapshot()
}
