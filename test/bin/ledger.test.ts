import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import type { InviteEvent } from '../../src/callbacks/event.ts'
import { claimOf } from '../src/ledger/contract/samples.ts'
import { all } from '../src/ledger/setting.ts'
import { openLedger } from '../src/ledger/whole.ts'
import { loadDriver } from '../../src/ledger/sqlite-driver.ts'
import { shellQuoted } from '../../bin/config/ledger-place.ts'
import { createRunner, LOST, quizId, type World } from './run.ts'

interface Row {
  readonly inviteId: string | null
  readonly email: string
  readonly state: string
  readonly challengeUrl: string | null
  readonly reference: string
}

/* A runner whose ledger has a single invite, a package invite and an unknown one, a day apart. */
async function recorded() {
  const runner = createRunner()
  const { certify, mock } = runner
  const create = async (argv: readonly string[], world?: World) => {
    const { code } = await certify([...argv], world)
    await mock.clock.advance('1d')
    return code
  }
  const callback = ['--callback-url', 'https://hooks.example/secret-canary-path', '--external-reference', 'req-7']
  const ends = [
    await create([
      'invites',
      'create',
      '--quiz-id',
      quizId,
      '--email',
      'ada@example.com',
      '--name',
      'Ada',
      ...callback,
    ]),
    await create(['invites', 'create', '--package-id', 'pkg_react_beginner', '--email', 'Grace@example.com']),
    await create(['invites', 'create', '--quiz-id', quizId, '--email', LOST]),
  ]
  expect(ends).toEqual([0, 0, 6])
  const list = async (...flags: readonly string[]) => {
    const { code, stdout, stderr } = await certify(['invites', 'list', '--json', ...flags])
    expect([code, stderr]).toEqual([0, ''])
    return JSON.parse(stdout) as Row[]
  }
  return { ...runner, list }
}

test('reading the ledger needs neither a key nor the network', async () => {
  const { certify, mock } = await recorded()
  const world = {
    env: { CERTIFY_API_KEY: undefined, CERTIFY_BASE_URL: undefined },
    fetch: () => Promise.reject(new Error()),
  }
  const [id = ''] = mock.invites.map(({ inviteId }) => inviteId)
  for (const argv of [['list'], ['list', '--expiring-within', '2w'], ['view', id]]) {
    expect(await certify(['invites', ...argv], world)).toMatchObject({ code: 0, stderr: '' })
  }
})

test('invites list prints one row per invite, newest first, and one for an unknown create', async () => {
  const { certify, mock, list } = await recorded()
  const { stdout } = await certify(['invites', 'list'])
  const [single, ...skills] = mock.invites.map(({ inviteId }) => inviteId)
  const rows = stdout
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.split('\t'))
  expect(rows.map(([id, state, email]) => [id, state, email])).toEqual([
    ['', 'unknown', LOST],
    ...skills.slice(0, 3).map((id) => [id, 'created', 'Grace@example.com']),
    [single, 'created', 'ada@example.com'],
  ])
  expect(new Set(rows.map((row) => row.length))).toEqual(new Set([14]))
  const [lost] = await list('--state', 'unknown')
  expect((await certify(['invites', 'list', '--quiet'])).stdout.trimEnd().split('\n')).toEqual([
    lost?.reference,
    ...skills.slice(0, 3),
    single,
  ])
  expect((await list()).map(({ inviteId }) => inviteId)).toEqual([null, ...skills.slice(0, 3), single])
})

