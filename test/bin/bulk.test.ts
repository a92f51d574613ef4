import { rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import type { Fetch } from '../../src/index.ts'
import { candidates, createBulk, PACKAGE, QUIZ, table } from './bulk.ts'

/* The query that probes the service; everything else here creates. */
const isProbe = (body: string) => body.includes('developerCertificationPackageTracks')

const statuses = (rows: readonly { readonly row: number; readonly status: string }[]) =>
  Object.fromEntries(rows.map(({ row, status }) => [row, status]))

const mixed = table(
  'email,quiz_id,package_id,send_email,callback_url',
  `ada@example.com,${QUIZ},,,https://hooks.example/x`,
  `ADA@example.com ,${QUIZ},,`,
  `grace@example.com,,${PACKAGE},no`,
  `grace@example.com,${QUIZ},,`,
  'not-an-address,q,,maybe',
  `hedy@example.com,${QUIZ},${PACKAGE},`,
  'mary@example.com,,,',
)

test('a dry run shows what would be created, for whom and what is invalid, and sends nothing', async () => {
  const { mock, at, run } = createBulk()
  writeFileSync(at('spring.csv'), mixed)
  const argv = ['bulk', at('spring.csv'), '--dry-run']
  const { code, stderr } = await run(argv, { terminal: 400, env: { NO_COLOR: '1' } })
  expect([code, mock.invites]).toEqual([2, []])
  const said = stderr.replaceAll(/ +/g, ' ').split('\n')
  expect(said).toEqual(expect.arrayContaining([' to invite 2', ' duplicates 2', ' invalid 3']))
  expect(said[0]).toContain('spring.csv: 7 rows, csv in UTF-8')
  expect(said).toContain(' first ada@example.com, grace@example.com')
  expect(said).toContain(
    ` invite to State and Events (BEGINNER), ${QUIZ}: 1 row; React Fundamentals (BEGINNER), ${PACKAGE}: 1 row`,
  )
  expect(said).toContain(' e-mails the service sends them for 1 row; none for 1 row: their links are yours to deliver')
  expect(said).toContain(' callbacks to hooks.example')
  expect(stderr).toContain('  row 6: send_email must be yes or no; email must be a valid e-mail address')
  expect(said).toContain('error: 3 rows are invalid. Nothing was sent.')
  expect(stderr).not.toContain('not-an-address')
})

test('a dry run prints all rows into a pipe, and at a terminal a table of the first fifty', async () => {
  const { at, run } = createBulk()
  writeFileSync(at('x'), mixed + candidates(60).replace(/^.*\n/, ''))
  const dryRun = ['bulk', at('x'), '--dry-run', '--skip-invalid']
  const { stdout } = await run(dryRun, { terminal: 160, env: { NO_COLOR: '1' } })
  const [head, ...rows] = stdout.trimEnd().split('\n')
  expect(head?.split(/ {2,}/)).toEqual(['ROW', 'STATUS', 'E-MAIL', 'GETS AN E-MAIL', 'INVITE TO'])
  expect(rows.slice(0, 3).map((row) => row.split(/ {2,}/))).toEqual([
    ['2', 'planned', 'ada@example.com', 'yes', `State and Events (BEGINNER), ${QUIZ}`],
    ['3', 'duplicate', 'ADA@example.com', 'no', `State and Events (BEGINNER), ${QUIZ}`],
    ['4', 'planned', 'grace@example.com', 'no', `React Fundamentals (BEGINNER), ${PACKAGE}`],
  ])
  expect([rows.length, rows.at(-1)]).toEqual([51, 'and 17 rows more: --json and a pipe have all of them.'])
  const piped = (await run(dryRun)).stdout.trimEnd().split('\n')
  expect([piped.length, piped[0]?.split('\t').slice(0, 3)]).toEqual([67, ['2', 'planned', 'ada@example.com']])
})

test('the plan names the first three candidates, but only at a terminal', async () => {
  const { at, run } = createBulk()
  writeFileSync(at('x'), candidates(5))
  expect((await run(['bulk', at('x'), '--dry-run'])).stderr).not.toContain('@')
  const { stderr } = await run(['bulk', at('x'), '--dry-run'], { terminal: 400 })
  expect(stderr).toContain('candidate-1@example.com, candidate-2@example.com, candidate-3@example.com, …')
})

test('the plan says if the ledger has nothing on record for the account', async () => {
  const { at, run } = createBulk()
  writeFileSync(at('x'), candidates(1))
  const planned = async () =>
    (await run(['bulk', at('x'), '--dry-run'], { terminal: 200 })).stderr.replaceAll(/\s+/g, ' ')
  expect(await planned()).toContain('nothing on record')
  await run(['bulk', at('x'), '--yes'])
  expect(await planned()).not.toContain('nothing on record')
})

test('the plan says if the key cannot read packages, because overlaps with single invites are then missed', async () => {
  const { mock, at, run } = createBulk()
  writeFileSync(at('x'), table('email,package_id', `ada@example.com,${PACKAGE}`))
  const planned = async (name: string) => {
    const key = mock.apiKeys.find((each) => each.name === name)?.key
    return (await run(['bulk', at('x'), '--dry-run'], { env: { CERTIFY_API_KEY: key } })).stderr
  }
  expect(await planned('invite')).toContain('CERTIFICATION_PACKAGE_READ')
  expect(await planned('full')).not.toContain('CERTIFICATION_PACKAGE_READ')
})

test('at a terminal it asks for confirmation and sends only after yes', async () => {
  const { mock, at, run } = createBulk()
  writeFileSync(at('x'), candidates(3))
  const no = await run(['bulk', at('x')], { answers: ['n'], terminal: 80 })
  expect([no.code, no.stderr, mock.invites.length]).toEqual([2, expect.stringContaining('not confirmed'), 0])
  expect(no.asked?.[0]?.text).toContain('Create invites for 3 rows at')
  const yes = await run(['bulk', at('x')], { answers: ['y'], terminal: 80, env: { NO_COLOR: '1' } })
  expect([yes.code, yes.stdout, mock.invites.length]).toEqual([0, '', 3])
  expect(yes.stderr).toContain('created  3')
  /* With nothing left to send, nothing is asked. */
  const done = await run(['bulk', at('x')], { answers: [], terminal: 80 })
  expect([done.code, done.asked]).toEqual([0, undefined])
})

test('without a terminal and without --yes the run is refused', async () => {
  const { mock, bulk } = createBulk()
  const { code, stdout, stderr } = await bulk(candidates(3))
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('INPUT_NEEDED')])
  expect(mock.invites).toEqual([])
})

