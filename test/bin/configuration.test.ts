import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { configFolder } from '../../bin/config/store.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { createRunner, type World } from './run.ts'

const mock = createMockServer()
const key = (name: string) => mock.apiKeys.find((each) => each.name === name)?.key ?? ''
/* Without the variables for the service and the key. */
const bare = { CERTIFY_BASE_URL: undefined, CERTIFY_API_KEY: undefined }
const full = createMockServer().apiKey

function login(runner: ReturnType<typeof createRunner>, profile = 'acme', world: World = {}) {
  const argv = ['auth', 'login', '--profile', profile, '--base-url', runner.mock.baseUrl, '--with-key']
  return runner.certify(argv, { stdin: `${full}\n`, ...world, env: { ...bare, ...world.env } })
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

test.each([
  [{ XDG_CONFIG_HOME: '/x', HOME: '/h' }, 'linux', '/x/certify'],
  [{ XDG_CONFIG_HOME: 'relative', HOME: '/h' }, 'linux', '/h/.config/certify'],
  [{ HOME: '/h' }, 'darwin', '/h/.config/certify'],
  [{ APPDATA: '/roaming', HOME: '/h' }, 'win32', '/roaming/certify'],
  [{ APPDATA: '/roaming', HOME: '/h' }, 'linux', '/h/.config/certify'],
  [{ CERTIFY_CONFIG_DIR: '/c', XDG_CONFIG_HOME: '/x', APPDATA: '/roaming' }, 'win32', '/c'],
])('with %j on %s the configuration is in %s', (env, platform, folder) => {
  expect(configFolder(env, platform)).toBe(folder)
})

test('login stores the key in a private file and not in the configuration', async () => {
  const runner = createRunner()
  expect((await login(runner)).code).toBe(0)
  const config = readFileSync(runner.home.config, 'utf8')
  expect(JSON.parse(config)).toEqual({ profile: 'acme', profiles: { acme: { baseUrl: runner.mock.baseUrl } } })
  expect(config).not.toContain(full)
  expect(JSON.parse(readFileSync(runner.home.credentials, 'utf8'))).toEqual({ acme: full })
  expect(statSync(runner.home.credentials).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(runner.home.credentials)).mode & 0o777).toBe(0o700)
  expect(readdirSync(dirname(runner.home.config))).toEqual(['config.json', 'credentials.json'])
})

test('the sandbox profile is built in: it needs no configuration and cannot be stored', async () => {
  const { certify } = createRunner(createMockServer({ baseUrl: 'http://127.0.0.1:4010' }))
  expect((await certify(['tracks', 'list', '--profile', 'sandbox'], { env: bare })).code).toBe(0)
  expect((await certify(['tracks', 'list'], { env: { ...bare, CERTIFY_PROFILE: 'sandbox' } })).code).toBe(0)
  const argv = ['auth', 'login', '--profile', 'sandbox', '--with-key']
  const { code, stderr } = await certify(argv, { env: bare, stdin: full })
  expect([code, stderr]).toEqual([2, expect.stringContaining('built in')])
})

test('an option overrides the environment, and the environment overrides the profile', async () => {
  const { certify, home } = createRunner()
  write(home.config, JSON.stringify({ profile: 'acme', profiles: { acme: { baseUrl: 'https://p.test' } } }))
  const fetch = async () => Promise.reject(new Error('x'))
  const settings = async (argv: readonly string[], env: World['env']) => {
    const { stdout } = await certify(['doctor', '--json', ...argv], { env: { ...bare, ...env }, fetch })
    const found = JSON.parse(stdout) as readonly { readonly check: string; readonly found: string }[]
    return Object.fromEntries(found.map((each) => [each.check, each.found]))
  }
  const env = { CERTIFY_BASE_URL: 'https://e.test', CERTIFY_API_KEY: 'ck_0123456789abcdef' }
  expect(await settings(['--base-url', 'https://f.test'], env)).toMatchObject({
    'base URL': 'https://f.test (--base-url)',
    'key origin': '…cdef (CERTIFY_API_KEY)',
  })
  expect(await settings([], env)).toMatchObject({ 'base URL': 'https://e.test (CERTIFY_BASE_URL)' })
  expect(await settings([], { CERTIFY_BASE_URL: '' })).toMatchObject({
    profile: `acme (${home.config})`,
    'base URL': 'https://p.test (profile acme)',
  })
})