test.each([
  [['--email', ' ADA@Example.com'], ['ada@example.com']],
  [
    ['--quiz-id', quizId],
    [LOST, 'Grace@example.com', 'ada@example.com'],
  ],
  [['--quiz-id', ' quiz_javascript_beginner '], ['Grace@example.com']],
  [
    ['--search', 'pkg_react_beginner'],
    ['Grace@example.com', 'Grace@example.com', 'Grace@example.com'],
  ],
  [['--state', 'unknown'], [LOST]],
  [['--state', 'refused'], []],
  [['--campaign', 'spring.csv'], []],
  [['--since', '25h'], [LOST]],
  [['--since', '2030-01-03'], [LOST]],
  [['--since', '2030-01-02T00:00:00Z', '--state', 'created', '--limit', '1'], ['Grace@example.com']],
  [['--since', '2030-01-03T01:00:00+01:00'], [LOST]],
])('invites list filters by %j', async (flags, emails) => {
  const { list } = await recorded()
  expect((await list(...flags)).map(({ email }) => email)).toEqual(emails)
})

test.each(['http://127.0.0.1:4010', 'http://sandbox.localhost:4010', 'http://[::1]:4010'])(
  'invites of a sandbox at %s are not listed with those of the service, except with --all',
  async (baseUrl) => {
    const { list, home } = await recorded()
    const ledger = await openLedger(home.ledger)
    await ledger.import([{ email: 'local@example.com', quizId, from: 'a sandbox' }], { baseUrl })
    await ledger.close()
    const listed = async (...flags: readonly string[]) => (await list(...flags)).map(({ email }) => email)
    expect(await listed()).not.toContain('local@example.com')
    expect(await listed('--all')).toContain('local@example.com')
  },
)

test('no output format shows a link or a callback URL without --show-links', async () => {
  const { certify, mock, home } = await recorded()
  const [{ inviteId } = { inviteId: '' }] = mock.invites
  const links = mock.invites.map(({ challengeUrl }) => challengeUrl)
  const secrets = [...links.map((link) => new URL(link).pathname), 'secret-canary-path', mock.apiKey]
  const commands = [
    ['invites', 'list'],
    ['invites', 'list', '--expiring-within', '2w'],
    ['invites', 'view', inviteId],
    ['ledger', 'check'],
  ]
  for (const argv of commands) {
    for (const [flags, world] of [
      [[], {}],
      [['--json'], {}],
      [[], { terminal: 120 }],
      [['--json', '--debug'], { terminal: 80 }],
    ] as const) {
      const { code, stdout, stderr } = await certify([...argv, ...flags], world)
      expect(code).toBe(0)
      for (const secret of secrets) expect(stdout + stderr).not.toContain(secret)
    }
  }
  const [first = ''] = links
  const masked = `${new URL(first).origin}/…${first.slice(-4)}`
  expect((await certify(['invites', 'view', inviteId])).stdout).toContain(`\t${masked}\t`)
  for (const argv of [['list'], ['list', '--json'], ['list', '--csv'], ['view', inviteId]]) {
    expect((await certify(['invites', ...argv, '--show-links'])).stdout).toContain(first)
  }
  expect(readFileSync(home.ledger).includes(mock.apiKey)).toBe(false)
})

test('invites view shows every recorded field of an invite', async () => {
  const { certify, mock } = await recorded()
  const [{ inviteId, expiresAt } = { inviteId: '', expiresAt: '' }] = mock.invites
  const { stdout } = await certify(['invites', 'view', inviteId], { terminal: 80 })
  for (const words of [inviteId, 'created', 'ada@example.com', quizId, expiresAt, 'req-7', mock.baseUrl, 'default']) {
    expect(stdout).toContain(words)
  }
  await mock.clock.advance('20d')
  expect((await certify(['invites', 'view', inviteId], { terminal: 80 })).stdout).toContain(', expired')
  expect(await certify(['invites', 'view', 'inv_none'])).toMatchObject({
    code: 5,
    stdout: '',
    stderr: expect.stringContaining('no invite with this id or for this address, and no create'),
  })
})

test('invites view finds the newest record of an address, and says that there are more', async () => {
  const { certify, mock } = await recorded()
  expect((await certify(['invites', 'view', ' ADA@example.com', '--quiet'])).stdout).toBe(
    `${mock.invites[0]?.inviteId}\n`,
  )
  await mock.clock.advance('20d')
  await certify(['invites', 'create', '--quiz-id', quizId, '--email', 'ada@example.com'])
  const { stdout, stderr } = await certify(['invites', 'view', 'ada@example.com', '--quiet'])
  expect(stdout).toBe(`${mock.invites.at(-1)?.inviteId}\n`)
  expect(stderr).toContain(
    'the ledger has this address 2 times; this is the newest: `certify invites list --all --email',
  )
})

