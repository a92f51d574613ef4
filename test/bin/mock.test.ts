import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Child } from '../../bin/io.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { createRunner, type Ended, type World } from './run.ts'

const full = createMockServer().apiKey

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'certify-mock-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

/** A mock while a command runs against it. */
interface Visited {
  readonly url: string
  readonly child: Child
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answer>
  readonly post: (path: string, body?: unknown) => Promise<unknown>
  /** Creates an invite, and gives its identifier. */
  readonly invite: (more?: object) => Promise<string>
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** Runs `certify mock exec` with these flags; the command that it runs is the visit. */
async function visited(
  flags: readonly string[],
  visit: (mock: Visited) => Promise<void> = async () => {},
  world: World = {},
): Promise<Ended & { readonly ran: boolean }> {
  let ran = false
  const run = async (child: Child) => {
    ran = true
    await visit(visitorOf(child))
    return { exitCode: 0 }
  }
  const readFile = (path: string) => [path, readFileSync(path, 'utf8')] as const
  const files = Object.fromEntries(flags.filter((flag) => isFile(flag)).map(readFile))
  const ended = await createRunner().certify(['mock', 'exec', ...flags, '--', 'program'], { files, run, ...world })
  return { ...ended, ran }
}

function visitorOf(child: Child): Visited {
  const { CERTIFY_BASE_URL: url = '', CERTIFY_API_KEY: key = '' } = child.env
  const json = { 'content-type': 'application/json' }
  const post = async (path: string, body: unknown = {}) => {
    const answer = await fetch(url + path, { method: 'POST', headers: json, body: JSON.stringify(body) })
    return answer.status === 204 ? undefined : answer.json()
  }
  return {
    url,
    child,
    post,
    get: (path, headers = {}) => asked(url + path, headers),
    async invite(more = {}) {
      const query =
        'mutation ($input: DeveloperCreateCertificationInviteInput!) { developerCreateCertificationInvite(input: $input) { inviteId } }'
      const input = { quizId: 'quiz_react_beginner_state', candidate: { email: 'ada@example.com' }, ...more }
      const answer = await fetch(`${url}/api/developer/graphql`, {
        method: 'POST',
        headers: { ...json, 'x-api-key': key },
        body: JSON.stringify({ query, variables: { input } }),
      })
      const { data } = (await answer.json()) as { data: { developerCreateCertificationInvite: { inviteId: string } } }
      return data.developerCreateCertificationInvite.inviteId
    },
  }
}

/* With headers that fetch does not send as they are given. */
function asked(url: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += String(chunk)))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: parsed(text) }))
    })
      .on('error', reject)
      .end()
  })
}