test('rows that the service refuses exit with 3 and quote its message', async () => {
  const { bulk } = createBulk()
  const content = table(
    'email,quiz_id',
    'marta.lindqvist@candidate.test,quiz_react_beginner_components',
    `ada@example.com,${QUIZ}`,
  )
  const { code, rows, stderr } = await bulk(content, ['--yes'])
  expect([code, statuses(rows)]).toEqual([3, { 2: 'refused', 3: 'created' }])
  expect(rows.find(({ row }) => row === 2)).toMatchObject({
    code: 'BAD_USER_INPUT',
    message: expect.stringContaining('The service says:'),
  })
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'ROWS_FAILED', exitCode: 3 } })
  expect(stderr).not.toContain('@')
})

test('unknown rows exit with 6 even beside refused ones, and are not resent', async () => {
  const { mock, bulk } = createBulk()
  const content = table(
    'email,quiz_id',
    'marta.lindqvist@candidate.test,quiz_react_beginner_components',
    `cut-after@candidate.test,${QUIZ}`,
  )
  const { code, rows, stderr } = await bulk(content, ['--yes'])
  expect([code, statuses(rows)]).toEqual([6, { 2: 'refused', 3: 'unknown' }])
  expect(stderr).toContain('or `certify studio` for many.')
  const count = mock.invites.length
  const again = await bulk(content, ['--yes'])
  expect([again.code, statuses(again.rows), mock.invites.length]).toEqual([6, { 2: 'refused', 3: 'unknown' }, count])
})

test('the summary counts refusals by code, each with an example row', async () => {
  const { at, run } = createBulk()
  const refused = Array.from({ length: 3 }, (_each, index) => `candidate-${index}@example.com,quiz_raect`)
  writeFileSync(at('x'), table('email,quiz_id', ...refused, `ada@example.com,${QUIZ}`))
  const { code, stderr } = await run(['bulk', at('x'), '--yes', '--concurrency', '1'])
  expect(code).toBe(3)
  expect(stderr).toMatch(/refused +3: BAD_USER_INPUT, e\.g\. row 2\n/)
})

const MISSING =
  'these quizzes of the package have no invite yet: quiz_react_beginner_components, quiz_javascript_beginner; invite to them one by one'

