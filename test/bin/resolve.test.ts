import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadDriver } from '../../src/ledger/sqlite-driver.ts'
import { recorded, three, unchanged } from './resolve.ts'
import { createRunner } from './run.ts'

test('several references are resolved together, and each has a row that says what it is now', async () => {
  const { rows, states } = await recorded(three)
  const ended = await rows(['a', 'c', '--not-created'])
  expect([ended.code, ended.stderr]).toEqual([0, ''])
  expect(ended.rows).toEqual([
    {
      row: 1,
      status: 'resolved',
      reference: 'a',
      state: 'not-executed',
      created: false,
      inviteIds: [],
      email: 'ada@example.com',
      quizId: 'quiz',
      packageId: null,
      sentAt: '2030-01-01T00:00:00.000Z',
      campaign: null,
      code: null,
      message: null,
    },
    expect.objectContaining({ row: 2, status: 'resolved', reference: 'c', code: null }),
  ])
  expect(await states()).toEqual({ a: 'not-executed', b: 'unknown', c: 'not-executed' })
})

test('references come from stdin with -, and only then', async () => {
  const { certify, resolve, states } = await recorded(three)
  const { stdout: stdin } = await certify(['invites', 'list', '--state', 'unknown', '--quiet'])
  const unread = await resolve(['--not-created', '--yes'], { stdin })
  expect([unread.code, unread.stderr]).toEqual([2, expect.stringContaining('which creates to resolve')])
  const typed = await resolve(['-', '--not-created'], { terminal: 80, answers: [] })
  expect([typed.code, typed.stderr]).toEqual([2, expect.stringContaining('- alone takes references from a pipe')])
  expect(await states()).toEqual(unchanged)
  const { code, stdout } = await resolve(['-', '--not-created', '--yes', '--quiet'], { stdin })
  expect([code, stdout.split('\n').toSorted()]).toEqual([0, ['', 'a', 'b', 'c']])
  expect(new Set(Object.values(await states()))).toEqual(new Set(['not-executed']))
  const none = await resolve(['-', '--not-created', '--yes', '--json'], { stdin: '\n' })
  expect([none.code, none.stdout]).toEqual([0, '[]\n'])
})

test('without a terminal several need --yes; the plan comes first, without addresses', async () => {
  const { resolve, states } = await recorded(three)
  const { code, stdout, stderr } = await resolve(['a', 'b', '--not-created'])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('Give --yes to record it')
  expect(stderr).toMatch(/not created +2: they can be invited again/)
  expect(stderr).not.toContain('@example.com')
  expect(await states()).toEqual(unchanged)
})

test('a terminal shows whose creates they are, and asks what will count as not created', async () => {
  const { resolve, states, file } = await recorded(three)
  const from = file('found.csv', 'reference,created,invite_id\na,no,\nb,yes,inv_b\nc,no,\n')
  const no = await resolve(['--from', from], { terminal: 100, answers: ['n'] })
  expect(no.asked?.map(({ text }) => text)).toEqual([
    'Record 2 as not created (they can be invited again), and 1 as created with the given ids? [y/N] ',
  ])
  expect([no.code, no.stdout]).toEqual([2, ''])
  expect(no.stderr).toMatch(/RECORD +E-MAIL/)
  expect(no.stderr).toMatch(/not created +ada@example.com/)
  expect(no.stderr).toMatch(/inv_b +ben@example.com/)
  expect(await states()).toEqual(unchanged)
  const yes = await resolve(['--from', from], { terminal: 100, answers: ['y'] })
  expect([yes.code, yes.stdout]).toEqual([0, '  resolved  3\n'])
  expect(await states()).toEqual({ a: 'not-executed', b: 'created', c: 'not-executed' })
})

test.each([
  [
    ['--campaign', 'spring.csv'],
    ['s1', 's2', 's3'],
  ],
  [['--campaign', 'spring.csv', '--code', 'timed_out'], ['s1']],
  [
    ['--since', '5h'],
    ['other', 's1', 's2'],
  ],
  [['--since', '5h', '--until', '2h'], ['s2']],
  [['--until', '2029-12-31T20:00:00Z'], ['s3']],
  [['--code', 'CONNECTION_LOST'], ['s2']],
  [
    ['--campaign', 'spring.csv', '--all'],
    ['elsewhere', 's1', 's2', 's3'],
  ],
  [['--campaign', 'summer.csv'], []],
])('a selection has the unknown creates of this service that fit all of its flags: %j', async (flags, references) => {
  const campaign = 'spring.csv'
  const { rows, states } = await recorded({
    s1: { email: '1@example.com', campaign, code: 'TIMED_OUT', age: 1 },
    s2: { email: '2@example.com', campaign, code: 'CONNECTION_LOST', age: 3 },
    s3: { email: '3@example.com', campaign, age: 10 },
    other: { email: '4@example.com', age: 1 },
    refused: { email: '5@example.com', campaign, state: 'refused', age: 3 },
    sending: { email: '6@example.com', campaign, state: 'sending', age: 3 },
    elsewhere: { email: '7@example.com', campaign, baseUrl: 'https://other.example', age: 100 },
  })
  const before = await states()
  const ended = await rows([...flags, '--not-created'])
  expect([ended.code, new Set(ended.rows.map(({ reference }) => reference))]).toEqual([0, new Set(references)])
  const after = Object.fromEntries(references.map((reference) => [reference, 'not-executed']))
  expect(await states()).toEqual({ ...before, ...after })
})