function parsed(text: string): unknown {
  return /^[[{]/.test(text) ? JSON.parse(text) : text
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

test('the command finds the mock and its key in its environment, and nothing that goes before them', async () => {
  const env = {
    CERTIFY_BASE_URL: 'https://real.example',
    CERTIFY_API_KEY: 'real',
    CERTIFY_API_KEY_FILE: '/k',
    CERTIFY_PROFILE: 'acme',
    CERTIFY_LEDGER: '/l',
  }
  let url = ''
  const check = async (mock: Visited) => {
    url = mock.url
    const { CERTIFY_API_KEY, CERTIFY_LEDGER, ...rest } = mock.child.env
    expect([CERTIFY_API_KEY, CERTIFY_LEDGER]).toEqual(['ck_sandbox_full_7h2m9q4x1v8c6t3w', '/l'])
    expect(Object.keys(rest)).not.toContain('CERTIFY_API_KEY_FILE')
    expect(Object.keys(rest)).not.toContain('CERTIFY_PROFILE')
    expect(await mock.get('/__mock/health')).toMatchObject({ status: 200, body: { status: 'ok', invites: 0 } })
  }
  expect(await visited([], check, { env })).toEqual({ code: 0, stdout: '', stderr: '', ran: true })
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  await expect(fetch(url)).rejects.toThrow('fetch failed')
})

test('what stands behind -- belongs to the command, flags too', async () => {
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

test.each([1, 3, 130, 255])('the exit code %i of the command is passed on, without a word', async (exitCode) => {
  const { certify } = createRunner()
  const ended = await certify(['mock', 'exec', '--', 'program'], { run: async () => ({ exitCode }) })
  expect(ended).toEqual({ code: exitCode, stdout: '', stderr: '' })
})

test.each([
  ['ENOENT', 127, "error: there is no command 'program'; the mock was stopped.\n"],
  ['EACCES', 126, "error: the command 'program' cannot be run (EACCES); the mock was stopped.\n"],
])(
  'a command that cannot be started (%s) ends with %i and is told, without what may be a secret',
  async (failure, exitCode, told) => {
    const { certify } = createRunner()
    const run = async () => ({ failure })
    const { code, stdout, stderr } = await certify(['mock', 'exec', '--', 'program=secret'], { run })
    expect([code, stdout]).toEqual([exitCode, ''])
    expect(stderr).toContain(told)
    expect(stderr).not.toContain('secret')
    const json = await certify(['mock', 'exec', '--json', '--', 'program'], { run })
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'COMMAND_NOT_RUN', exitCode } })
  },
)

test('at a terminal it is said where the mock listens while the command runs', async () => {
  const { stdout, stderr } = await visited([], undefined, { terminal: 80 })
  expect([stdout, stderr]).toEqual([
    '',
    expect.stringMatching(/^A mock of the service listens on http:.* while 'program' runs\.\n$/s),
  ])
})

test('identifiers follow from --seed', async () => {
  const ids: string[] = []
  const create = async ({ invite }: Visited) => void ids.push(await invite())
  for (const flags of [['--seed', '7'], ['--seed=7'], ['--seed', '8'], []]) await visited(flags, create)
  expect(ids[1]).toBe(ids[0])
  expect(new Set(ids).size).toBe(3)
})

test('with --frozen the clock stands where it is told to, or at the start, until it is moved', async () => {
  const now = () => Date.parse('2031-05-06T07:08:09Z')
  const clockOf = async (flags: readonly string[]) => {
    const clocks: unknown[] = []
    await visited(
      flags,
      async ({ get, post }) => {
        clocks.push((await get('/__mock/clock')).body, await post('/__mock/clock/advance', { by: '1d' }))
      },
      { now },
    )
    return clocks
  }
  expect(await clockOf(['--frozen', '2030-01-01T09:00:00+02:00'])).toEqual([
    { now: '2030-01-01T07:00:00.000Z', frozen: true },
    { now: '2030-01-02T07:00:00.000Z', frozen: true },
  ])
  expect(await clockOf(['--frozen=2030-01-01'])).toMatchObject([{ now: '2030-01-01T00:00:00.000Z' }, {}])
  expect(await clockOf(['--frozen'])).toMatchObject([{ now: '2031-05-06T07:08:09.000Z', frozen: true }, {}])
  expect(await clockOf([])).toMatchObject([{ frozen: false }, {}])
})

test('the state is written at the end, for its owner alone, and is there again at the next start', async () => {
  const path = join(folder, 'world.json')
  const flags = ['--state', path, '--export-on-exit', path]
  const first = await visited(flags, async ({ invite }) => void (await invite()))
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const seen: unknown[] = []
  const count = async ({ get }: Visited) => void seen.push((await get('/__mock/invites')).body)
  await visited(['--state', path], count)
  expect(seen).toMatchObject([{ total: 1, rows: [{ candidate: { email: 'ada@example.com' } }] }])
})

test('certify mock writes the state as well, when it is stopped', async () => {
  const path = join(folder, 'world.json')
  const interruption = AbortSignal.abort('SIGTERM')
  const { certify } = createRunner()
  const { code, stdout } = await certify(['mock', '--port', '0', '--export-on-exit', path], { interruption })
  expect([code, stdout]).toEqual([0, expect.stringContaining('its state goes\nto a file when it stops.')])
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ format: 'certify-mock' })
})

test('the clock of a state can be frozen where it stands or later, and not before', async () => {
  const path = join(folder, 'world.json')
  await visited(['--frozen', '2030-01-01', '--export-on-exit', path])
  const clocks: unknown[] = []
  const look = async ({ get }: Visited) => void clocks.push((await get('/__mock/clock')).body)
  await visited(['--state', path, '--frozen', '2030-02-01'], look)
  await visited(['--state', path, '--frozen'], look)
  expect(clocks).toMatchObject([{ now: '2030-02-01T00:00:00.000Z' }, { now: '2030-01-01T00:00:00.000Z' }])
  const before = await visited(['--state', path, '--frozen', '2029-01-01'])
  expect(before).toMatchObject({
    code: 2,
    ran: false,
    stderr: expect.stringMatching(/^error: --frozen: .*only forward/),
  })
})