test('a terminal lists counts, names, times of sending, and states in colours', async () => {
  const { certify } = await recorded()
  const { stdout, stderr } = await certify(['invites', 'list'], { terminal: 200 })
  expect(stderr).toMatch(/^2 created, 1 unknown\n\n/)
  const [head = '', ...lines] = stdout.split('\n')
  expect(head.trim().split(/ {2,}/)).toEqual([
    'E-MAIL',
    'NAME',
    'STATE',
    'SENT (UTC)',
    'EXPIRES',
    'CODE',
    'INVITE ID',
    'QUIZ',
  ])
  expect(lines.find((line) => line.startsWith(LOST))).toContain('\u001B[33munknown')
  const ada = lines.find((line) => line.startsWith('ada@'))
  expect(ada).toContain('\u001B[32mcreated')
  expect(ada).toMatch(/Ada.*2030-01-0\d \d\d:\d\d/)
  expect((await certify(['invites', 'list'], { terminal: 200, env: { NO_COLOR: '1' } })).stdout).not.toContain('\u001B')
})

test('invites view accepts the reference of an unknown create and shows how to resolve it', async () => {
  const { certify, home, list } = await recorded()
  const [{ reference } = { reference: '' }] = await list('--state', 'unknown')
  const view = ['invites', 'view', reference]
  const drawn = await certify([...view, '--ledger', home.ledger], { terminal: 200 })
  const stdout = drawn.stdout.replaceAll(/\s+/g, ' ')
  expect(drawn.code).toBe(0)
  const command = `certify invites resolve ${reference} --ledger ${shellQuoted(home.ledger)} --created <invite-id>`
  const told = [reference, 'unknown', LOST, quizId, '2030-01-03T00:00:00.000Z', 'CONNECTION_LOST', command]
  for (const words of told) expect(stdout).toContain(words)
  expect(stdout).not.toContain('settled')
  expect((await certify([...view, '--quiet'])).stdout).toBe(`${reference}\n`)
  expect(JSON.parse((await certify([...view, '--json'])).stdout)).toMatchObject({ inviteId: null, state: 'unknown' })
})

test('invites view shows when an invite was resolved and that its link is not recorded', async () => {
  const { certify, mock, list } = await recorded()
  const [{ reference } = { reference: '' }] = await list('--state', 'unknown')
  await certify(['invites', 'resolve', reference, '--created', 'inv_found', '--yes'])
  const byHand = /settled +2030-01-04T00:00:00.000Z; its link is not recorded\n/
  for (const id of ['inv_found', reference]) {
    const { stdout } = await certify(['invites', 'view', id], { terminal: 120, env: { NO_COLOR: '1' } })
    expect(stdout).toMatch(/^inv_found {2}created\n/)
    expect(stdout).toMatch(byHand)
    expect(stdout).not.toContain('what to do')
  }
  const [{ inviteId } = { inviteId: '' }] = mock.invites
  expect((await certify(['invites', 'view', inviteId], { terminal: 120 })).stdout).not.toContain('by hand')
})

test('invites view refuses the reference of a package invite and names its invites', async () => {
  const { certify, mock, list } = await recorded()
  const [{ reference } = { reference: '' }] = await list('--search', 'pkg_react_beginner')
  const { code, stdout, stderr } = await certify(['invites', 'view', reference])
  expect([code, stdout]).toEqual([2, ''])
  for (const { inviteId } of mock.invites.slice(1, 4)) expect(stderr.replaceAll(/\s+/g, ' ')).toContain(inviteId)
})