test('a package that overlaps another invite is partly_invited, names its missing quizzes and exits with 3', async () => {
  const { bulk } = createBulk()
  const content = table(
    'email,quiz_id,package_id',
    `ada@example.com,${QUIZ},`,
    `ada@example.com,,${PACKAGE}`,
    `ada@example.com,${QUIZ},`,
  )
  const first = await bulk(content, ['--yes'])
  expect(first.rows.toSorted((a, b) => a.row - b.row).map(({ message }) => message)).toEqual([
    undefined,
    `row 2 is for another of its quizzes; ${MISSING}`,
    'repeats row 2',
  ])
  expect([first.code, first.counts['partly_invited']]).toEqual([3, 1])
  const { rows, code } = await bulk(table('email,package_id', `ada@example.com,${PACKAGE}`), ['--yes'])
  expect(rows).toMatchObject([{ status: 'partly_invited', message: MISSING }])
  expect(code).toBe(3)
})

test.each([
  ['an HTML page', 200, '<!doctype html>', 'text/html', /an HTML page, HTTP 200/],
  ['a bare 404', 404, '', 'text/plain', /plain text, HTTP 404/],
  ['a gateway error', 503, 'down', 'text/plain', /HTTP 503/],
] as const)('if the first response is %s, nothing is sent and the response is described', async (...expected) => {
  const [, status, body, type, words] = expected
  const { bulk } = createBulk()
  const fetch: Fetch = async () => new Response(body, { status, headers: { 'content-type': type } })
  const { code, stderr, rows, summary } = await bulk(candidates(50), ['--yes'], { fetch })
  expect([code, rows.length, summary?.['remaining']]).toEqual([7, 50, 50])
  expect(stderr).toMatch(words)
  expect(/check the base URL/i.test(stderr)).toBe(status !== 503)
  /* A plan with packages asks for their list. */
  const packages = await bulk(table('email,package_id', `ada@example.com,${PACKAGE}`), ['--yes'], { fetch })
  expect([packages.code, packages.stderr]).toEqual([7, expect.stringMatching(words)])
})

test('the same command on the fifteenth day invites nobody again, and says so first', async () => {
  let now = Date.parse('2030-01-01T00:00:00Z')
  const { mock, at, run } = createBulk()
  writeFileSync(at('x'), candidates(2))
  const argv = ['bulk', at('x'), '--yes', '--report', at('r.csv')]
  await run(argv, { now: () => now })
  now += 15 * 86_400_000
  await mock.clock.advance('15d')
  const again = await run(argv, { now: () => now })
  expect([again.code, mock.invites.length]).toEqual([0, 2])
  expect(again.stderr).toMatch(/\n *expired +2: invited before, and the link has expired[^]*created +0/)
  await run([...argv, '--if-expired', 'invite'], { now: () => now })
  expect(mock.invites.length).toBe(4)
})

test('an outage is reported with the next check and the unknown rows, and ends the run after --max-outage', async () => {
  const { mock, at, run } = createBulk(createMockServer({ now: '2030-01-01T04:51:59Z' }))
  writeFileSync(at('x'), candidates(60))
  let now = Date.parse('2030-01-01T04:51:59Z')
  let downAt = Number.POSITIVE_INFINITY
  const fetch: Fetch = async (url, init) => {
    if (mock.invites.length >= 20) downAt = Math.min(downAt, now)
    if (now < downAt) return mock.fetch(url, init)
    /* Each probe takes a while. */
    now += 2000
    return new Response('down', { status: 503 })
  }
  const argv = ['bulk', at('x'), '--yes', '--concurrency', '4']
  const ended = await run([...argv, '--max-outage', '3s'], { fetch, now: () => now })
  expect(ended.code).toBe(6)
  const told = ended.stderr.replaceAll(/\s+/g, ' ')
  const check = new Date('2030-01-01T04:52:09Z').toTimeString().slice(0, 8)
  expect(told).toContain(`the service is down (SERVER_FAULT): next check at ${check}; 4 rows unknown.`)
  expect(told).toContain('did not recover in time (--max-outage)')
  expect(told).not.toContain('Nothing was created')
  expect(told).toContain('Not started: 36 rows')
  /* The next run starts during the outage. */
  const next = await run(argv, { fetch, now: () => now })
  expect([next.code, mock.invites.length]).toEqual([7, 20])
})