test('a create that is in progress is never resolved', async () => {
  const { resolve, states } = await recorded({
    lost: { email: 'a@example.com', campaign: 'spring.csv' },
    sending: { email: 'b@example.com', campaign: 'spring.csv', state: 'sending' },
  })
  const named = await resolve(['lost', 'sending', '--not-created', '--yes'])
  expect([named.code, named.stdout]).toEqual([2, ''])
  expect(named.stderr).toContain('reference 2: that create is not unknown, but sending')
  expect((await resolve(['--campaign', 'spring.csv', '--not-created', '--yes'])).code).toBe(0)
  expect(await states()).toEqual({ lost: 'not-executed', sending: 'sending' })
})

test.each([
  [['a', 'b', '--created', 'inv_1'], '--created has the invites of one create, and 2 are given'],
  [['--campaign', 'x', 'a', '--not-created'], 'references, --from, and a selection such as --campaign exclude each'],
  [['--from', 'x.csv', '--code', 'X'], 'references, --from, and a selection such as --campaign exclude each other'],
  [['--from', 'x.csv', '--not-created'], 'with --from the file says what became of each'],
  [['a', 'b'], 'it takes either --created or --not-created'],
  [['a', '--created', ' '], '--created must not be blank'],
  [['--since', 'yesterday', '--not-created'], "option '--since <when>' is invalid"],
  [['a', 'b', '--not-created', '--report', 'x.txt'], '--report has to be the name of a file'],
])('flags that contradict each other change nothing: %j', async (argv, message) => {
  const { resolve, states } = await recorded(three)
  const { code, stdout, stderr } = await resolve([...argv, '--yes'])
  expect([code, stdout, stderr.replaceAll('\n', ' ')]).toEqual([2, '', expect.stringContaining(message)])
  expect(await states()).toEqual(unchanged)
})

test('what is settled while a person reads the plan stays as it is, and is reported', async () => {
  const { resolve, states, withLedger, at } = await recorded(three)
  const answers = [
    async () => {
      await withLedger((ledger) => ledger.settle('b', { state: 'created', invites: [] }))
      return 'y'
    },
  ]
  const report = at('report.csv')
  const argv = ['a', 'b', 'c', '--not-created', '--report', report]
  const { code, stdout, stderr } = await resolve(argv, { terminal: 100, answers })
  expect([code, stdout]).toEqual([
    3,
    '  resolved  2\n  failed    1\n  reference 2: it was settled meanwhile, and is created\n',
  ])
  expect(stderr).toContain('not all were resolved: 1 failed.')
  expect(await states()).toEqual({ a: 'not-executed', b: 'created', c: 'not-executed' })
  expect(readFileSync(report, 'utf8').split('\r\n')[2]).toMatch(/^2,failed,b,created,yes,.*and is created"$/)
})

test('a dry run ends with 0 where the run would be refused, and says so', async () => {
  const { resolve, states } = await recorded(three)
  const { code, stdout, stderr } = await resolve(['a', 'nobody', '--not-created', '--dry-run'], { terminal: 100 })
  expect([code, stdout]).toEqual([0, '  planned  1\n  invalid  1\n'])
  expect(stderr).toContain('Nothing was changed. The run will refuse: 1 cannot be resolved;')
  expect(await states()).toEqual(unchanged)
})

test('one reference can be planned, and reported, like several', async () => {
  const { rows, states, at } = await recorded(three)
  expect((await rows(['a', '--not-created', '--dry-run'])).rows).toMatchObject([
    { status: 'planned', state: 'unknown' },
  ])
  expect(await states()).toEqual(unchanged)
  expect((await rows(['a', '--not-created', '--report', at('r.json')])).rows).toMatchObject([{ status: 'resolved' }])
  expect(JSON.parse(readFileSync(at('r.json'), 'utf8'))).toMatchObject({
    rows: [{ reference: 'a' }],
    summary: { dryRun: false, counts: { resolved: 1 } },
  })
})

test('a ledger that cannot be written ends with 2, and a missing one with 5', async () => {
  const { resolve, states, path } = await recorded(three)
  const database = loadDriver().open(path)
  try {
    database.exec("CREATE TRIGGER full BEFORE UPDATE ON certify_sends BEGIN SELECT RAISE(ABORT, 'no'); END")
    const { code, stderr } = await resolve(['a', 'b', '--not-created', '--yes', '--json'])
    expect([code, JSON.parse(stderr)]).toMatchObject([2, { error: { code: 'LEDGER_UNUSABLE' } }])
  } finally {
    database.exec('DROP TRIGGER full')
    database.close()
  }
  expect(await states()).toEqual(unchanged)
  const missing = await createRunner().certify(['invites', 'resolve', 'a', 'b', '--not-created', '--yes'])
  expect([missing.code, missing.stderr]).toEqual([5, expect.stringContaining('there is no ledger yet')])
})

test('with --json a refusal says which creates cannot be resolved', async () => {
  const { resolve, states } = await recorded(three)
  const { code, stdout, stderr } = await resolve(['a', 'nobody', '--not-created', '--yes', '--json'])
  expect([code, stdout, JSON.parse(stderr)]).toEqual([
    2,
    '',
    {
      error: {
        code: 'ROWS_INVALID',
        message: '1 cannot be resolved. Nothing was changed.',
        hint: expect.any(String),
        counts: { planned: 1, invalid: 1 },
        rows: [{ row: 2, issues: [{ path: 'row', rule: 'the ledger has no such reference' }] }],
        exitCode: 2,
      },
    },
  ])
  expect(await states()).toEqual(unchanged)
})
