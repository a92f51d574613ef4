import { expect, test } from 'vitest'
import { version } from '../../src/index.ts'
import { createRunner, invite, packageInvite, quizId, type World } from './run.ts'

test('tracks list draws a table with a header within the width of the terminal', async () => {
  const { certify } = createRunner()
  const { stdout, stderr } = await certify(['tracks', 'list'], { terminal: 60, env: { NO_COLOR: '1' } })
  const lines = stdout.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^SLUG +NAME +PACKAGES +LEVELS$/)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60)
  expect(stderr).toContain('certify tracks view <slug>')
})

test('tracks list --json prints the tracks as the client returns them', async () => {
  const { certify } = createRunner()
  const { code, stdout } = await certify(['tracks', 'list', '--search', 'react', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject([{ slug: 'react', packages: [{ id: 'pkg_react_beginner' }, {}, {}, {}] }])
})

test('a group without a command prints its help', async () => {
  const { certify } = createRunner()
  for (const [group, verbs] of [
    ['tracks', /view/],
    ['ledger', /backup[^]*purge/],
  ] as const) {
    const { code, stdout, stderr } = await certify([group])
    expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(verbs), ''])
  }
})

test('help is the same by --help, by the help command and without arguments', async () => {
  const { certify } = createRunner()
  const help = await certify(['--help'])
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('invites') })
  for (const argv of [['help'], []]) expect(await certify(argv)).toEqual(help)
})

test('certify help explains every option, and --help the usual ones', async () => {
  const { certify } = createRunner()
  const whole = (await certify(['help', 'bulk'])).stdout
  expect(whole.replaceAll(/\s+/g, ' ')).toContain('--rate <number> the maximum number of requests per second')
  expect(whole).not.toContain('Also --')
  expect((await certify(['bulk', '--help'])).stdout).toMatch(/Also[^]*--rate/)
})

test('an empty list succeeds: [] in JSON, nothing in a pipe, a message at a terminal', async () => {
  const { certify } = createRunner()
  const list = ['tracks', 'list', '--search', 'no such thing']
  expect(await certify([...list, '--json'])).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
  expect(await certify(list)).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(await certify(list, { terminal: 80 })).toEqual({ code: 0, stdout: '', stderr: 'No tracks found.\n' })
})

test('tracks view never truncates ids, however narrow the terminal', async () => {
  const { mock, certify } = createRunner()
  const { code, stdout } = await certify(['tracks', 'view', 'react'], { terminal: 40, env: { NO_COLOR: '1' } })
  expect(code).toBe(0)
  for (const pack of mock.tracks.find(({ slug }) => slug === 'react')?.packages ?? []) {
    for (const id of [pack.id, ...pack.quizIds]) expect(stdout).toContain(id)
  }
})

test.each([[[]], [['--json']]])('a created invite is printed into a pipe with link and expiry: %j', async (flags) => {
  const { mock, certify } = createRunner()
  const { code, stdout, stderr } = await certify([...invite, '--name', 'Ada Byron', ...flags])
  expect(code).toBe(0)
  expect(stderr).toBe('')
  const [row] = mock.invites
  for (const value of [row?.inviteId, row?.challengeUrl, row?.expiresAt]) expect(stdout).toContain(value)
  expect(row?.candidate).toEqual({ name: 'Ada Byron', email: 'ada@example.com' })
})

test('a terminal shows who was invited and to which quiz', async () => {
  const { certify } = createRunner()
  const { stdout } = await certify(invite, { terminal: 80, env: { NO_COLOR: '1' } })
  expect(stdout).toContain(`Invite created  ${quizId}`)
  expect(stdout).toMatch(/^ +for +ada@example\.com$/m)
})

test('--no-send-email suppresses the e-mail and says so', async () => {
  const { mock, certify } = createRunner()
  const { code, stdout, stderr } = await certify([...invite, '--no-send-email'], { terminal: 80 })
  expect(code).toBe(0)
  expect(stdout).toContain('not sent, as requested: deliver the link yourself')
  expect(stderr).toBe('')
  expect(mock.outbox).toEqual([])
  expect(mock.invites[0]?.emailSent).toBe(false)
})

test.each([[[]], [['--json']]])('warns when a requested e-mail was not sent: %j', async (flags) => {
  const { certify } = createRunner()
  const asked = [...invite.slice(0, -1), 'bounce@candidate.test', ...flags]
  const { code, stdout, stderr } = await certify(asked)
  expect(code).toBe(0)
  expect(stdout).toContain('/challenge/')
  expect(stderr).toMatch(/^warning: an e-mail was requested, but .+ Deliver the link yourself\.\n$/)
  const onTerminal = await certify([...asked.slice(0, 6), '--if-invited', 'create'], { terminal: 80 })
  expect(onTerminal.stdout).toContain('NOT SENT')
})