test('the run reports the end of an outage and continues', async () => {
  const { mock, at, run } = createBulk(createMockServer())
  writeFileSync(at('x'), candidates(60))
  let failures = 0
  const fetch: Fetch = async (url, init) => {
    if (mock.invites.length < 20 || failures >= 5) return mock.fetch(url, init)
    failures += 1
    return new Response('down', { status: 503 })
  }
  const { code, stderr } = await run(['bulk', at('x'), '--yes', '--concurrency', '4'], { fetch, now: Date.now })
  expect(code).toBe(6)
  expect(stderr).toContain('the service is back: the run continues; 4 rows unknown.')
  expect(mock.invites).toHaveLength(56)
})

test('a created invite whose response lacks its link exits with 6 and is not resent', async () => {
  const { mock, bulk } = createBulk()
  const fetch: typeof mock.fetch = async (url, init) => {
    const text = await (await mock.fetch(url, init)).text()
    return new Response(text.replace('"challengeUrl":', '"notTheLink":'), {
      headers: { 'content-type': 'application/json' },
    })
  }
  const { code, rows, stderr } = await bulk(candidates(1), ['--yes'], { fetch })
  expect([code, rows[0]?.status, rows[0]?.code]).toEqual([6, 'created', 'RESPONSE_UNEXPECTED'])
  expect(stderr).toContain('1 row was created, but not all of the response could be read')
  expect((await bulk(candidates(1), ['--yes'])).rows[0]?.status).toBe('already_invited')
  expect(mock.invites).toHaveLength(1)
})

test('the command that resolves an unknown row names its ledger', async () => {
  const { at, run } = createBulk()
  writeFileSync(at('x'), table('email,quiz_id', `cut-after@candidate.test,${QUIZ}`))
  const { stderr } = await run(['bulk', at('x'), '--yes', '--ledger', at('other ledger')])
  expect(stderr).toContain(`certify invites resolve <reference> --ledger '${at('other ledger')}'`)
})

test('--max-failures stops the run and says how to resume', async () => {
  const { bulk } = createBulk()
  const refused = Array.from({ length: 30 }, () => 'marta.lindqvist@candidate.test,quiz_react_beginner_components')
  const content = table('email,quiz_id', refused[0] ?? '', ...candidates(40).split('\n').slice(1, 41))
  const { code, summary, stderr } = await bulk(content, ['--yes', '--max-failures', '1', '--concurrency', '1'])
  expect([code, summary?.['stopped']]).toEqual([3, 'failures'])
  expect(summary?.['remaining']).toBeGreaterThan(30)
  expect(stderr).toContain('Run the same command again to resume')
})

test('a key that is missing, wrong or without the scope exits with 4, and nothing is created', async () => {
  const { mock, bulk } = createBulk()
  const none = mock.apiKeys.find(({ name }) => name === 'none')?.key
  let tried = 0
  const fetch: typeof mock.fetch = (url, init) => {
    if (!isProbe(init?.body as string)) tried += 1
    return mock.fetch(url, init)
  }
  for (const [key, code, creates] of [
    [undefined, 'CONFIG_INVALID', 0],
    ['ck_sandbox_wrong_000000000000', 'UNAUTHENTICATED', 0],
    [none, 'FORBIDDEN', 8],
  ] as const) {
    const ended = await bulk(candidates(50), ['--yes'], { fetch, env: { CERTIFY_API_KEY: key } })
    expect([ended.code, (JSON.parse(ended.stderr) as { error: { code: string } }).error.code]).toEqual([4, code])
    expect(tried).toBeLessThanOrEqual(creates)
  }
  expect(mock.invites).toEqual([])
})

test('an interruption during planning sends nothing', async () => {
  const { mock, bulk } = createBulk()
  for (const [signal, exitCode] of [
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const { code, stderr } = await bulk(candidates(3), ['--yes'], { interruption: AbortSignal.abort(signal) })
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining('nothing was sent')])
  }
  expect(mock.invites).toEqual([])
})

test('an interruption does not hide that a result could not be recorded', async () => {
  const { mock, ledger, bulk } = createBulk()
  const controller = new AbortController()
  const fetch: typeof mock.fetch = async (url, init) => {
    if (isProbe(init?.body as string)) return mock.fetch(url, init)
    controller.abort('SIGINT')
    const answer = await mock.fetch(url, init)
    rmSync(ledger, { force: true })
    return answer
  }
  const world = { fetch, interruption: controller.signal }
  const { code, stderr, rows } = await bulk(candidates(20), ['--yes', '--concurrency', '2'], world)
  expect([code, stderr]).toEqual([6, expect.stringMatching(/"code":"LEDGER_UNUSABLE".*Restore it/)])
  expect(rows.filter(({ status }) => status === 'created')).toHaveLength(mock.invites.length)
})

