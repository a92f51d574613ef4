import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import ts from 'typescript'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { EXIT_CODES } from '../../bin/exit-codes.ts'
import { compile, lend, repository, runIn, writeProject } from './consumer.ts'

interface Block {
  readonly language: string
  readonly file: string | undefined
  readonly code: string
}

const consumer = inject('consumer')
const readme = readFileSync(join(repository, 'README.md'), 'utf8')
const blocks: readonly Block[] = [...readme.matchAll(/^```(\w+)(?: file=(\S+))?\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', file, code = '']) => ({ language, file, code }),
)
const shell = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code)
const [
  demo,
  tests,
  install,
  startMock,
  commands,
  recording,
  settling,
  bulk,
  results,
  runTests,
  script,
  curl,
  ...otherShell
] = shell
const [program, ledgerProgram, ...otherUnnamed] = blocks.filter(
  ({ language, file }) => language === 'ts' && file === undefined,
)
const named = Object.fromEntries(blocks.flatMap(({ file, code }) => (file === undefined ? [] : [[file, code]])))

test('every block of the README is known to these tests', () => {
  expect([otherShell, otherUnnamed]).toEqual([[], []])
  expect(blocks.every(({ language }) => ['sh', 'ts'].includes(language))).toBe(true)
  expect(Object.keys(named)).toEqual([
    'invite-applicant.ts',
    'invite-applicant.test.ts',
    'without-msw.ts',
    'expiry.test.ts',
    'lost-response.test.ts',
    'retake.test.ts',
    'app.ts',
  ])
})

test('the lines that show a result are those of the guide to callbacks, which a test runs', () => {
  const guide = readFileSync(join(repository, 'docs/callbacks.md'), 'utf8')
  expect(results).toContain('certify callbacks listen')
  expect(guide).toContain(`\`\`\`sh\n${results}\`\`\``)
})

test('the commands that set up a fresh clone are those of package.json, and the install names this package', () => {
  const { name, scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    name: string
    scripts: Record<string, string>
  }
  expect([demo, tests, install]).toEqual(['npm ci && npm run demo\n', 'npm ci && npm test\n', `npm install ${name}\n`])
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['demo', 'test']))
  expect(readFileSync(join(repository, '.ci/run'), 'utf8')).toContain('npm ci\nnpm test')
})

test('the program of the README compiles strictly and runs against the mock over HTTP', async () => {
  const { url, key } = await startService('npx certify-sdk mock')
  const folder = project('readme-program', { 'program.ts': program?.code ?? '' })
  expect(compile(consumer, folder, 'program.ts')).toBe('')
  const ended = runIn(folder, 'node', ['program.mjs'], { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key })
  expect(ended).toMatchObject({ status: 0, stderr: '' })
  expect(ended.stdout.match(new RegExp(`${url}/challenge/`, 'g'))).toHaveLength(3)
  const unset = runIn(folder, 'node', ['program.mjs'])
  expect(unset.stderr).toContain('CONFIG_INVALID')
})

test('the ledger of the README compiles strictly, and does what the README says of it', async () => {
  const { url, key } = await startService('npx certify-sdk mock')
  lend(consumer, 'better-sqlite3')
  const folder = project('readme-ledger', { 'ledger.ts': ledgerProgram?.code ?? '' })
  expect(compile(consumer, folder, 'ledger.ts')).toBe('')
  const ended = runIn(folder, 'node', ['ledger.mjs'], { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key })
  expect(ended).toMatchObject({ status: 0, stderr: '' })
  expect(ended.stdout).toMatch(/^true ALREADY_INVITED\n\d{4}-\d\d-\d\dT.*Z\n$/)
})

test('the programs of the guide to the ledger compile strictly', () => {
  const guide = readFileSync(join(repository, 'docs/ledger.md'), 'utf8')
  const [create = '', resolve = '', campaign = ''] = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
    ([, code]) => code,
  )
  const known = `declare const reference: string, inviteId: string, signal: AbortSignal
declare const rows: import('certify-sdk/campaign').CampaignRow[]
export {}`
  const whole = [campaign.split('\n')[0], create, resolve, campaign.split('\n').slice(1).join('\n'), known].join('\n')
  const folder = project('guide-ledger', { 'guide.ts': whole })
  expect(compile(consumer, folder, 'guide.ts')).toBe('')
})