test('a list is limited to the current account; --all shows the complete ledger', async () => {
  const { certify, home, list } = await recorded()
  const other = createRunner(createMockServer({ now: '2030-01-04T00:00:00Z', baseUrl: 'https://other.test' }))
  const env = { XDG_STATE_HOME: home.folder }
  const create = ['invites', 'create', '--quiz-id', quizId, '--email', 'ada@example.com']
  expect((await other.certify([...create, '--account', 'acme'], { env })).code).toBe(0)
  const count = async (flags: readonly string[], more: Record<string, string | undefined> = {}) => {
    const { stdout } = await other.certify(['invites', 'list', '--quiet', ...flags], { env: { ...env, ...more } })
    return stdout.split('\n').length - 1
  }
  expect(await count([])).toBe(5)
  expect(await count(['--account', 'acme'])).toBe(1)
  expect(await count(['--account', 'default'])).toBe(5)
  expect(await count(['--all'])).toBe(6)
  expect(await count(['--all', '--account', 'acme'])).toBe(1)
  expect(await count([], { CERTIFY_BASE_URL: undefined })).toBe(5)
  expect(await list()).toHaveLength(5)
  const told = await certify(['invites', 'list', '--email', 'nobody@example.com'], { terminal: 80 })
  expect(told.stderr).toContain('No invites found.\n\nOnly account default; --all shows every service')
})

test('a list says where the records are that its base URL or account leaves out', async () => {
  const { certify, mock } = await recorded()
  const here = (env: NonNullable<World['env']>, ...flags: readonly string[]) =>
    certify(['invites', 'list', '--state', 'unknown', '--json', ...flags], { env })
  const there = `the ledger has some of ${mock.baseUrl}, account default: --all lists them.`
  const other = { CERTIFY_BASE_URL: 'http://127.0.0.1:5302' }
  expect(await here(other)).toEqual({ code: 0, stdout: '[]\n', stderr: expect.stringContaining(there) })
  expect(JSON.parse((await here(other, '--all')).stdout)).toHaveLength(1)
  expect((await here(other, '--email', 'nobody@example.com')).stderr).toBe('')
})

test('--state open lists each invite that has no result yet, also of a package', async () => {
  const { home, mock, list } = await recorded()
  const created = mock.invites.filter(({ candidate }) => candidate.email !== LOST).map(({ inviteId }) => inviteId)
  const ledger = await openLedger(home.ledger)
  const records = await all(ledger.list())
  for (const [inviteId = '', result] of [
    [created[0], 'PASSED'],
    [created[1], 'FAILED'],
  ]) {
    const { reference } = records.find(({ invites }) => invites.some((each) => each.inviteId === inviteId)) ?? {}
    const event = { type: 'certification.completed', reference, inviteId, result, key: inviteId, receivedAt: 0 }
    await ledger.inbox.learn(event as InviteEvent)
  }
  await ledger.close()
  const open = (await list('--state', 'open')).map(({ inviteId }) => inviteId)
  expect(new Set(open)).toEqual(new Set(created.slice(2)))
})

test.each([
  ['invites', 'list'],
  ['callbacks', 'list'],
])('%s %s is empty before the first ledger, which it does not make; a named place is reported', async (...argv) => {
  const { certify, home } = createRunner()
  expect(await certify([...argv, '--json'])).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
  expect((await certify(argv, { terminal: 80 })).stderr).toContain(`there is no ledger yet at`)
  const named = await certify([...argv, '--json', '--ledger', `${home.folder}/typo.ledger`])
  expect(named).toEqual({ code: 0, stdout: '[]\n', stderr: expect.stringContaining('there is no ledger yet at') })
  expect(existsSync(home.ledger)).toBe(false)
})