test('a stored key is sent only to the address of its profile', async () => {
  const runner = createRunner()
  await login(runner)
  const sent: string[] = []
  const fetch = async (url: string) => {
    sent.push(url)
    return new Response('{}')
  }
  for (const [argv, env] of [
    [['tracks', 'list', '--base-url', 'https://elsewhere.test'], {}],
    [['tracks', 'list'], { CERTIFY_BASE_URL: 'https://elsewhere.test' }],
  ] as const) {
    const { code, stderr } = await runner.certify(argv, { env: { ...bare, ...env }, fetch })
    expect([code, stderr]).toEqual([2, expect.stringContaining('the key of profile acme is for')])
  }
  expect(sent).toEqual([])
  const same = ['tracks', 'list', '--base-url', `${runner.mock.baseUrl}/`]
  expect((await runner.certify(same, { env: bare })).code).toBe(0)
})

test('a profile is not overridden by CERTIFY_BASE_URL', async () => {
  const runner = createRunner()
  await login(runner)
  const env = { CERTIFY_BASE_URL: 'https://elsewhere.test', CERTIFY_API_KEY: full }
  const { code, stderr } = await runner.certify(['tracks', 'list', '--profile', 'acme'], { env })
  expect([code, stderr]).toEqual([2, expect.stringMatching(/--profile means .+, but CERTIFY_BASE_URL names another/)])
})

test('profiles are kept side by side, and login reports that it switches the one in use', async () => {
  const runner = createRunner()
  await login(runner, 'acme')
  const { stderr } = await login(runner, 'staging', { terminal: 80 })
  expect(stderr).toContain('The profile in use was acme; it is staging now.')
  const { stdout } = await runner.certify(['auth', 'status', '--json'], { env: bare })
  expect(JSON.parse(stdout)).toMatchObject({ profile: 'staging', profiles: ['acme', 'staging'] })
  const gone = await runner.certify(['tracks', 'list', '--profile', 'stagign'], { env: bare })
  expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining('Did you mean staging?')])
})

test('login without a name stores the profile "default", whichever is in use', async () => {
  const runner = createRunner()
  await login(runner)
  const argv = ['auth', 'login', '--base-url', runner.mock.baseUrl, '--with-key']
  const ended = await runner.certify(argv, { env: bare, stdin: key('read') })
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^default\t/) })
  expect(JSON.parse(readFileSync(runner.home.credentials, 'utf8'))).toEqual({ acme: full, default: key('read') })
})

test('changing the address of a profile needs confirmation', async () => {
  const runner = createRunner()
  await login(runner)
  const argv = ['auth', 'login', '--profile', 'acme', '--base-url', 'https://other.test', '--no-verify']
  const address = () => JSON.parse(readFileSync(runner.home.config, 'utf8')) as unknown
  const before = address()
  const script = await runner.certify([...argv, '--with-key'], { env: bare, stdin: full })
  expect([script.code, script.stderr]).toEqual([2, expect.stringMatching(/another address[\s\S]*--yes/)])
  expect((await runner.certify(argv, { env: bare, terminal: 80, answers: ['n', full] })).code).toBe(2)
  expect(address()).toEqual(before)
  expect((await runner.certify(argv, { env: bare, terminal: 80, answers: ['y', full] })).code).toBe(0)
  expect(address()).toMatchObject({ profiles: { acme: { baseUrl: 'https://other.test' } } })
})