test('the commands of the README run against the mock, as written but for the port', async () => {
  const { url, key } = await startService(startMock ?? '')
  const both = `${commands}\n${curl}`.replaceAll('http://127.0.0.1:4010', url)
  expect(both).toContain(url)
  /* What the profile of the sandbox says, but for the port. */
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key }
  const { status, stdout, stderr } = runIn(consumer, 'bash', ['-euo', 'pipefail', '-c', both], env)
  expect({ status, stderr: stderr.replaceAll(/^npm warn .*\n/gm, '') }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain('pkg_react_beginner')
  expect(stdout).toContain('/challenge/')
  expect(stdout).toContain('{"data":{"developerCertificationPackageTracks":[{"slug":"react"')
})

test('the README shows who was invited, what expires and what is uncertain, and every command does what it says', async () => {
  const { url, key } = await startService(startMock ?? '')
  const home = mkdtempSync(join(consumer, 'readme-record-'))
  lend(consumer, 'better-sqlite3')
  /* What the profile of the sandbox says, but for the port. */
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key, XDG_STATE_HOME: home }
  const both = `${recording}\n${settling?.replaceAll('http://127.0.0.1:4010', url)}`
  const { status, stdout, stderr } = runIn(consumer, 'bash', ['-euo', 'pipefail', '-c', both], env)
  expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining('certify invites resolve') })
  const [created = '', reused, exitCode, ...rows] = stdout.replace(/\n$/, '').split('\n')
  const [inviteId = '', , link = ''] = created.split('\t')
  expect([reused, exitCode]).toEqual([created, 'exit code 6'])
  expect(rows.map((row) => row.split('\t').slice(0, 3))).toEqual([
    ['', 'unknown', 'cut-before@candidate.test'],
    [inviteId, 'created', 'grace@example.com'],
    [inviteId, 'created', 'grace@example.com'],
    ['', 'unknown', 'cut-before@candidate.test'],
    /* What the README has a person look at before they say that nothing was created. */
    [expect.stringMatching(/^\{"rows":\[\],"total":0/)],
    [expect.stringMatching(/^[0-9a-f-]{36}$/), 'not-executed', ''],
  ])
  expect(rows.join('')).not.toContain(link)
})

test('the README invites from a file with the usual mistakes of people in it, and each row is told as what it is', async () => {
  const { url, key } = await startService(startMock ?? '')
  const folder = project('readme-bulk', {})
  mkdirSync(folder, { recursive: true })
  lend(consumer, 'better-sqlite3')
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key, XDG_STATE_HOME: folder }
  const { status, stdout, stderr } = runIn(folder, 'bash', ['-euo', 'pipefail', '-c', bulk ?? ''], env)
  expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining('"Full Name" is name') })
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t').slice(0, 3).join(' '))
  expect(lines.slice(0, 7)).toEqual([
    '2 planned Ada@Example.com',
    '3 planned grace@example.com',
    '4 duplicate ada@example.com',
    '5 planned hedy@example.com',
    '7 rejected mary@example.com',
    '8 rejected nobody at example.com',
    '9 planned jean@example.com',
  ])
  expect(lines.slice(7).toSorted()).toEqual([
    '2 created Ada@Example.com',
    '2 created mary@example.com',
    '3 created grace@example.com',
    '3 created nobody@example.com',
    '4 duplicate ada@example.com',
    '5 created hedy@example.com',
    '7 rejected mary@example.com',
    '8 rejected nobody at example.com',
    '9 created jean@example.com',
    'exit code 3',
    'exit code 3',
  ])
  const rows = readFileSync(join(folder, 'rows.ndjson'), 'utf8')
  expect(rows.match(/"status":"already_invited"/g)).toHaveLength(4)
  expect(rows).not.toContain('"created","')
  expect(readFileSync(join(folder, 'report.csv'), 'utf8').split('\r\n')).toHaveLength(9)
})