test.each([
  ['is not there', undefined, /cannot be read \(ENOENT\)/],
  ['is no JSON', 'ada@example.com', /is not JSON/],
  ['is not a state', '{"email":"ada@example.com"}', /not a snapshot that this version can read: it takes/],
  ['is of another format', '{"format":"certify-mock","version":2}', /it is of format 2, and 1 is read/],
])(
  'a file of --state that %s is refused before anything starts, and nothing in it is repeated',
  async (_what, text, words) => {
    const path = join(folder, 'state.json')
    if (text !== undefined) writeFileSync(path, text)
    const { code, stderr, stdout, ran } = await visited([
      '--state',
      path,
      '--export-on-exit',
      join(folder, 'other.json'),
    ])
    expect([code, stdout, ran]).toEqual([2, '', false])
    expect(stderr).toMatch(words)
    expect(stderr).toMatch(/^hint: /m)
    expect(stderr).not.toContain('ada@example.com')
  },
)

test.each([
  ['in a folder that is not there', 'none/world.json', 'ENOENT'],
  ['that is a folder', '', 'EISDIR'],
])('a file of --export-on-exit %s is refused at the start', async (_what, name, code) => {
  const ended = await visited(['--export-on-exit', join(folder, name)])
  expect(ended).toMatchObject({ code: 2, ran: false, stderr: expect.stringContaining(`cannot be written (${code})`) })
})

test('a socket is not replaced by the file of --export-on-exit', async () => {
  const path = join(folder, 'socket')
  const listener = createServer()
  await new Promise<void>((resolve) => listener.listen(path, resolve))
  onTestFinished(() => void listener.close())
  expect(await visited(['--export-on-exit', path])).toMatchObject({
    code: 2,
    ran: false,
    stderr: expect.stringContaining('cannot be written (it is not a regular file)'),
  })
  expect(statSync(path).isSocket()).toBe(true)
})

test('a state that cannot be written at the end is an error, and what was there before stays', async () => {
  const path = join(folder, 'sub')
  const ended = await visited(['--export-on-exit', path], async () => {
    /* Where a folder has come to stand, no file can. */
    mkdirSync(path)
  })
  expect(ended).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: the state could not be written .*EISDIR/),
  })
  expect(statSync(path).isDirectory()).toBe(true)
})

