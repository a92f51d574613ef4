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
      code: 'TIMED_OUT',
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
  expect([unread.code, unread.stderr]).toEqual([2, expect.stringContaining('which sends to resolve')])
  const mixed = await resolve(['-', 'a', '--not-created', '--yes'], { stdin })
  expect([mixed.code, mixed.stderr]).toEqual([2, expect.stringContaining('exclude each other')])
  const typed = await resolve(['-', '--not-created'], { terminal: 80, answers: [] })
  expect([typed.code, typed.stderr]).toEqual([2, expect.stringContaining('stdin is a terminal')])
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

test('a terminal shows whose sends they are, and asks what will count as not created', async () => {
  const { resolve, states, file } = await recorded(three)
  const from = file('found.csv', 'reference,created,invite_id\na,no,\nb,yes,inv_b\nc,no,\n')
  const no = await resolve(['--from', from], { terminal: 100, answers: ['n'] })
  expect(no.asked?.map(({ text }) => text)).toEqual([
    'Record that 2 sends created nothing, so these candidates can be invited again, and that 1 send created the given invites? [y/N] ',
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
])('a selection has the unknown sends of this service that fit all of its flags: %j', async (flags, references) => {
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

test('a send that is still on its way is never resolved, and the plan counts it', async () => {
  const { resolve, states } = await recorded({
    lost: { email: 'a@example.com', campaign: 'spring.csv' },
    sending: { email: 'b@example.com', campaign: 'spring.csv', state: 'sending' },
  })
  const named = await resolve(['lost', 'sending', '--not-created', '--yes'])
  expect([named.code, named.stdout]).toEqual([2, ''])
  expect(named.stderr).toContain('reference 2: that send is not unknown, but sending')
  expect(await states()).toEqual({ lost: 'unknown', sending: 'sending' })
  const selected = await resolve(['--campaign', 'spring.csv', '--not-created', '--yes'])
  expect([selected.code, selected.stderr]).toEqual([0, expect.stringMatching(/left out +1 still being sent/)])
  expect(await states()).toEqual({ lost: 'not-executed', sending: 'sending' })
})

test.each([
  [['a', 'b', '--created', 'inv_1'], '--created has the invites of one send, and 2 are given'],
  [['--campaign', 'x', 'a', '--not-created'], 'references and --campaign exclude each other'],
  [['--from', 'x.csv', '--code', 'X'], '--code and --from exclude each other'],
  [['--from', 'x.csv', '--not-created'], '--from and --not-created exclude each other'],
  [['a', 'b', '--not-created', '--encoding', 'utf-8'], '--encoding is for the file of --from'],
  [['a', 'b'], 'it takes either --created or --not-created'],
  [['--campaign', 'x'], 'it takes either --created or --not-created'],
  [['a', '--since', '1d', '--not-created'], 'references and --since exclude each other'],
  [['--since', '1d', '--until', '2d', '--not-created'], '--until is not after --since'],
  [['--since', 'yesterday', '--not-created'], '--since is no date or time span'],
  [['a', 'b', '--not-created', '--report', 'x.txt'], '--report has to be the name of a file'],
])('flags that contradict each other change nothing: %j', async (argv, message) => {
  const { resolve, states } = await recorded(three)
  const { code, stdout, stderr } = await resolve([...argv, '--yes'])
  expect([code, stdout, stderr.replaceAll('\n', ' ')]).toEqual([2, '', expect.stringContaining(message)])
  expect(await states()).toEqual(unchanged)
})

test('a selection of one send can be one that created an invite', async () => {
  const { resolve, states } = await recorded(three)
  const { code } = await resolve(['--code', 'TIMED_OUT', '--created', 'inv_a', '--yes'])
  expect([code, await states()]).toEqual([0, { ...unchanged, a: 'created' }])
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
  expect(readFileSync(report, 'utf8').split('\r\n')[2]).toMatch(/^2,failed,b,created,yes,.*is created"$/)
})

test('a dry run ends with 0 where the run would be refused, and says so', async () => {
  const { resolve, states } = await recorded(three)
  const { code, stdout, stderr } = await resolve(['a', 'nobody', '--not-created', '--dry-run'], { terminal: 100 })
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).toContain('The run will refuse: 1 cannot be resolved.')
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

test('the fields of several references can be chosen, and those of one too', async () => {
  const { resolve } = await recorded(three)
  const several = await resolve(['a', 'b', '--not-created', '--yes', '--fields', 'email,state'])
  expect(JSON.parse(several.stdout)).toEqual([
    { email: 'ada@example.com', state: 'not-executed' },
    { email: 'ben@example.com', state: 'not-executed' },
  ])
  const one = await resolve(['c', '--not-created', '--fields', 'email,state'])
  expect(JSON.parse(one.stdout)).toEqual({ email: 'cleo@example.com', state: 'not-executed' })
})

test('a refusal says which findings cannot be recorded, with --json as fields and with --quiet in its message', async () => {
  const { resolve, states } = await recorded(three)
  const argv = ['a', 'nobody', '--not-created', '--yes']
  const json = await resolve([...argv, '--json'])
  expect([json.code, json.stdout, JSON.parse(json.stderr)]).toEqual([
    2,
    '',
    {
      error: {
        code: 'ROWS_INVALID',
        message: '1 cannot be resolved. Nothing was changed.',
        hint: expect.any(String),
        counts: { notCreated: 1, created: 0, undecided: 0, duplicate: 0, invalid: 1 },
        rows: [{ row: 2, issues: [{ path: 'row', rule: 'the ledger has no such reference' }] }],
        exitCode: 2,
      },
    },
  ])
  const quiet = await resolve([...argv, '--quiet'])
  expect([quiet.code, quiet.stdout, quiet.stderr]).toEqual([2, '', expect.stringContaining('no such reference')])
  expect(await states()).toEqual(unchanged)
})