test('commands that need a ledger report a missing one and do not create it', async () => {
  const { certify, home } = createRunner()
  for (const argv of [
    ['invites', 'view', 'inv_1'],
    ['invites', 'resolve', 'r', '--not-created'],
    ['ledger', 'check'],
    ['ledger', 'purge', '--older-than', '1d', '--yes'],
  ]) {
    const { code, stdout, stderr } = await certify([...argv, '--json'])
    expect([code, stdout]).toEqual([5, ''])
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'NOT_FOUND', message: expect.stringContaining('there is no ledger yet') },
    })
  }
  expect(existsSync(home.ledger)).toBe(false)
})

test.each([
  [
    '--not-created',
    [],
    'Record that cut-after@candidate.test was never invited to quiz_react_beginner_state, in the create of 2030-01-03 00:00 UTC? They can then be invited again. [y/N] ',
    'not-executed',
  ],
  [
    '--created',
    ['inv_found'],
    'Record inv_found as the invite of cut-after@candidate.test to quiz_react_beginner_state, in the create of 2030-01-03 00:00 UTC? [y/N] ',
    'created',
  ],
])('invites resolve %s asks for confirmation at a terminal; --yes skips it', async (flag, ids, question, state) => {
  const { certify, list } = await recorded()
  const [{ reference } = { reference: '' }] = await list('--state', 'unknown')
  const resolve = ['invites', 'resolve', reference, flag, ...ids]
  const no = await certify(resolve, { terminal: 80, answers: ['n'] })
  expect([no.code, no.asked]).toEqual([2, [{ text: question, hidden: false }]])
  const unasked = await certify([...resolve, '--no-input'], { terminal: 80, answers: [] })
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('Give --yes') })
  expect(await list('--state', 'unknown')).toHaveLength(1)
  const yes = await certify([...resolve, '--yes'], { terminal: 80, answers: [] })
  expect([yes.code, yes.asked]).toEqual([0, undefined])
  expect(await list('--state', state)).toMatchObject(expect.arrayContaining([expect.objectContaining({ reference })]))
})

test('ledger purge asks at a terminal, needs --yes elsewhere, and erases the candidate from the file', async () => {
  const { certify, home, list } = await recorded()
  const purge = ['ledger', 'purge', '--email', 'ADA@example.com']
  const needed = await certify(purge)
  expect(needed).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Give --yes.') })
  const asked = await certify(purge, { terminal: 80, answers: ['n'] })
  expect([asked.code, asked.asked?.length]).toEqual([2, 1])
  for (const { stderr } of [needed, asked]) expect(stderr.toLowerCase()).not.toContain('ada@')
  expect(await list()).toHaveLength(5)
  expect(await certify([...purge, '--json', '--yes'])).toMatchObject({ code: 0, stdout: '{"removed":1,"kept":0}\n' })
  expect(await list()).toHaveLength(4)
  for (const file of [home.ledger, `${home.ledger}-journal`].filter(existsSync)) {
    expect(readFileSync(file).includes('ada@')).toBe(false)
  }
})

test('a missing ledger file is reported until its loss is accepted', async () => {
  const { certify, home } = await recorded()
  rmSync(home.ledger)
  const gone = 'it is missing its last records'
  const doctor = await certify(['doctor', '--json'])
  expect(doctor.stdout).toContain(gone)
  for (const argv of [
    ['ledger', 'check'],
    ['invites', 'list'],
    ['invites', 'view', 'inv_1'],
  ]) {
    expect(await certify(argv)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(gone) })
  }
  expect(doctor.stdout).toContain(`\`certify ledger check --accept-loss --ledger ${shellQuoted(home.ledger)}\``)
  expect((await certify(['ledger', 'check', '--accept-loss'])).code).toBe(0)
  expect((await certify(['invites', 'list', '--json'])).stdout).toBe('[]\n')
})

test('a large ledger without a journal is checked once, and the command says why it takes long', async () => {
  const { certify, home } = createRunner()
  await certify(['invites', 'create', '--quiz-id', quizId, '--email', 'ada@example.com'])
  const database = loadDriver().open(home.ledger)
  database.exec(`INSERT INTO certify_events (key, reference, body, received_at, state, due_at)
    VALUES ('large', 'a', zeroblob(9000000), 0, 'done', 0)`)
  database.close()
  rmSync(`${home.ledger}-journal`, { force: true })
  const list = () => certify(['invites', 'list'])
  expect((await list()).stderr).toContain('the whole ledger is read now')
  expect((await list()).stderr).toBe('')
})