test('a created invite that could not be recorded is printed with its link and the command that records it', async () => {
  const { mock, at, ledger, run } = createBulk()
  const file = table('email,quiz_id,send_email', `ada@example.com,${QUIZ},no`)
  writeFileSync(at('x'), file)
  const fetch: typeof mock.fetch = async (url, init) => {
    const answer = await mock.fetch(url, init)
    if (!isProbe(init?.body as string)) rmSync(ledger, { force: true })
    return answer
  }
  const onTerminal = await run(['bulk', at('x'), '--yes'], { fetch, terminal: 200 })
  const [first] = mock.invites
  expect(onTerminal.code).toBe(6)
  const told = onTerminal.stderr.replaceAll(/\s+/g, ' ')
  expect(told).toContain('created, but not recorded')
  expect(told).toContain(first?.challengeUrl)
  expect(told).toContain(`row 2: when the ledger works again, run \`certify invites resolve `)
  expect(told).toContain(`--created ${first?.inviteId}\``)
  expect(told).not.toContain('in the ledger alone')
  rmSync(`${ledger}-highest-id`)
  const { code, stdout } = await run(['bulk', at('x'), '--yes', '--json'], { fetch })
  expect([code, stdout]).toEqual([6, expect.stringContaining(mock.invites[1]?.challengeUrl ?? 'a second invite')])
})

test('when stdout is closed, no new row starts, rows in flight are recorded, and the exit code is 1', async () => {
  const { mock, bulk } = createBulk()
  const { code, stderr } = await bulk(candidates(100), ['--yes'], { broken: { stdout: 'EPIPE' } })
  expect([code, stderr]).toEqual([1, expect.stringContaining('stdout no longer accepts rows (EPIPE)')])
  expect(mock.invites.length).toBeGreaterThan(0)
  expect(mock.invites.length).toBeLessThan(100)
  const again = await bulk(candidates(100), ['--yes'])
  expect([again.code, mock.invites.length]).toEqual([0, 100])
})

test('warns about requested e-mails that were not sent, and about links to deliver yourself', async () => {
  const { at, run } = createBulk()
  writeFileSync(
    at('x'),
    table('email,quiz_id,send_email', `bounce@candidate.test,${QUIZ},`, `a@example.com,${QUIZ},no`),
  )
  const { code, stderr } = await run(['bulk', at('x'), '--yes'])
  expect(code).toBe(0)
  expect(stderr).toContain('did not send 1 of them')
  expect(stderr).toContain('1 invite was created without an e-mail')
})

test('--timeout limits each attempt of a run', async () => {
  const { mock, bulk } = createBulk()
  const fetch: typeof mock.fetch = (url, init) => {
    if (isProbe(init?.body as string)) return mock.fetch(url, init)
    return new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
    })
  }
  const { code, rows } = await bulk(candidates(1), ['--yes', '--timeout', '1s'], { fetch })
  expect([code, rows[0]?.code]).toEqual([6, 'TIMED_OUT'])
})

test.each([
  [['--concurrency', '0']],
  [['--concurrency', '1000']],
  [['--rate', '0']],
  [['--rate', '-1']],
  [['--max-failures', '1.5']],
  [['--max-outage', '10']],
  [['--header-row', '0']],
  [['--hidden', 'maybe']],
  [['--quiz-id', 'a', '--package-id', 'b']],
  [['--report', 'report.txt']],
])('certify bulk refuses %j', async (flags) => {
  const { mock, bulk } = createBulk()
  const { code, stderr } = await bulk(candidates(1), ['--yes', ...flags])
  expect([code, stderr]).toEqual([2, expect.stringContaining('"code":"USAGE"')])
  expect(mock.invites).toEqual([])
})

test('--json lists every invalid row without its values', async () => {
  const { at, run } = createBulk()
  writeFileSync(at('x'), mixed)
  const { stderr } = await run(['bulk', at('x'), '--yes', '--json'])
  const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as { error: Record<string, unknown> }
  expect(error).toMatchObject({
    code: 'ROWS_INVALID',
    message: '3 rows are invalid. Nothing was sent.',
    exitCode: 2,
    counts: { planned: 2, duplicate: 2, invalid: 3 },
    rows: [{ row: 6 }, { row: 7 }, { row: 8, issues: [{ path: expect.any(String), rule: expect.any(String) }] }],
  })
  expect(stderr).not.toContain('not-an-address')
})