test('a configuration folder that cannot be written is reported with a hint', async () => {
  const runner = createRunner()
  const folder = join(runner.home.folder, 'link')
  symlinkSync(join(runner.home.folder, 'gone/away'), folder)
  for (const argv of [
    ['auth', 'login', '--base-url', runner.mock.baseUrl, '--with-key'],
    ['auth', 'logout', '--all'],
  ]) {
    const { code, stderr } = await runner.certify([...argv, '--json'], {
      stdin: full,
      env: { ...bare, CERTIFY_CONFIG_DIR: folder },
    })
    const { error } = JSON.parse(stderr) as { error: object }
    expect([code, error]).toMatchObject([2, { code: 'CONFIG_INVALID', message: expect.stringContaining(folder) }])
    expect(error).toMatchObject({ message: expect.stringMatching(/\(E[A-Z]+\)/) })
    expect(error).toMatchObject({ hint: expect.stringContaining('set CERTIFY_CONFIG_DIR') })
  }
})

test('the default folder becomes private when it is written; one set by CERTIFY_CONFIG_DIR keeps its mode', async () => {
  const runner = createRunner()
  const named = dirname(runner.home.config)
  const own = join(runner.home.folder, 'certify')
  for (const folder of [named, own]) {
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o755)
  }
  await login(runner)
  await login(runner, 'acme', { env: { CERTIFY_CONFIG_DIR: '', XDG_CONFIG_HOME: runner.home.folder } })
  const modes = [named, own].map((folder) => statSync(folder).mode & 0o777)
  expect(modes).toEqual([0o755, 0o700])
})

test('warns once when a key that others can read is used', async () => {
  const runner = createRunner()
  await login(runner)
  const list = async (env: World['env']) =>
    (await runner.certify(['tracks', 'list'], { env: { ...bare, ...env } })).stderr
  expect(await list({})).toBe('')
  chmodSync(runner.home.credentials, 0o644)
  expect(await list({})).toMatch(/^warning: the file of the keys can be read by others; run chmod 600 on it\.\n$/)
  expect(await list({ CERTIFY_BASE_URL: runner.mock.baseUrl, CERTIFY_API_KEY: full })).toBe('')
})

test('a configuration that is a symbolic link stays one, and its target changes', async () => {
  const runner = createRunner()
  await login(runner)
  const elsewhere = join(runner.home.folder, 'dotfiles.json')
  renameSync(runner.home.config, elsewhere)
  symlinkSync(elsewhere, runner.home.config)
  await login(runner, 'staging')
  expect(lstatSync(runner.home.config).isSymbolicLink()).toBe(true)
  expect(JSON.parse(readFileSync(elsewhere, 'utf8'))).toMatchObject({ profile: 'staging' })
})

test.each([
  'https://me:canary@p.test/api?key=canary#canary',
  'https:/me:canary@p.test/api',
  'me:canary@p.test/api?canary',
])('an address is shown without credentials and query: %s', async (baseUrl) => {
  const runner = createRunner()
  write(runner.home.config, JSON.stringify({ profile: 'acme', profiles: { acme: { baseUrl } } }))
  write(runner.home.credentials, JSON.stringify({ acme: full }))
  chmodSync(runner.home.credentials, 0o600)
  const fetch = async () => Promise.reject(new Error('x'))
  for (const [argv, env] of [
    [['doctor', '--timeout', '1ms'], {}],
    [['auth', 'status', '--deadline', '1ms'], {}],
    [['tracks', 'list', '--profile', 'acme'], { CERTIFY_BASE_URL: 'https://other.test' }],
    [['tracks', 'list'], { CERTIFY_BASE_URL: 'https://other.test' }],
  ] as const) {
    const { stdout, stderr } = await runner.certify(argv, { env: { ...bare, ...env }, fetch })
    expect(stdout + stderr).not.toContain('canary')
  }
})