test('ledger purge warns that a create in progress is kept', async () => {
  const { certify, home, mock } = await recorded()
  const now = () => mock.clock.now().getTime()
  const ledger = await openLedger(home.ledger, { clock: { now, startTimer: () => () => {} } })
  onTestFinished(() => ledger.close())
  const candidate = { email: 'bob@example.com' }
  await ledger.claim(claimOf({ quizId, candidate }, 'sending', { baseUrl: mock.baseUrl }))
  const { code, stdout, stderr } = await certify(['ledger', 'purge', '--email', candidate.email, '--yes'])
  expect([code, stdout]).toEqual([0, '0\t1\n'])
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('warning: a create in progress was kept.')
})

test('ledger purge --older-than keeps records that still prevent a second invite', async () => {
  const { certify, mock, list } = await recorded()
  await mock.clock.advance('11d')
  const asked = await certify(['ledger', 'purge', '--older-than', '1d'], { terminal: 80, answers: ['y'] })
  expect([asked.code, asked.stdout]).toEqual([0, 'REMOVED  KEPT\n1        2\n'])
  expect((await list()).map(({ state }) => state)).toEqual(['unknown', 'created', 'created', 'created'])
})

test('ledger check counts the records and exits with 2 if the file is damaged', async () => {
  const { certify, home } = await recorded()
  const sound = await certify(['ledger', 'check', '--json'])
  expect(JSON.parse(sound.stdout)).toMatchObject({
    path: home.ledger,
    records: { created: 2, unknown: 1 },
    problems: [],
  })
  /* Makes an index disagree with its row. */
  const database = loadDriver().open(home.ledger)
  const sql = "SELECT rootpage AS page FROM sqlite_master WHERE name = 'certify_sends_candidate'"
  const [{ page = 0 } = {}] = database.prepare(sql).all() as { page?: number }[]
  database.close()
  const content = readFileSync(home.ledger)
  content.write('xxx', content.indexOf('ada@', 4096 * (page - 1)))
  writeFileSync(home.ledger, content)
  const { code, stdout, stderr } = await certify(['ledger', 'check'])
  expect([code, stdout, stderr]).toEqual([
    2,
    expect.stringContaining('\nproblem\t'),
    expect.stringContaining('the ledger is damaged'),
  ])
})

test('commands in hints repeat --profile and --ledger', async () => {
  const { certify, home, mock } = createRunner()
  const argv = ['auth', 'login', '--profile', 'acme', '--base-url', mock.baseUrl, '--with-key']
  await certify(argv, { stdin: mock.apiKey, env: { CERTIFY_BASE_URL: undefined, CERTIFY_API_KEY: undefined } })
  const env = { CERTIFY_BASE_URL: undefined, CERTIFY_API_KEY: undefined }
  const run = async (...words: readonly string[]) => {
    const { stderr } = await certify([...words, '--profile', 'acme'], { env, terminal: 300 })
    return stderr.replaceAll(/\s+/g, ' ')
  }
  const flags = `--profile acme --ledger ${shellQuoted(home.ledger)}`
  const create = ['invites', 'create', '--quiz-id', quizId, '--email', 'eve@example.com', '--ledger', home.ledger]
  mock.faults.add({ operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'cut' })
  const told = (await run(...create)).replace(/(?<=certify invites resolve )\S+/, '<reference>')
  expect(told).toContain(`certify invites resolve <reference> ${flags} --created <invite-id>`)
  expect(await run('invites', 'view', 'inv_none', '--ledger', home.ledger)).toContain(
    `certify invites list --all ${flags}\``,
  )
  expect(await run('tracks', 'view', 'nope')).toContain('`certify tracks list --profile acme` shows the slugs')
})