test('warns when one of several e-mails was not sent, and when one was sent without a request', async () => {
  const { certify } = createRunner()
  const each = {
    status: 'PENDING',
    challengeUrl: 'https://x.y/1',
    expiresAt: '2030-01-15T00:00:00Z',
    skillName: 's',
    level: 'l',
  }
  const invites = [true, false, true].map((emailSent, index) => ({
    ...each,
    quizId: `q${index}`,
    inviteId: `inv_${index}`,
    emailSent,
  }))
  const data = { developerCreateCertificationPackageInvite: { packageId: packageInvite[3], packageName: 'P', invites } }
  const listing = { developerCertificationPackageTracks: [] }
  const fetch: World['fetch'] = async (_url, { body }) =>
    Response.json({ data: body.includes('PackageTracks') ? listing : data })
  const { certify: other } = createRunner()
  const { certify: third } = createRunner()
  const asked = await certify(packageInvite, { fetch })
  expect(asked.stderr).toMatch(/^warning: an e-mail was requested, but .+\n$/)
  const unasked = await other([...packageInvite, '--no-send-email'], { fetch })
  expect(unasked.stderr).toMatch(/^warning: no e-mail was requested, but .+\n$/)
  const drawn = await third([...packageInvite, '--no-send-email'], { fetch, terminal: 80, env: { NO_COLOR: '1' } })
  expect(drawn.stdout.match(/SENT, although not requested/g)).toHaveLength(2)
})

test('a terminal shows the wait after HTTP 429, and the invite is created once', async () => {
  const { mock, certify } = createRunner()
  mock.faults.add({ fault: { status: 429, headers: { 'retry-after': '0' } } })
  const { code, stderr } = await certify(invite, { terminal: 80 })
  expect(code).toBe(0)
  expect(stderr).toBe('RATE_LIMITED: nothing was changed; trying again in 0 s.\n')
  expect(mock.invites).toHaveLength(1)
})

test('the external reference and the callback URL of an invite are sent', async () => {
  const { mock, certify } = createRunner()
  const callback = 'https://hooks.example.com/certify'
  await certify([...invite, '--external-reference', 'application 17', '--callback-url', callback])
  expect(mock.invites[0]).toMatchObject({ externalReference: 'application 17', callbackUrl: callback })
})

test('a package invite prints every link in full: as rows, as JSON and at a terminal', async () => {
  for (const [flags, terminal] of [
    [[], undefined],
    [['--json'], undefined],
    [[], 30],
  ] as const) {
    const { mock, certify } = createRunner()
    const world = terminal === undefined ? {} : { terminal, env: { NO_COLOR: '1' } }
    const { code, stdout } = await certify([...packageInvite, ...flags], world)
    expect(code).toBe(0)
    expect(mock.invites.length).toBeGreaterThan(1)
    for (const { challengeUrl, inviteId } of mock.invites) {
      expect(stdout).toContain(challengeUrl)
      expect(stdout).toContain(inviteId)
    }
  }
})

test('a package invite sends its callback URL and respects --no-send-email', async () => {
  const { mock, certify } = createRunner()
  const callback = 'https://hooks.example.com/certify'
  await certify([...packageInvite, '--callback-url', callback, '--no-send-email'])
  expect(mock.outbox).toEqual([])
  expect(mock.invites.every(({ callbackUrl }) => callbackUrl === callback)).toBe(true)
})

test('--base-url overrides CERTIFY_BASE_URL, and the key may come from CERTIFY_API_KEY_FILE', async () => {
  const { mock, certify } = createRunner()
  const env = { CERTIFY_BASE_URL: 'https://elsewhere.test', CERTIFY_API_KEY: '', CERTIFY_API_KEY_FILE: 'key.txt' }
  const files = { 'key.txt': `${mock.apiKey}\n` }
  const { code } = await certify(['tracks', 'list', '--base-url', mock.baseUrl], { env, files })
  expect(code).toBe(0)
})

test('text from the service is printed without control sequences and on one line', async () => {
  const { certify } = createRunner()
  const track = {
    id: 't',
    slug: 'evil',
    name: 'A\u001b[2J\u001b]0;x\u0007B\nC\u202e\u001b[1;31mD\u001b[m\u009b0m',
    packages: [],
  }
  const body = JSON.stringify({ data: { developerCertificationPackageTracks: [track] } })
  const fetch = async () => new Response(body, { headers: { 'content-type': 'application/json' } })
  for (const terminal of [80, undefined]) {
    const { stdout } = await certify(['tracks', 'list'], {
      fetch,
      env: { NO_COLOR: '1' },
      ...(terminal && { terminal }),
    })
    expect(stdout).toContain('AB CD')
    for (const control of ['\u001b', '\u0007', '\u202e']) expect(stdout).not.toContain(control)
  }
})

test.each([
  [{}, '  certify tracks list'],
  [{ npm_command: 'exec' }, '  npx certify-sdk tracks list'],
])('the mock prints its page, its keys and the next command within 80 columns: %j', async (env, next) => {
  const { certify } = createRunner()
  const interruption = AbortSignal.abort('SIGINT')
  const { stdout } = await certify(['mock', '--port', '0'], { env, interruption, terminal: 80 })
  const lines = stdout.split('\n')
  expect(lines.filter((line) => line.length > 80)).toEqual([])
  expect(lines).toContain(next)
  expect(stdout).toMatch(/page {6}http:\/\/127\.0\.0\.1:\d+\//)
  expect(stdout).toMatch(/CERTIFICATION_PACKAGE_READ\n +CERTIFICATION_INVITE_CREATE\n/)
})

test.each(['--version', '-v', 'version'])('certify %s prints the version', async (word) => {
  expect(await createRunner().certify([word])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})