test('a profile for another service than the others has an account of its own in the ledger', async () => {
  const runner = createRunner()
  const loginAt = (profile: string, baseUrl: string, ...flags: readonly string[]) =>
    runner.certify(
      ['auth', 'login', '--profile', profile, '--base-url', baseUrl, '--with-key', '--no-verify', ...flags],
      { stdin: full, env: bare, terminal: 200 },
    )
  await loginAt('first', 'https://certify.example.com')
  expect((await loginAt('staging', 'https://staging.example.com')).stderr).toContain(
    'Its account in the ledger is staging',
  )
  await loginAt('other-key', 'https://certify.example.com')
  await loginAt('named', 'https://third.example.com', '--account', 'acme')
  const { profiles } = JSON.parse(readFileSync(runner.home.config, 'utf8')) as {
    readonly profiles: Readonly<Record<string, { readonly account?: string }>>
  }
  expect(Object.entries(profiles).map(([name, { account }]) => [name, account])).toEqual([
    ['first', undefined],
    ['staging', 'staging'],
    ['other-key', undefined],
    ['named', 'acme'],
  ])
})

test('logout deletes the key and keeps the profile', async () => {
  const runner = createRunner()
  await login(runner)
  expect((await runner.certify(['auth', 'logout'], { env: bare })).stdout).toBe('acme\n')
  expect(readFileSync(runner.home.credentials, 'utf8')).not.toContain(full)
  expect((await runner.certify(['tracks', 'list'], { env: bare })).code).toBe(4)
  expect((await runner.certify(['auth', 'logout'], { env: bare })).code).toBe(2)
})

test('logout --all names the profiles whose keys went', async () => {
  const runner = createRunner()
  for (const name of ['acme', 'globex']) await login(runner, name)
  expect(await runner.certify(['auth', 'logout', '--all', '--json'], { env: bare })).toMatchObject({
    code: 0,
    stdout: '["acme","globex"]\n',
  })
  expect((await runner.certify(['auth', 'logout', '--all', '--json'], { env: bare })).stdout).toBe('[]\n')
})

test.each(['{', '[]', '{"profiles":[]}', '{"profiles":{"a":1}}', '{"profile":7}'])(
  'the invalid configuration %s is reported with its path and left unchanged',
  async (text) => {
    const runner = createRunner()
    write(runner.home.config, text)
    for (const argv of [['tracks', 'list'], ['auth', 'status'], ['doctor']]) {
      const { code, stdout, stderr } = await runner.certify(argv)
      expect(code).toBe(2)
      expect(stdout + stderr).toContain(runner.home.config)
    }
    expect((await login(runner)).code).toBe(2)
    expect(readFileSync(runner.home.config, 'utf8')).toBe(text)
  },
)

test('an invalid credentials file is left unchanged until auth logout --all', async () => {
  const runner = createRunner()
  write(runner.home.credentials, `{"acme": canary`)
  const { code, stderr } = await login(runner)
  expect([code, stderr]).toEqual([2, expect.stringContaining(runner.home.credentials)])
  expect(stderr).not.toContain('canary')
  expect(readFileSync(runner.home.credentials, 'utf8')).toBe('{"acme": canary')
  expect((await runner.certify(['auth', 'logout', '--all'])).code).toBe(0)
  expect((await login(runner)).code).toBe(0)
})

test('settings of a later version are kept in the configuration', async () => {
  const runner = createRunner()
  write(runner.home.config, '{"profiles":{"acme":{"baseUrl":"https://certify.test","colour":"red"}},"later":1}')
  await login(runner, 'acme', { env: {} })
  expect(JSON.parse(readFileSync(runner.home.config, 'utf8'))).toEqual({
    profile: 'acme',
    profiles: { acme: { baseUrl: 'https://certify.test', colour: 'red' } },
    later: 1,
  })
})

test('login asks for missing values and does not show the key', async () => {
  const runner = createRunner()
  const world = { env: bare, terminal: 80, answers: [runner.mock.baseUrl, full] }
  const { code, asked, stdout, stderr } = await runner.certify(['auth', 'login'], world)
  expect(code).toBe(0)
  expect(asked).toMatchObject([
    { text: 'The address of the service: ' },
    { text: 'The API key (not shown): ', hidden: true },
  ])
  expect(stdout + stderr).not.toContain(full)
  expect(JSON.parse(readFileSync(runner.home.config, 'utf8'))).toMatchObject({ profile: 'default' })
})

