import { expect, test } from 'vitest'
import { createRunner, invite, packageInvite } from './run.ts'

const plain = { NO_COLOR: '1' }

test('a dry run prints the request that would be sent, without the key, and sends nothing', async () => {
  const { mock, certify } = createRunner()
  const sent: string[] = []
  const fetch = async (url: string) => {
    sent.push(url)
    return new Response('{}')
  }
  for (const argv of [invite, packageInvite, ['api', 'mutation { x }']]) {
    const text = await certify([...argv, '--dry-run'], { fetch, terminal: 80, answers: [] })
    expect([text.code, text.asked]).toEqual([0, undefined])
    expect(text.stdout).toContain(`POST ${mock.endpoint}\n`)
    expect(text.stdout).toContain('x-api-key: (not shown)\n')
    const { code, stdout } = await certify([...argv, '--json', '--dry-run'], { fetch })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      method: 'POST',
      url: mock.endpoint,
      body: { query: expect.any(String) },
    })
    expect(text.stdout + stdout).not.toContain(mock.apiKey)
  }
  const { stdout } = await certify([...invite, '--dry-run', '--json'], { fetch })
  const input = { quizId: 'quiz_react_beginner_state', candidate: { email: 'ada@example.com' } }
  expect(JSON.parse(stdout)).toMatchObject({ body: { variables: { input } } })
  /* The only request lists the quizzes of the package, to compare them with the ledger. */
  expect([new Set(sent).size, mock.invites]).toEqual([1, []])
})

test('--debug shows method, address, reference, status and time of a request, and never a key or a body', async () => {
  const { mock, certify } = createRunner()
  const { stderr, code } = await certify([...invite, '--debug'])
  expect(code).toBe(0)
  expect(stderr).toMatch(
    /^> POST certify\.test\/api\/developer\/graphql {2}reference [0-9a-f-]{36}\n< HTTP 200 after \d+ ms\n$/,
  )
  const json = await certify([...invite, '--json', '--debug', '--if-invited', 'create'])
  const [first, second] = json.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object)
  expect(first).toMatchObject({ trace: { method: 'POST', target: 'certify.test/api/developer/graphql' } })
  expect(second).toMatchObject({ trace: { status: 200 } })
  for (const secret of [mock.apiKey, 'ada@example.com', 'challenge']) expect(stderr + json.stderr).not.toContain(secret)
})

test('--debug names the failure of a request', async () => {
  const { certify } = createRunner()
  const fetch = async () => Promise.reject(Object.assign(new Error('canary'), { code: 'ECONNRESET', syscall: 'read' }))
  const { code, stderr } = await certify([...invite, '--debug'], { fetch })
  expect(code).toBe(6)
  expect(stderr).toMatch(/^> POST .+\n< failed \(ECONNRESET\) after \d+ ms\nerror: /)
})

test.each([
  [['tracks', 'list', '--json', '--quiet'], /--json and --quiet cannot be used together/],
  [['tracks', 'list', '--search', '--json'], /--search <text>' (argument missing|is invalid)/],
  [['tracks', 'list', '--search', '--quiet', '--json'], /--search <text>' (argument missing|is invalid)/],
  [['invites', 'list', '--csv', '--json'], /--csv and --json cannot be combined/],
])('%j is refused with the reason', async (argv, words) => {
  const { certify } = createRunner()
  expect(await certify(argv)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(words) })
})

test('--timeout and --deadline apply to the request', async () => {
  const { certify } = createRunner()
  const fetch = () => new Promise<never>(() => {})
  const { code, stderr } = await certify(['tracks', 'list', '--timeout', '5ms', '--deadline', '5ms'], { fetch })
  expect([code, stderr]).toEqual([7, expect.stringMatching(/time[\s\S]*--timeout/)])
})

test('--quiet still prints a link whose e-mail was not sent', async () => {
  const { mock, certify } = createRunner()
  const { stderr } = await certify([...invite.slice(0, -1), 'bounce@candidate.test', '--quiet'])
  expect(stderr).toContain(mock.invites[0]?.challengeUrl)
})

test.each([
  ['ck_canary_0123456789abcdef'],
  ['--name=sk_canary_0123456789abcdef'],
  ['Bearer canary'],
  ['eyJcanaryabcdefg.canary.x'],
])('an argument that looks like a key is refused and not repeated: %s', async (word) => {
  const { mock, certify } = createRunner()
  for (const argv of [
    ['auth', 'login', word],
    [...invite, word],
    [word, 'tracks'],
  ]) {
    const { code, stdout, stderr } = await certify(argv)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('auth login --with-key < file')
    expect(stderr).not.toContain('canary')
  }
  expect(mock.invites).toEqual([])
})

test('the key from the environment is refused anywhere on the command line', async () => {
  const { certify } = createRunner()
  const env = { CERTIFY_API_KEY: 'odd-canary-key' }
  const { code, stderr } = await certify(['tracks', 'list', '--search', 'xodd-canary-keyx'], { env })
  expect([code, stderr]).toEqual([2, expect.stringContaining('looks like a key')])
  expect(stderr).not.toContain('canary')
})

test('a key as short as a word is refused only as a separate argument', async () => {
  const { certify } = createRunner()
  const env = { CERTIFY_API_KEY: 'act' }
  const { stderr } = await certify(['tracks', 'view', 'react'], { env })
  expect(stderr).toContain('did not accept the credentials')
  const alone = await certify(['tracks', 'view', 'act'], { env })
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('looks like a key')])
})

