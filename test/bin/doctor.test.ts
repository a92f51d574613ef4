import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
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
  expect(stdout.split('\n').filter((line) => line.startsWith('pass'))).toHaveLength(11)
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

test('a service that speaks no TLS is named', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.end('no')).on('error', () => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, findings } = await examine({ env: { CERTIFY_BASE_URL: url } })
  expect(code).toBe(7)
  expect(findings['TLS']).toMatchObject({ state: 'fail', found: expect.stringContaining('no secure connection') })
})

test('the proxy is named, without what opens it, and is what the connection is tried with', async () => {
  vi.stubEnv('HTTPS_PROXY', 'http://me:canary@127.0.0.1:1')
  onTestFinished(() => void vi.unstubAllEnvs())
  const env = { CERTIFY_BASE_URL: 'https://certify.invalid', HTTPS_PROXY: 'http://me:canary@127.0.0.1:1' }
  const { code, findings } = await examine({ env })
  expect(code).toBe(7)
  expect(findings['proxy']?.found).toBe('127.0.0.1:1, from HTTPS_PROXY')
  expect(findings['connection']).toMatchObject({ state: 'fail', hint: 'Check the proxy that is set.' })
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
