import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Child } from '../../bin/io.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { ownFolder } from '../src/ledger/setting.ts'
import { realServer } from '../mock-server/receiver.ts'
import { execMock, startMock, type Visited } from './mock-exec.ts'
import { createRunner } from './run.ts'

let folder: string
beforeEach(() => {
  folder = ownFolder()
})

test('a command is given the mock, its key and a temporary ledger, and nothing that overrides them', async () => {
  const env = {
    CERTIFY_BASE_URL: 'https://real.example',
    CERTIFY_API_KEY: 'real',
    CERTIFY_API_KEY_FILE: '/k',
    CERTIFY_SESSION_HEADERS: '{}',
    CERTIFY_PROFILE: 'acme',
    CERTIFY_LEDGER: '/l',
    OTHER: 'kept',
  }
  let seen: Child['env'] = {}
  const check = async (mock: Visited) => {
    seen = mock.env
    expect(existsSync(dirname(seen['CERTIFY_LEDGER'] ?? ''))).toBe(true)
    expect(await mock.get('/__mock/health')).toMatchObject({ status: 200, body: { status: 'ok', invites: 0 } })
  }
  expect(await execMock([], check, { variables: env })).toEqual({ code: 0, stdout: '', stderr: '', ran: true })
  expect(seen).toEqual({
    CERTIFY_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    CERTIFY_API_KEY: createMockServer().apiKey,
    CERTIFY_LEDGER: expect.stringMatching(/mock\.ledger$/),
    OTHER: 'kept',
  })
  await expect(fetch(seen['CERTIFY_BASE_URL'] ?? '')).rejects.toThrow('fetch failed')
  expect(existsSync(dirname(seen['CERTIFY_LEDGER'] ?? ''))).toBe(false)
})

test('everything after -- belongs to the command, including flags', async () => {
  const seen: Child[] = []
  const run = async (child: Child) => ({ exitCode: seen.push(child) - 1 })
  const { certify } = createRunner()
  await certify(['mock', 'exec', '--', 'npm', 'test', '--json', '--port', '1', '--help', '--', '-V'], { run })
  await certify(['--json', 'mock', 'exec', '--seed', 'x', '--', 'npm', '--frozen'], { run })
  await certify(['mock', '--port', '0', 'exec', 'npm', 'test'], { run })
  expect(seen.map(({ program, args }) => [program, ...args].join(' '))).toEqual([
    'npm test --json --port 1 --help -- -V',
    'npm --frozen',
    'npm test',
  ])
})

test.each([
  ['ENOENT', 127, "error: there is no command 'program'; the mock was stopped.\n"],
  ['EACCES', 126, "error: the command 'program' cannot be run (EACCES); the mock was stopped.\n"],
])('a command that cannot be started (%s) exits with %i, without its secret', async (failure, exitCode, told) => {
  const { certify } = createRunner()
  const run = async () => ({ failure })
  const { code, stdout, stderr } = await certify(['mock', 'exec', '--', 'program=secret'], { run })
  expect([code, stdout]).toEqual([exitCode, ''])
  expect(stderr).toContain(told)
  expect(stderr).not.toContain('secret')
  const json = await certify(['mock', 'exec', '--json', '--', 'program'], { run })
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'COMMAND_NOT_RUN', exitCode } })
})

test('a terminal shows where the mock listens while the command runs', async () => {
  const { stdout, stderr } = await execMock([], undefined, { terminal: 80 })
  const said = expect.stringMatching(
    /^A mock of the service listens on http:.* while 'program' runs\.\s+Its\s+ledger\s+is\s.+mock\.ledger\.\n$/s,
  )
  expect([stdout, stderr]).toEqual(['', said])
})

test('--seed determines the ids', async () => {
  const ids: string[] = []
  const create = async ({ invite }: Visited) => void ids.push(await invite())
  for (const flags of [['--seed', '7'], ['--seed=7'], ['--seed', '8'], []]) await execMock(flags, create)
  expect(ids[1]).toBe(ids[0])
  expect(new Set(ids).size).toBe(3)
})

test.each([
  [['--frozen', '2030-01-01T09:00:00+02:00'], { now: '2030-01-01T07:00:00.000Z', frozen: true }],
  [['--frozen=2030-01-01'], { now: '2030-01-01T00:00:00.000Z', frozen: true }],
  [['--frozen'], { now: '2031-05-06T07:08:09.000Z', frozen: true }],
  [[], { frozen: false }],
])('with %j the clock is %j', async (flags, clock) => {
  const look = async ({ get }: Visited) => expect((await get('/__mock/clock')).body).toMatchObject(clock)
  expect(await execMock(flags, look, { now: () => Date.parse('2031-05-06T07:08:09Z') })).toMatchObject({ code: 0 })
})