test.each([
  [['--no-input'], {}],
  [[], { env: { CI: '1' } }],
])('login asks nothing with %j in %j', async (flags, { env = {} }: World) => {
  const { certify } = createRunner()
  const argv = ['auth', 'login', '--base-url', 'https://x.test', ...flags]
  const ended = await certify(argv, { env: { ...bare, ...env }, terminal: 80, answers: [full] })
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('auth login --with-key < file') })
  expect(ended.asked).toBeUndefined()
})

test.each([
  [key('read'), 0, /^Profile acme, for https:\/\/certify\.test\n$/],
  [key('invite'), 0, /^warning: this key cannot list/m],
  ['ck_wrong', 4, /did not accept the credentials/],
  ['', 4, /the key is empty/],
  ['two\nlines', 2, /one line of visible ASCII/],
])('a key is stored only if the service accepts it: %s exits with %i', async (given, code, words) => {
  const runner = createRunner()
  const ended = await login(runner, 'acme', { stdin: given })
  expect(ended.code).toBe(code)
  expect(ended.stderr).toMatch(words)
  expect(readdirSync(runner.home.folder).includes('config')).toBe(code === 0)
})

test('--no-verify stores a key without a request', async () => {
  const runner = createRunner()
  const argv = ['auth', 'login', '--base-url', 'https://x.test', '--with-key', '--no-verify']
  const fetch = async () => Promise.reject(new Error('nothing is sent'))
  expect((await runner.certify(argv, { env: bare, stdin: 'ck_any', fetch })).code).toBe(0)
})

test.each([
  ['full', 0, { accepted: true, mayList: true, keyOrigin: 'CERTIFY_API_KEY' }],
  ['invite', 0, { accepted: true, mayList: false }],
  ['nobody', 4, { accepted: false }],
])('auth status shows what the key %s may do and exits with %i', async (name, code, status) => {
  const { certify } = createRunner()
  const ended = await certify(['auth', 'status', '--json'], { env: { CERTIFY_API_KEY: key(name) || 'ck_nobody' } })
  expect(ended.code).toBe(code)
  expect(JSON.parse(ended.stdout)).toMatchObject(status)
  expect(ended.stdout).not.toContain(key(name) || 'ck_nobody')
})

test('login checks the address before it asks for the key', async () => {
  const { certify } = createRunner()
  for (const address of ['certify.example.com', 'http://certify.example.com', 'https://x.test?key=1']) {
    const ended = await certify(['auth', 'login'], { env: bare, terminal: 80, answers: [address, full] })
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('the base URL') })
    expect(ended.asked).toHaveLength(1)
  }
})

test('login accepts the endpoint as the base URL', async () => {
  const runner = createRunner()
  for (const end of ['', '/', '/api/developer/graphql', '/api/developer/graphql/']) {
    const argv = ['auth', 'login', '--base-url', runner.mock.baseUrl + end, '--with-key']
    const { code, asked } = await runner.certify(argv, { env: bare, stdin: full })
    expect([code, asked]).toEqual([0, undefined])
    expect(JSON.parse(readFileSync(runner.home.config, 'utf8'))).toMatchObject({
      profiles: { default: { baseUrl: expect.not.stringContaining('graphql') } },
    })
  }
})

test.each([
  [[undefined], /ended without an answer: nothing was sent and nothing was changed\.\nhint: Give it with --base-url\./],
  [
    ['https://x.test', undefined],
    /ended without an answer[\s\S]*hint: Give it on stdin: certify auth login --with-key/,
  ],
])('Ctrl-D at a question of login changes nothing and says so: %j', async (answers, words) => {
  const { certify, home } = createRunner()
  const env = { ...bare, NO_COLOR: '1' }
  const ended = await certify(['auth', 'login'], { env, terminal: 200, answers })
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(words) })
  expect(readdirSync(home.folder)).not.toContain('config')
})