test('the tests of a project run against a mock of their own, as the README says', () => {
  const scripts = { test: 'certify tracks list --quiet && exit 5' }
  const folder = writeProject(consumer, 'readme-exec', { 'package.json': JSON.stringify({ scripts }) })
  /* npx finds a package by its name in the project itself alone, as it is where somebody installed it. */
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(consumer, 'node_modules/certify-sdk'), join(folder, 'node_modules/certify-sdk'))
  const { status, stdout } = runIn(folder, 'sh', ['-c', runTests ?? ''])
  expect([status, stdout]).toEqual([5, expect.stringContaining('\nreact\n')])
})

test('the script of the README starts the mock, uses it and leaves nothing running', async () => {
  const { status, stdout, stderr } = runIn(consumer, 'bash', ['-euo', 'pipefail', '-c', script ?? ''])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain('"slug":"react"')
  const { url } = JSON.parse(readFileSync(join(consumer, 'mock.json'), 'utf8')) as { url: string }
  await vi.waitFor(() => expect(fetch(url)).rejects.toThrow('fetch failed'))
})

test('the tests of the README are short: the first has fifteen lines at most, its siblings under twenty', () => {
  const lines = (name: string): number => (named[name] ?? '').trimEnd().split('\n').length
  expect(lines('invite-applicant.test.ts')).toBeLessThanOrEqual(15)
  for (const name of ['expiry.test.ts', 'lost-response.test.ts', 'retake.test.ts']) expect(lines(name)).toBeLessThan(20)
})

test('the tests of the README compile strictly and pass in vitest', () => {
  lend(consumer, 'msw', 'vitest')
  const folder = writeProject(consumer, 'readme-tests', named)
  const testFiles = Object.keys(named).filter((name) => name.endsWith('.test.ts'))
  expect(compile(consumer, folder, ...testFiles)).toBe('')
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs')
  const { status, stdout } = runIn(folder, 'node', [vitest, 'run', '--root', folder], { NO_COLOR: '1' })
  expect(stdout).toMatch(/Tests +4 passed \(4\)/)
  expect(status).toBe(0)
})

test('what the README says of the mock without MSW compiles and is true', () => {
  const folder = project('readme-without-msw', named)
  expect(compile(consumer, folder, 'without-msw.ts')).toBe('')
  const ended = runIn(folder, 'node', ['without-msw.mjs'])
  expect(ended).toEqual({ status: 0, stdout: 'BAD_USER_INPUT 0\n', stderr: '' })
})

test('the exit codes of the README are those of the program', () => {
  const rows = [...readme.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, meaning]) => [code, meaning])
  expect(rows).toEqual(Object.entries(EXIT_CODES))
})

/* Each file as TypeScript, to be compiled, and as the module that it becomes, to be run. */
function project(name: string, files: Readonly<Record<string, string>>): string {
  const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
  const modules = Object.entries(files).map(([file, code]) => [
    file.replace(/\.ts$/, '.mjs'),
    ts.transpileModule(code, { compilerOptions: options }).outputText,
  ])
  return writeProject(consumer, name, { ...files, ...Object.fromEntries(modules) })
}

/* The README's way to start the mock, on a port that is free. */
async function startService(command: string): Promise<{ readonly url: string; readonly key: string }> {
  const [npx = '', ...args] = command.trim().split(' ')
  expect([npx, ...args]).toEqual(['npx', 'certify-sdk', 'mock'])
  const bin = join(consumer, 'node_modules/.bin/certify')
  const service = spawn(bin, [...args.slice(1), '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void service.kill())
  const [line] = (await once(createInterface(service.stdout), 'line')) as [string]
  const { url, apiKeys } = JSON.parse(line) as { url: string; apiKeys: [{ key: string }] }
  return { url, key: apiKeys[0].key }
}