test('--export-on-exit writes a file that only its owner can read, and --state restores it with its clock', async () => {
  const path = join(folder, 'world.json')
  const flags = ['--frozen', '2030-01-01', '--export-on-exit', path]
  expect(await execMock(flags, async ({ invite }) => void (await invite()))).toMatchObject({ code: 0, stderr: '' })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const look = async ({ get }: Visited) => {
    expect((await get('/__mock/invites')).body).toMatchObject({
      total: 1,
      rows: [{ candidate: { email: 'ada@example.com' } }],
    })
    expect((await get('/__mock/clock')).body).toMatchObject({ now: '2030-01-01T00:00:00.000Z' })
  }
  expect(await execMock(['--state', path, '--frozen'], look)).toMatchObject({ code: 0 })
  const { code, stderr } = await execMock(['--state', path, '--frozen', '2029-01-01'])
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: --frozen: .*only forward/)])
})

test('certify mock also writes the state when it is stopped; the first start needs no file', async () => {
  const path = join(folder, 'world.json')
  const { code, stdout } = await startMock(['--state', path, '--export-on-exit', path])
  expect([code, stdout]).toEqual([0, expect.stringContaining('its state goes\nto a file when it stops.')])
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ format: 'certify-mock' })
})

test.each([
  ['does not exist', undefined, /cannot be read \(ENOENT\)/],
  ['is not JSON', 'ada@example.com', /is not JSON/],
  ['is not a state', '{"email":"ada@example.com"}', /not a snapshot that this version can read: it takes/],
  ['is a world', '{"tracks":[]}', /it is a world, not a snapshot\. Use --world/],
])('a --state file that %s is refused before anything starts, and not quoted', async (_, text, words) => {
  const path = join(folder, 'state.json')
  if (text !== undefined) writeFileSync(path, text)
  const ended = await execMock(['--state', path])
  expect(ended).toMatchObject({ code: 2, stdout: '', ran: false, stderr: expect.stringMatching(words) })
  expect(ended.stderr).toMatch(/^hint: /m)
  expect(ended.stderr).not.toContain('ada@example.com')
})

test.each([
  ['in a missing folder', 'none/world.json', 'ENOENT'],
  ['that is a folder', '', 'EISDIR'],
])('an --export-on-exit file %s is refused at the start', async (_what, name, code) => {
  const ended = await execMock(['--export-on-exit', join(folder, name)])
  expect(ended).toMatchObject({ code: 2, ran: false, stderr: expect.stringContaining(`cannot be written (${code})`) })
})

test('a state that cannot be written at the end is an error, and its path is left alone', async () => {
  const path = join(folder, 'sub')
  /* A folder takes the path while the command runs. */
  const { code, stderr } = await execMock(['--export-on-exit', path], async () => mkdirSync(path))
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: the state could not be written .*EISDIR/)])
  expect(statSync(path).isDirectory()).toBe(true)
})

test('--map-callback delivers callbacks to any host', async () => {
  const { origin, paths } = await realServer()
  const to = origin.replace('127.0.0.1', '0.0.0.0')
  const flags = ['--map-callback', `https://a.example=${to}`, '--map-callback', 'https://b.example=http://127.0.0.1:1']
  await execMock(flags, async ({ invite, post }) => {
    const id = await invite({ callbackUrl: 'https://a.example/certify?from=mock' })
    await post(`/__mock/invites/${id}/pass`)
    await post('/__mock/settle')
  })
  expect(paths).toContain('/certify?from=mock')
})

test('a blocked callback is reported by its host, without its path', async () => {
  const { stderr } = await execMock([], async ({ invite, get, post }) => {
    const id = await invite({ callbackUrl: 'https://hooks.example.com/secret-token' })
    await post(`/__mock/invites/${id}/pass`)
    await post('/__mock/settle')
    await get('/__mock/callbacks')
  })
  expect(stderr).toContain('warning: certification.completed: hooks.example.com was not contacted')
  expect(stderr).toContain('--map-callback')
  expect(stderr).not.toContain('secret-token')
})

test('--fault rules apply in order', async () => {
  await execMock(['--fault', '{"fault":503,"times":2}', '--fault', '{"phase":"after","fault":"cut"}'], async (mock) => {
    await expect(mock.invite()).rejects.toThrow(SyntaxError)
    expect((await mock.get('/__mock/faults')).body).toMatchObject({
      faults: [
        { fault: 503, hits: 1, left: 1 },
        { fault: 'cut', hits: 0, left: 1 },
      ],
    })
  })
})

