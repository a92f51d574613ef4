import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { json, startServer } from '../src/http-server.ts'
import { createRunner, type World } from './run.ts'

interface Finding {
  readonly check: string
  readonly state: string
  readonly found: string
  readonly hint?: string
}

/** Runs the doctor against a mock that listens. */
async function examine(world: World = {}, runner = createRunner()) {
  const listener = await runner.mock.listen()
  onTestFinished(() => listener.close())
  const env = { CERTIFY_BASE_URL: listener.url, ...world.env }
  const { code, stdout, stderr } = await runner.certify(['doctor', '--json'], { ...world, env })
  const findings = JSON.parse(stdout) as readonly Finding[]
  return { code, stderr, findings: Object.fromEntries(findings.map((each) => [each.check, each])), url: listener.url }
}

test('a sound world passes every check, each with what was found and where it was set', async () => {
  const { code, findings, url } = await examine()
  expect(code).toBe(0)
  expect(Object.values(findings).map(({ check, state }) => `${state} ${check}`)).toEqual([
    'pass version',
    'pass configuration',
    'pass ledger',
    'pass profile',
    'pass base URL',
    'pass proxy',
    'pass connection',
    'pass key origin',
    'pass key',
    'pass scopes',
    'pass clock',
    'pass schema',
  ])
  expect(findings['base URL']?.found).toBe(`${url} (CERTIFY_BASE_URL)`)
  expect(findings['key origin']?.found).toBe('…6t3w (CERTIFY_API_KEY)')
})

test('only what reads is sent: nothing is created', async () => {
  const runner = createRunner()
  await examine({}, runner)
  expect(runner.mock.invites).toEqual([])
})

test('a terminal shows one line a check', async () => {
  const runner = createRunner()
  const listener = await runner.mock.listen()
  onTestFinished(() => listener.close())
  const env = { CERTIFY_BASE_URL: listener.url, NO_COLOR: '1' }
  const { stdout } = await runner.certify(['doctor'], { terminal: 80, env })
  expect(stdout).toMatch(/^pass {2}version {8}certify \d+\.\d+\.\d+ on Node\.js /)
  expect(stdout.split('\n').filter((line) => line.startsWith('pass'))).toHaveLength(12)
})

test('the ledger is examined where it is or would be, and is not made', async () => {
  const runner = createRunner()
  const { ledger, folder } = runner.home
  const first = await examine({}, runner)
  expect(first.findings['ledger']?.found).toBe(`${ledger} (default), not made yet`)
  expect(existsSync(ledger)).toBe(false)
  const asFolder = await examine({ env: { CERTIFY_LEDGER: folder } }, runner)
  expect(asFolder.code).toBe(2)
  expect(asFolder.findings['ledger']).toMatchObject({ state: 'fail', found: expect.stringContaining('it is a folder') })
  mkdirSync(dirname(ledger))
  writeFileSync(ledger, 'something else'.repeat(100))
  const other = await examine({}, runner)
  expect(other.code).toBe(2)
  expect(other.findings['ledger']).toMatchObject({
    state: 'fail',
    found: expect.stringContaining('it is not a ledger'),
  })
})

test('the clock is told in words, with both times', async () => {
  const { findings } = await examine()
  expect(findings['clock']?.found).toMatch(/^as that of the service \(\d s apart\)$/)
  const late = await examine({ now: () => Date.parse('2030-01-01T00:00:00Z') - 7_200_000 })
  expect(late.findings['clock']).toEqual({
    check: 'clock',
    state: 'warn',
    found:
      'this machine is 2 h 0 min behind the service: it says 2029-12-31 22:00:00 UTC, the service 2030-01-01 00:00:00 UTC',
    hint: 'Set the clock of this machine. certify bulk sends nothing if they are more than 5 min apart.',
  })
})

const world = createMockServer()
const key = (name: string) => world.apiKeys.find((each) => each.name === name)?.key ?? ''

test.each<[string, World, number, string, string, RegExp]>([
  ['a key nobody knows', { env: { CERTIFY_API_KEY: 'ck_nobody' } }, 4, 'key', 'fail', /did not accept/],
  ['no key', { env: { CERTIFY_API_KEY: '' } }, 4, 'key', 'fail', /none/],
  ['a key that may not list', { env: { CERTIFY_API_KEY: key('invite') } }, 0, 'scopes', 'warn', /may not list tracks/],
  [
    'a clock that is late',
    { now: () => Date.parse('2030-01-01T00:00:00Z') - 7_200_000 },
    0,
    'clock',
    'warn',
    /behind the service/,
  ],
  ['no base URL', { env: { CERTIFY_BASE_URL: '' } }, 2, 'base URL', 'fail', /not set/],
  [
    'an address without a scheme',
    { env: { CERTIFY_BASE_URL: 'certify.test' } },
    2,
    'base URL',
    'fail',
    /no http or https URL/,
  ],
  [
    'nobody listening',
    { env: { CERTIFY_BASE_URL: 'http://127.0.0.1:1' } },
    7,
    'connection',
    'fail',
    /does not answer \(ECONNREFUSED\)/,
  ],
  [
    'a name that does not resolve',
    { env: { CERTIFY_BASE_URL: 'https://certify.invalid' } },
    7,
    'name',
    'fail',
    /is not known/,
  ],
  ['a profile that is not there', { env: { CERTIFY_PROFILE: 'nobody' } }, 2, 'configuration', 'fail', /no profile/],
])('%s', async (_what, given, code, check, state, found) => {
  const ended = await examine(given)
  expect(ended.code).toBe(code)
  expect(ended.findings[check]).toMatchObject({ state, found: expect.stringMatching(found) })
  const told = ended.stderr === '' ? { error: { exitCode: 0 } } : (JSON.parse(ended.stderr) as object)
  expect(told).toMatchObject({ error: { exitCode: code } })
})