test.each(['127.0.0.1', '0.0.0.0'])(
  'callbacks arrive where --map-callback sends them, on whatever host: %s',
  async (host) => {
    const arrived: string[] = []
    const receiver = createServer((incoming, response) => {
      arrived.push(incoming.url ?? '')
      response.writeHead(204).end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void receiver.close())
    const to = `http://${host}:${(receiver.address() as AddressInfo).port}`
    const flags = [
      '--map-callback',
      `https://hooks.example.com=${to}`,
      '--map-callback',
      'https://b.example=http://127.0.0.1:1',
    ]
    await visited(flags, async ({ invite, post }) => {
      const id = await invite({ callbackUrl: 'https://hooks.example.com/certify?from=mock' })
      await post(`/__mock/invites/${id}/pass`)
      await post('/__mock/settle')
    })
    expect(arrived).toContain('/certify?from=mock')
  },
)

test('the rules of --fault stand in their order, and are counted', async () => {
  const flags = ['--fault', '{"fault":503,"times":2}', '--fault', '{"phase":"after","fault":"cut"}']
  await visited(flags, async ({ invite, get }) => {
    await expect(invite()).rejects.toThrow(SyntaxError)
    expect((await get('/__mock/faults')).body).toMatchObject({
      faults: [
        { id: 'fault_1', fault: 503, hits: 1, left: 1 },
        { id: 'fault_2', fault: 'cut', hits: 0, left: 1 },
      ],
    })
  })
})

test('a session of --session is a world of its own, and told with its keys', async () => {
  await visited(['--session', 'worker-1', '--session', 'worker-2'], async ({ get, invite }) => {
    await invite()
    expect((await get('/s/worker-1/__mock/health')).body).toMatchObject({ invites: 0 })
    expect((await get('/__mock/health')).body).toMatchObject({ invites: 1, sessions: 2 })
  })
  const { certify } = createRunner()
  const argv = ['mock', '--port', '0', '--session', 'worker-1']
  const interruption = AbortSignal.abort('SIGINT')
  const json = JSON.parse((await certify([...argv, '--json'], { interruption })).stdout) as {
    url: string
    endpoint: string
  }
  expect(Object.keys(json)).toEqual(['url', 'endpoint', 'apiKeys', 'adminSession', 'sessions'])
  expect(json).toMatchObject({
    sessions: [
      {
        id: 'worker-1',
        baseUrl: `${json.url}/s/worker-1`,
        endpoint: json.endpoint.replace(json.url, `${json.url}/s/worker-1`),
        apiKeys: [{ name: 'full', key: 'ck_sandbox_full_7h2m9q4x1v8c6t3w_worker-1' }, {}, {}, {}],
        adminSession: { headers: { authorization: expect.stringContaining('worker-1') } },
      },
    ],
  })
  const { stdout } = await certify(argv, { interruption, terminal: 80 })
  expect(stdout).toMatch(/^ {2}http:.*\/s\/worker-1\n {10}ck_sandbox_full_7h2m9q4x1v8c6t3w_worker-1$/m)
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
})

test('with --no-control there is no page and no control API, and the service is there', async () => {
  await visited(['--no-control'], async ({ get, invite }) => {
    expect((await get('/__mock/health')).status).toBe(404)
    expect((await get('/')).status).toBe(404)
    expect(await invite()).toBeTypeOf('string')
  })
  const interruption = AbortSignal.abort('SIGINT')
  const { stdout } = await createRunner().certify(['mock', '--port', '0', '--no-control'], { interruption })
  expect(stdout).not.toContain('page ')
})

test('--allow-host lets the page be asked for by that name, and by no other', async () => {
  await visited(['--allow-host', 'mock', '--allow-host', 'Mock.Internal'], async ({ get, url }) => {
    const { port } = new URL(url)
    const status = async (name: string) => (await get('/__mock/health', { host: `${name}:${port}` })).status
    expect([await status('mock'), await status('mock.internal'), await status('evil.example')]).toEqual([200, 200, 403])
  })
})

test('the token of the control API comes from the environment or a file, and is never printed', async () => {
  const path = join(folder, 'token')
  writeFileSync(path, ' let-me-in\n')
  const check = async ({ get, invite }: Visited) => {
    expect((await get('/__mock/health')).status).toBe(401)
    expect((await get('/__mock/health', { authorization: 'Bearer let-me-in' })).status).toBe(200)
    expect(await invite()).toBeTypeOf('string')
  }
  const byFile = await visited(['--control-token-file', path], check)
  const env = { CERTIFY_CONTROL_TOKEN: 'let-me-in' }
  const byVariable = await visited([], check, { env })
  expect([byFile, byVariable]).toMatchObject([
    { code: 0, ran: true },
    { code: 0, ran: true },
  ])
  const interruption = AbortSignal.abort('SIGINT')
  for (const form of [[], ['--json'], ['--host', '0.0.0.0']]) {
    const { stdout, stderr } = await createRunner().certify(['mock', '--port', '0', ...form], { env, interruption })
    expect(stdout + stderr).not.toContain('let-me-in')
  }
})

test.each([
  ['127.0.0.1', [], /^$/],
  ['localhost', [], /^$/],
  ['0.0.0.0', [], /listens on 0\.0\.0\.0: everybody who can reach.* are open too: set CERTIFY_CONTROL_TOKEN/],
  ['0.0.0.0', ['--no-control'], /^warning: this mock listens on 0\.0\.0\.0: [^.]* documented\.\n$/],
])('a mock on %s with %j says who can reach it', async (host, flags, words) => {
  const { stderr, code } = await visited(['--host', host, ...flags])
  expect(code).toBe(0)
  expect(stderr).toMatch(words)
})

test.each([
  [['--port', '65536'], /whole number from 0 to 65535/],
  [['--host', ''], /has to be an address/],
  [['--host', '203.0.113.1'], /cannot listen on port 0 of 203\.0\.113\.1 \(EADDRNOTAVAIL\)/],
  [['--allow-host', 'mock:4010'], /without a port/],
  [['--allow-host', 'https://mock'], /without a port/],
  [['--frozen', 'tomorrow'], /a time with its zone/],
  [['--frozen', '2030-01-01T09:00:00'], /a time with its zone/],
  [['--frozen', '2030-13-01'], /a time with its zone/],
  [['--frozen', '2030-02-30'], /a time with its zone/],
  [['--map-callback', 'https://app.example'], /Write it as https:\/\/app\.example=/],
  [['--map-callback', 'app.example=127.0.0.1'], /Write it as https:\/\/app\.example=/],
  [['--map-callback', 'https://a.b/hook=http://c:1'], /without a path/],
  [['--map-callback', 'https://a.b=http://c:1', '--map-callback', 'https://a.b/=http://c:2'], /mapped twice/],
  [['--fault', '{fault:503}'], /has to be JSON/],
  [['--fault', '{"fault":"explode"}'], /^error: --fault: This fault is not valid: "explode" is no fault/],
  [['--fault', '[]'], /a rule is an object/],
  [['--session', 'Worker 1'], /at most 32 lower-case letters/],
  [['--session', 'a', '--session', 'a'], /There is a session "a" already/],
  [['--no-control', '--allow-host', 'mock'], /--allow-host and --no-control exclude each other/],
  [['--no-control', '--control-token-file', 'f'], /--control-token-file and --no-control exclude each other/],
  [['--control-token-file', '/none'], /cannot be read \(ENOENT\)/],
  [['--seed', 'a', '--seed', 'b'], /only once/],
  [['--state'], /Its value is missing/],
])('%j is refused with what is wrong and what to do, before anything starts', async (flags, words) => {
  const { code, stdout, stderr, ran } = await visited(flags)
  expect([code, stdout, ran]).toEqual([2, '', false])
  expect(stderr).toMatch(words)
  expect(stderr).toMatch(/\nhint: .+\n$/)
})

test('an empty file of --control-token-file guards nothing, and is refused', async () => {
  const path = join(folder, 'token')
  writeFileSync(path, '\n')
  expect(await visited(['--control-token-file', path])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is empty'),
  })
})

