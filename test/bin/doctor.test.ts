import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { createRunner, type World } from './run.ts'

interface Finding {
  readonly check: string
  readonly state: string
  readonly found: string
  readonly hint?: string
}

/** Runs `certify doctor` against a listening mock. */
async function examine(world: World = {}, runner = createRunner()) {
  const listener = await runner.mock.listen()
  onTestFinished(() => listener.close())
  const env = { CERTIFY_BASE_URL: listener.url, ...world.env }
  const { code, stdout, stderr } = await runner.certify(['doctor', '--json'], { ...world, env })
  const findings = JSON.parse(stdout) as readonly Finding[]
  return { code, stderr, findings: Object.fromEntries(findings.map((each) => [each.check, each])), url: listener.url }
}

test('a working setup passes every check, shows each value with its source, and creates nothing', async () => {
  const runner = createRunner()
  const { code, findings, url } = await examine({}, runner)
  expect([code, runner.mock.invites, existsSync(runner.home.ledger)]).toEqual([0, [], false])
  expect(Object.values(findings).map(({ check, state }) => `${state} ${check}`)).toEqual([
    'pass version',
    'pass configuration',
    'pass profile',
    'pass ledger',
    'pass base URL',
    'pass key origin',
    'pass proxy',
    'pass key',
    'pass scopes',
    'pass clock',
  ])
  expect(findings).toMatchObject({
    ledger: { found: `${runner.home.ledger} (default), account default (default), does not exist yet` },
    'base URL': { found: `${url} (CERTIFY_BASE_URL)` },
    'key origin': { found: '…6t3w (CERTIFY_API_KEY)' },
  })
})

test('a terminal shows one line per check', async () => {
  const { mock, certify } = createRunner()
  const listener = await mock.listen()
  onTestFinished(() => listener.close())
  const { stdout } = await certify(['doctor'], { terminal: 80, env: { CERTIFY_BASE_URL: listener.url, NO_COLOR: '1' } })
  expect(stdout).toMatch(/^pass {2}version {8}certify \d+\.\d+\.\d+ on Node\.js /)
  expect(stdout.split('\n').filter((line) => line.startsWith('pass'))).toHaveLength(10)
})

test('a session is shown by its header names, without their values', async () => {
  const { headers } = createMockServer().adminSession
  const env = { CERTIFY_API_KEY: undefined, CERTIFY_SESSION_HEADERS: JSON.stringify(headers) }
  const { code, findings } = await examine({ env })
  expect([code, findings['key']?.state]).toEqual([0, 'pass'])
  expect(findings['key origin']?.found).toBe(`session (${Object.keys(headers).join(', ')}) (CERTIFY_SESSION_HEADERS)`)
})

const LATE = { now: () => Date.parse('2030-01-01T00:00:00Z') - 7_200_000 }
const mayOnlyInvite = { CERTIFY_API_KEY: createMockServer().apiKeys.find(({ name }) => name === 'invite')?.key }
const twoLines = { CERTIFY_API_KEY: 'canary\nkey' }

test.each<[string, World, number, string, string, RegExp]>([
  ['an unknown key', { env: { CERTIFY_API_KEY: 'ck_nobody' } }, 4, 'key', 'fail', /did not accept/],
  ['no key', { env: { CERTIFY_API_KEY: '' } }, 4, 'key', 'fail', /none/],
  ['a key with a line break', { env: twoLines }, 2, 'settings', 'fail', /one line of visible ASCII/],
  ['a key that may not list tracks', { env: mayOnlyInvite }, 0, 'scopes', 'warn', /may not list tracks/],
  ['a slow clock', LATE, 0, 'clock', 'warn', /^this machine is 2 h 0 min behind the service$/],
  ['no base URL', { env: { CERTIFY_BASE_URL: '' } }, 2, 'base URL', 'fail', /not set/],
  [
    'a base URL without a scheme',
    { env: { CERTIFY_BASE_URL: 'certify.test' } },
    2,
    'base URL',
    'fail',
    /not an http or https URL/,
  ],
  [
    'http to another machine',
    { env: { CERTIFY_BASE_URL: 'http://certify.invalid' } },
    2,
    'settings',
    'fail',
    /is http to another/,
  ],
  [
    'a port where nothing listens',
    { env: { CERTIFY_BASE_URL: 'http://127.0.0.1:1' } },
    7,
    'connection',
    'fail',
    /ECONNREFUSED/,
  ],
  ['an unknown profile', { env: { CERTIFY_PROFILE: 'nobody' } }, 2, 'configuration', 'fail', /no profile/],
  ['a ledger that is a folder', { env: { CERTIFY_LEDGER: tmpdir() } }, 2, 'ledger', 'fail', /is a folder/],
])('finding: %s', async (_what, given, code, check, state, found) => {
  const ended = await examine(given)
  expect(ended.code).toBe(code)
  expect(ended.findings[check]).toMatchObject({ state, found: expect.stringMatching(found) })
  const told = ended.stderr === '' ? { error: { exitCode: 0 } } : (JSON.parse(ended.stderr) as object)
  expect(told).toMatchObject({ error: { exitCode: code } })
  expect(JSON.stringify(ended)).not.toContain('canary')
})

test.each([
  ['http://[', 'proxy', 'HTTPS_PROXY cannot be used (PROXY_INVALID)'],
  ['socks5://127.0.0.1:1', 'proxy', 'HTTPS_PROXY cannot be used (PROXY_UNSUPPORTED)'],
  ['http://me:canary@127.0.0.1:1', 'connection', 'could not be reached'],
])('connects through the proxy %s and reports its failure without the password', async (proxy, check, found) => {
  vi.stubEnv('HTTPS_PROXY', proxy)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { code, findings } = await examine({
    env: { CERTIFY_BASE_URL: 'https://certify.invalid', HTTPS_PROXY: proxy },
  })
  expect([code, findings[check]]).toMatchObject([7, { state: 'fail', found: expect.stringContaining(found) }])
  expect(findings['key origin']).toMatchObject({ state: 'pass' })
  expect(JSON.stringify(findings)).not.toContain('canary')
})

test('a proxy that refuses a tunnel is reported, and the key is not', async () => {
  const code = 'PROXY_RESPONDED_407'
  const fetch = async () => Promise.reject(Object.assign(new Error('no tunnel'), { code, syscall: 'connect' }))
  const { code: exitCode, findings } = await examine({ fetch })
  expect([exitCode, findings['key']]).toEqual([7, undefined])
  expect(findings['proxy']).toMatchObject({ state: 'fail', found: expect.stringContaining(code) })
  expect(findings['proxy']?.hint).toContain('user and password')
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends doctor during a request', async (signal, code) => {
  const runner = createRunner()
  const listener = await runner.mock.listen()
  onTestFinished(() => listener.close())
  const controller = new AbortController()
  const fetch = async () => {
    controller.abort(signal)
    return new Promise<never>(() => {})
  }
  const around = { fetch, interruption: controller.signal, env: { CERTIFY_BASE_URL: listener.url } }
  expect(await runner.certify(['doctor'], around)).toMatchObject({
    code,
    stdout: '',
    stderr: expect.stringMatching(/^error: interrupted/),
  })
})