test('the proxy is named, without what opens it, and is what the connection is tried with', async () => {
  vi.stubEnv('HTTPS_PROXY', 'http://me:canary@127.0.0.1:1')
  onTestFinished(() => void vi.unstubAllEnvs())
  const env = { CERTIFY_BASE_URL: 'https://certify.invalid', HTTPS_PROXY: 'http://me:canary@127.0.0.1:1' }
  const { code, findings } = await examine({ env })
  expect(code).toBe(7)
  expect(findings['proxy']?.found).toBe('127.0.0.1:1, from HTTPS_PROXY')
  expect(findings['connection']).toMatchObject({ state: 'fail' })
  expect(JSON.stringify(findings)).not.toContain('canary')
})

test('a schema that lacks what is asked for is said with the field', async () => {
  const runner = createRunner()
  const fetch: World['fetch'] = async (url, init) => {
    const response = await globalThis.fetch(url, init)
    const text = (await response.text()).replaceAll('"durationMinutes"', '"minutes"')
    return new Response(text, { status: response.status, headers: { 'content-type': 'application/json' } })
  }
  const { code, findings } = await examine({ fetch }, runner)
  expect(code).toBe(5)
  expect(findings['schema']).toMatchObject({ state: 'fail', found: expect.stringContaining('"durationMinutes"') })
  expect(findings['clock']).toMatchObject({ state: 'warn' })
})

test('a service that shows no schema is no failure', async () => {
  const server = await startServer(json({ data: { developerCertificationPackageTracks: [] } }))
  const { code, findings } = await examine({ env: { CERTIFY_BASE_URL: server.url } })
  expect([code, findings['schema']?.state]).toEqual([0, 'warn'])
})

/* A service that answers like the mock until it is asked for its schema. */
function beforeSchema(onSchema: () => Promise<Response>): NonNullable<World['fetch']> {
  return async (url, init) => (init.body.includes('__schema') ? onSchema() : globalThis.fetch(url, init))
}

const refusing = (code: string) =>
  beforeSchema(async () => Response.json({ errors: [{ message: 'no', extensions: { code } }] }))

test.each([
  ['refuses it with a code of its own', refusing('INTROSPECTION_DISABLED'), 'the service does not show its schema'],
  ['forbids it', refusing('FORBIDDEN'), 'the service does not show its schema'],
  ['fails', refusing('INTERNAL_SERVER_ERROR'), 'the service failed'],
  ['answers with a web page', beforeSchema(async () => new Response('<h1>')), 'response could not be read'],
])('a schema that was not seen is told with what kept it: the service %s', async (_what, fetch, words) => {
  const { code, findings } = await examine({ fetch, env: { CERTIFY_DEADLINE: '4s' } })
  expect(code).toBe(0)
  expect(findings['schema']).toMatchObject({ state: 'warn', found: expect.stringContaining(words) })
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('doctor ends with %s while it asks', async (signal, code) => {
  const runner = createRunner()
  const listener = await runner.mock.listen()
  onTestFinished(() => listener.close())
  const controller = new AbortController()
  const fetch = beforeSchema(async () => {
    controller.abort(signal)
    return new Promise(() => {})
  })
  const around = { fetch, interruption: controller.signal, env: { CERTIFY_BASE_URL: listener.url } }
  expect(await runner.certify(['doctor'], around)).toMatchObject({
    code,
    stdout: '',
    stderr: expect.stringMatching(/^error: interrupted/),
  })
})

test.each([
  [
    'plain http to another machine',
    { CERTIFY_BASE_URL: 'http://certify.invalid' },
    7,
    'settings',
    /is http to another machine/,
  ],
  ['a key of two lines', { CERTIFY_API_KEY: 'canary\nkey' }, 2, 'settings', /one line of visible ASCII/],
])('a setting that is refused is a finding among the others: %s', async (_what, env, code, check, words) => {
  const ended = await examine({ env })
  expect(ended.code).toBe(code)
  expect(ended.findings[check]).toMatchObject({ state: 'fail', found: expect.stringMatching(words) })
  expect(ended.findings['key origin']).toMatchObject({ state: 'pass' })
  expect(JSON.stringify(ended)).not.toContain('canary')
})

test.each([
  ['http://[', /HTTPS_PROXY cannot be used \(PROXY_INVALID\)/],
  ['socks5://127.0.0.1:1', /HTTPS_PROXY cannot be used \(PROXY_UNSUPPORTED\)/],
])('a proxy that cannot be used is a finding: %s', async (proxy, words) => {
  vi.stubEnv('HTTPS_PROXY', proxy)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { code, findings } = await examine({ env: { CERTIFY_BASE_URL: 'https://certify.test', HTTPS_PROXY: proxy } })
  expect(code).toBe(7)
  expect(findings['proxy']).toMatchObject({ state: 'fail', found: expect.stringMatching(words) })
  expect(findings['key origin']).toMatchObject({ state: 'pass' })
})

test('a proxy that opens no tunnel is blamed itself, and not the key', async () => {
  const code = 'PROXY_ANSWERED_407'
  const fetch = async () => Promise.reject(Object.assign(new Error('no tunnel'), { code, syscall: 'connect' }))
  const { code: exitCode, findings } = await examine({ fetch, env: { CERTIFY_DEADLINE: '4s' } })
  expect(exitCode).toBe(7)
  expect(findings['proxy']).toMatchObject({ state: 'fail', hint: expect.stringContaining('user and password') })
  expect(findings['proxy']?.found).toContain(code)
  expect(findings['key']).toBeUndefined()
})