test('--no-control removes the page and the control API, but not the service', async () => {
  await execMock(['--no-control'], async ({ get, invite }) => {
    expect([(await get('/__mock/health')).status, (await get('/')).status]).toEqual([404, 404])
    expect(await invite()).toBeTypeOf('string')
  })
  expect((await startMock(['--no-control'])).stdout).not.toContain('page ')
})

test('--allow-host accepts these names in the Host header, and no others', async () => {
  await execMock(['--allow-host', 'mock', '--allow-host', 'Mock.Internal'], async ({ get, url }) => {
    const { port } = new URL(url)
    const status = async (name: string) => (await get('/__mock/health', { host: `${name}:${port}` })).status
    expect([await status('mock'), await status('mock.internal'), await status('evil.example')]).toEqual([200, 200, 403])
  })
})

test('the token of the control API comes from the environment and is never printed', async () => {
  const env = { CERTIFY_CONTROL_TOKEN: 'let-me-in' }
  const check = async ({ get, invite }: Visited) => {
    expect((await get('/__mock/health')).status).toBe(401)
    expect((await get('/__mock/health', { authorization: 'Bearer let-me-in' })).status).toBe(200)
    expect(await invite()).toBeTypeOf('string')
  }
  expect(await execMock([], check, { env })).toMatchObject({ code: 0, ran: true })
  for (const form of [[], ['--json'], ['--host', '0.0.0.0']]) {
    const { stdout, stderr } = await startMock(form, { env })
    expect(stdout + stderr).not.toContain('let-me-in')
  }
})

test.each([
  ['127.0.0.1', [], /^$/],
  ['localhost', [], /^$/],
  ['0.0.0.0', [], /listens on 0\.0\.0\.0: .* are open too: set CERTIFY_CONTROL_TOKEN/],
  ['0.0.0.0', ['--no-control'], /^warning: this mock listens on 0\.0\.0\.0: [^.]* documented\.\n$/],
])('a mock on %s with %j warns if other machines can reach it', async (host, flags, words) => {
  const { stderr, code } = await execMock(['--host', host, ...flags])
  expect([code, stderr]).toEqual([0, expect.stringMatching(words)])
})

const A = 'https://a'
test.each([
  [['--port', '65536'], /whole number from 0 to 65535/],
  [['--host', ''], /must not be blank/],
  [['--host', '203.0.113.1'], /cannot listen on port 0 of 203\.0\.113\.1 \(EADDRNOTAVAIL\)/],
  [['--allow-host', 'https://mock'], /without a port/],
  [['--frozen', 'tomorrow'], /a time with its zone/],
  [['--map-callback', A], /Write it as https:\/\/app\.example=/],
  [['--map-callback', 'a.example=127.0.0.1'], /Write it as https:\/\/app\.example=/],
  [['--map-callback', `${A}/hook=http://c:1`], /without a path/],
  [['--map-callback', `${A}=http://c:1`, '--map-callback', `${A}/=http://c:2`], /mapped twice/],
  [['--fault', '{fault:503}'], /must be JSON/],
  [['--fault', '{"fault":"explode"}'], /^error: --fault: This fault is not valid: "explode" is not a fault/],
  [['--behaviour', 'refuse'], /Write it as name=value/],
  [['--behaviour', 'pending=refuse'], /^error: --behaviour: .*Did you mean pendingInvite\?/],
  [['--behaviour', 'pendingInvite=never'], /behaviour\.pendingInvite must be allow, refuse, return-existing/],
  [['--seed', 'a', '--seed', 'b'], /only once/],
])('%j is refused with a hint at the start', async (flags, words) => {
  const { code, stdout, stderr, ran } = await execMock(flags)
  expect([code, stdout, ran]).toEqual([2, '', false])
  expect(stderr).toMatch(words)
  expect(stderr).toMatch(/\nhint: .+\n$/)
})

test.each([
  ['pendingInvite', 'refuse', 'refuse'],
  ['certificationValidity', '90d', '90d'],
  ['certificationValidity', '1000', 1000],
  ['refusedData', 'null', 'null'],
  ['invalidInputCode', '"42"', '42'],
  ['rateLimit', '{"requests":1,"per":"1m"}', { requests: 1, per: '1m' }],
  ['callbackRetries', '["1s",500]', ['1s', 500]],
])('--behaviour %s=%s sets %j', async (name, text, setting) => {
  await execMock(['--behaviour', `${name}=${text}`], async ({ get }) => {
    expect((await get('/__mock/behaviour')).body).toMatchObject({ [name]: setting })
  })
})