test('a word that is no command of the mock is asked about', async () => {
  const { code, stderr } = await createRunner().certify(['mock', 'exce', '--', 'npm', 'test'])
  expect([code, stderr]).toEqual([
    2,
    "error: unknown command 'exce'. Did you mean exec?\nhint: See certify mock --help.\n",
  ])
})

test('--behaviour sets a switch of what the specification leaves open, as text or as JSON', async () => {
  const flags = ['--behaviour', 'pendingInvite=refuse', '--behaviour', 'rateLimit={"requests":2,"per":"1h"}']
  await visited(flags, async ({ invite, url }) => {
    await invite()
    await expect(invite()).rejects.toThrow('null')
    expect(
      (await fetch(`${url}/api/developer/graphql?query={__typename}`, { headers: { 'x-api-key': full } })).status,
    ).toBe(429)
  })
})

test.each([
  ['pendingInvite=never', 'behaviour.pendingInvite has to be allow, refuse, return-existing'],
  ['pending=refuse', 'behaviour has no pending; there are'],
  ['refuse', 'Write it as name=value'],
])('a switch that does not exist, or a setting that it does not have, is refused: %s', async (text, words) => {
  const { code, stderr, ran } = await visited(['--behaviour', text])
  expect([code, ran]).toEqual([2, false])
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(words)
})

test('a callback that is blocked is reported at once, by its host and without its path', async () => {
  const { stderr } = await visited([], async ({ invite, get, post }) => {
    const id = await invite({ callbackUrl: 'https://hooks.example.com/secret-token' })
    await post(`/__mock/invites/${id}/pass`)
    await post('/__mock/settle')
    await get('/__mock/callbacks')
  })
  expect(stderr).toContain('warning: certification.completed: hooks.example.com was not contacted')
  expect(stderr).toContain('--map-callback')
  expect(stderr).not.toContain('secret-token')
})