test('at a terminal a package invite shows the skills and asks for confirmation', async () => {
  const { mock, certify } = createRunner()
  const yes = await certify(packageInvite, { terminal: 80, env: plain, answers: ['y'] })
  expect(yes.code).toBe(0)
  expect(yes.stderr).toContain('quiz_react_beginner_components')
  expect(yes.asked).toMatchObject([
    {
      text: expect.stringMatching(
        /^Invite ada@example.com to 3 skills of React Fundamentals \(BEGINNER\), with one e-mail per skill\? \[y\/N\] $/,
      ),
    },
  ])
  expect(mock.invites).toHaveLength(3)
})

test.each([['n'], [''], ['what'], [undefined]])('an unconfirmed package invite (%j) is not sent', async (answer) => {
  const { mock, certify } = createRunner()
  const { code, stdout, stderr } = await certify(packageInvite, { terminal: 80, env: plain, answers: [answer] })
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('not confirmed: nothing was sent')])
  expect(mock.invites).toEqual([])
})

test('--yes skips the question of a package invite, which shows no skills if the key may not list them', async () => {
  const { mock, certify } = createRunner()
  const sure = await certify([...packageInvite, '--yes'], { terminal: 80, answers: [] })
  expect([sure.code, sure.asked]).toEqual([0, undefined])
  const key = mock.apiKeys.find(({ name }) => name === 'invite')?.key ?? ''
  const blind = await certify([...packageInvite, '--if-invited', 'create'], {
    terminal: 80,
    env: { ...plain, CERTIFY_API_KEY: key },
    answers: ['yes'],
  })
  expect(blind.code).toBe(0)
  expect(blind.asked?.[0]?.text).toContain('to every skill of the package')
  const gone = await certify([...packageInvite.slice(0, 3), 'pkg_gone', ...packageInvite.slice(4)], {
    terminal: 80,
    env: plain,
    answers: ['n'],
  })
  expect(gone.stderr).toContain('warning: this package is not among those that can be delivered now')
})

test.each([
  [['--no-input'], {}],
  [[], { CI: '1', CERTIFY_LEDGER: ':memory:' }],
] as const)('a package invite with $0 and $1 is sent without a question, terminal or not', async (flags, env) => {
  for (const world of [{ terminal: 80, answers: [] }, {}]) {
    const { certify, mock } = createRunner()
    const ended = await certify([...packageInvite, ...flags], { ...world, env: { ...plain, ...env } })
    expect([ended.code, ended.asked, mock.invites.length]).toEqual([0, undefined, 3])
  }
})

test('invalid input is refused without a question', async () => {
  const { certify } = createRunner()
  const ended = await certify([...packageInvite.slice(0, -1), 'ada'], { terminal: 80, answers: ['y'] })
  expect([ended.code, ended.asked]).toEqual([2, undefined])
})

test.each([
  [{ FORCE_COLOR: '1' }, undefined, true],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, 80, false],
  [{ FORCE_COLOR: '0' }, 80, false],
  [{}, 80, true],
  [{ NO_COLOR: '1' }, 80, false],
  [{ TERM: 'dumb' }, 80, false],
  [{ CI: 'true' }, undefined, false],
])('colours with %j on a terminal of %s columns: %s', async (env, terminal, coloured) => {
  const { certify } = createRunner()
  const { stderr } = await certify(['tracks', 'lst'], { env, ...(terminal && { terminal }) })
  expect(stderr.includes('\u001B[')).toBe(coloured)
})

test('api sends a document with variables and prints the data', async () => {
  const { mock, certify } = createRunner()
  const query = 'query ($search: String) { developerCertificationPackageTracks(search: $search) { slug } }'
  const data = { developerCertificationPackageTracks: [{ slug: 'sql' }, { slug: 'python-data' }] }
  const slugs = (text: string) =>
    (JSON.parse(text) as typeof data).developerCertificationPackageTracks.map(({ slug }) => slug)
  const files = { 'q.graphql': query, 'v.json': '{"search":"sql"}' }
  for (const [argv, stdin] of [
    [[query, '--variables', '@v.json'], ''],
    [['@q.graphql', '--variables', '@v.json'], ''],
    [['@q.graphql', '--variables', '-'], files['v.json']],
    [['-', '--variables', '@v.json'], query],
  ] as const) {
    const { code, stdout, stderr } = await certify(['api', ...argv], { files, stdin })
    expect([code, stderr]).toEqual([0, ''])
    expect(slugs(stdout)).toContain('sql')
    expect(slugs(stdout)).not.toContain('react')
  }
  expect(mock.invites).toEqual([])
})

test('the response to a mutation goes to stderr if stdout fails', async () => {
  const { mock, certify } = createRunner()
  const input = '{ quizId: "quiz_react_beginner_state", candidate: { email: "ada@example.com" } }'
  const document = `mutation { developerCreateCertificationInvite(input: ${input}) { challengeUrl } }`
  const { code, stderr } = await certify(['api', document], { broken: { stdout: 'EPIPE' } })
  expect(code).toBe(6)
  expect(stderr).toContain(mock.invites[0]?.challengeUrl)
})
