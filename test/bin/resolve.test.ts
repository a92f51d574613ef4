import { userInfo } from 'node:os'
import { expect, test } from 'vitest'
import type { LedgerRecord } from '../../src/ledger/index.ts'
import { targetOf } from '../../src/ledger/rules/key.ts'
import { recorded, three, unchanged } from './resolve.ts'
import { claimed, settle } from '../src/ledger/contract/samples.ts'
import { NO_COLOR } from './run.ts'

test('several references are resolved together, with one row each', async () => {
  const { rows, states } = await recorded(three)
  const ended = await rows(['a', 'c', '--not-created'])
  expect([ended.code, ended.stderr]).toEqual([0, ''])
  expect(ended.rows).toEqual([
    {
      row: 1,
      status: 'resolved',
      reference: 'a',
      state: 'not-executed',
      inviteIds: [],
      email: 'ada@example.com',
      quizId: 'quiz',
      packageId: null,
      message: null,
    },
    expect.objectContaining({ row: 2, status: 'resolved', reference: 'c' }),
  ])
  expect(await states()).toEqual({ a: 'not-executed', b: 'unknown', c: 'not-executed' })
})

test('without a terminal several references need --yes, and the plan shows no addresses', async () => {
  const { resolve, states } = await recorded(three)
  const { code, stdout, stderr } = await resolve(['a', 'b', '--not-created'])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('Give --yes to record it')
  expect(stderr).toMatch(/not created +2: they can be invited again/)
  expect(stderr).not.toContain('@example.com')
  expect(await states()).toEqual(unchanged)
})

test('the question at a terminal counts what is to be recorded', async () => {
  const { resolve, states } = await recorded(three)
  const words = ['a', 'b', 'a', '--not-created']
  const no = await resolve(words, { terminal: 100, answers: ['n'] })
  expect(no.asked?.map(({ text }) => text)).toEqual(['Record 2 as not created (they can be invited again)? [y/N] '])
  expect([no.code, no.stdout, await states()]).toEqual([2, '', unchanged])
  const yes = await resolve(words, { terminal: 100, answers: ['y'] })
  expect([yes.code, yes.stdout]).toEqual([0, '  resolved  2\n'])
  expect(await states()).toEqual({ a: 'not-executed', b: 'not-executed', c: 'unknown' })
})

test.each([
  [['a', 'b', '--created', 'inv_1'], '--created with an id or a link is for one create, but 2 references are given'],
  [['a', 'b'], 'the reference of a create, and what became of it, are required'],
  [['a', '--not-created', '--created', 'inv_1'], 'the reference of a create, and what became of it, are required'],
  [['a', '--created', 'b'], 'b is a reference of this ledger, not the id of an invite'],
  [['--not-created'], 'the reference of a create, and what became of it, are required'],
  [['a', '--undo', '--not-created'], 'the reference of a create, and what became of it, are required'],
  [['a', '--created', ' '], 'the reference of a create, and what became of it, are required'],
  [['a', '--created', 'inv\u200e1'], 'has a control of the writing direction, U+200E at position 4'],
  [['one two', '--not-created'], 'that argument contains 2 references'],
  [['one\ntwo\n\nthree\n', '--not-created'], 'that argument contains 3 references'],
  [['', '--not-created'], 'that argument contains 0 references'],
])('missing or contradictory arguments change nothing: %j', async (argv, message) => {
  const { resolve, states } = await recorded(three)
  const { code, stdout, stderr } = await resolve([...argv, '--yes'])
  expect([code, stdout, stderr.replaceAll('\n', ' ')]).toEqual([2, '', expect.stringContaining(message)])
  expect(await states()).toEqual(unchanged)
})

test('several references, also from stdin, are resolved as created without an id; the note and the name are kept', async () => {
  const { resolve, states, withLedger } = await recorded({
    ...three,
    a: { email: 'ada@example.com', code: 'TIMED_OUT' },
  })
  const said = ['--created', '--note', 'the e-mail came', '--yes']
  expect((await resolve(['a', 'b', '--by', 'Grace', ...said])).code).toBe(0)
  expect((await resolve(['-', ...said], { stdin: 'c\nb\n' })).stdout).toMatch(
    /\tresolved\tc\tcreated\t[^]*\tduplicate\tb\t/,
  )
  expect(await states()).toEqual({ a: 'created', b: 'created', c: 'created' })
  const change = { what: 'resolved', finding: 'created', note: 'the e-mail came' }
  const last = (reference: string) => withLedger(async (ledger) => (await ledger.find(reference))?.history.at(-1))
  expect(await last('a')).toMatchObject({ ...change, by: 'Grace', code: 'TIMED_OUT' })
  expect(await last('c')).toMatchObject({ ...change, by: userInfo().username })
})

test('a finding can be withdrawn as long as nothing else has happened, and the history stays', async () => {
  const { resolve, certify, states } = await recorded(three)
  expect((await resolve(['a', '--undo', '--yes'])).code).toBe(2)
  await resolve(['a', '--not-created', '--by', 'Ada', '--yes'])
  const asked = await resolve(['a', '--undo'], { terminal: 100, answers: ['y'] })
  expect(asked.asked?.[0]?.text).toMatch(/^Withdraw what was recorded about ada@example.com and quiz, in the create of/)
  expect((await states())['a']).toBe('unknown')
  const { stdout } = await certify(['invites', 'view', 'a'], { terminal: 200, env: NO_COLOR })
  expect(stdout).toMatch(/ history +\S+ resolved: not-created, by Ada, TIMED_OUT\n +history +\S+ undone/)
})

test('a create that is settled while the plan is on screen keeps its state and is reported', async () => {
  const { resolve, states, withLedger } = await recorded(three)
  const answers = [
    async () => {
      await withLedger((ledger) => settle(ledger, 'b', { state: 'created', invites: [] }))
      return 'y'
    },
  ]
  const { code, stdout, stderr } = await resolve(['a', 'b', 'c', '--not-created'], { terminal: 100, answers })
  expect([code, stdout]).toEqual([
    3,
    '  resolved  2\n  failed    1\n  row 2: it was settled meanwhile, and is created\n',
  ])
  expect(stderr).toContain('not all were resolved: 1 failed.')
  expect(await states()).toEqual({ a: 'not-executed', b: 'created', c: 'not-executed' })
})

test('a create that is sent again while the plan is on screen is not the one that was decided about', async () => {
  const { resolve, states, withLedger } = await recorded(three)
  const answers = [
    async () => {
      await withLedger(async (ledger) => {
        const { input, ...scope } = (await ledger.find('b')) as LedgerRecord
        await ledger.resolve('b', { notCreated: true })
        const again = { scope, target: targetOf(input), input, reference: 'b', leaseMs: 60_000 }
        await ledger.settle(await claimed(ledger, again), { state: 'unknown', code: 'TIMED_OUT' })
      })
      return 'y'
    },
  ]
  const { code, stdout } = await resolve(['a', 'b', '--not-created'], { terminal: 100, answers })
  expect(code).toBe(3)
  expect(stdout).toMatch(/row 2: it was sent again meanwhile, at \S+ \S+ UTC\n/)
  expect(await states()).toMatchObject({ a: 'not-executed', b: 'unknown' })
})

test('a dry run changes nothing and exits with 0 even if the run would be refused', async () => {
  const { resolve, states } = await recorded(three)
  const { code, stdout } = await resolve(['a', 'nobody', '--not-created', '--dry-run'], { terminal: 100 })
  expect([code, stdout]).toEqual([0, '  planned  1\n  invalid  1\n'])
  expect(await states()).toEqual(unchanged)
})

test('--json names the rows that cannot be resolved', async () => {
  const { resolve, states } = await recorded(three)
  const { code, stdout, stderr } = await resolve(['a', 'nobody', '--not-created', '--yes', '--json'])
  expect([code, stdout, JSON.parse(stderr)]).toMatchObject([
    2,
    '',
    {
      error: {
        code: 'ROWS_INVALID',
        counts: { planned: 1, invalid: 1 },
        rows: [{ row: 2, issues: [{ path: 'row', rule: 'the ledger has no such reference' }] }],
        exitCode: 2,
      },
    },
  ])
  expect(await states()).toEqual(unchanged)
})

test.each([
  [['nobody', '--not-created'], 'the ledger has no such reference'],
  [['sent', '--not-created'], 'that create is not unknown, but refused'],
  [['sending', '--not-created'], 'that create is not unknown, but sending'],
])('one invalid reference prevents all recording: %j', async (words, message) => {
  const { resolve, states } = await recorded({
    ...three,
    sent: { email: 'sent@example.com', state: 'refused' },
    sending: { email: 'sending@example.com', state: 'sending' },
  })
  const before = await states()
  const refused = await resolve(['b', ...words, '--yes'])
  expect([refused.code, refused.stdout]).toEqual([2, ''])
  expect(refused.stderr).toContain(`row 2: ${message}\n`)
  expect(refused.stderr).not.toContain('@example.com')
  expect(await states()).toEqual(before)
})

test('several ids are for a package, and an id is for one candidate', async () => {
  const { resolve, rows, states } = await recorded(three)
  const several = await resolve(['a', '--created', 'inv_1', 'inv_2', '--yes'])
  expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('several are given')])
  expect((await rows(['a', '--created', 'inv_1'])).code).toBe(0)
  const taken = await rows(['c', '--created', 'inv_1'])
  expect([taken.code, taken.rows.map(({ status }) => status)]).toEqual([3, ['failed']])
  expect(await states()).toEqual({ a: 'created', b: 'unknown', c: 'unknown' })
})

test('a link is recorded as a link, and shown only when asked for', async () => {
  const { resolve, certify, withLedger } = await recorded(three)
  const link = 'https://certify.test/c/a-canary-that-is-secret'
  const asked = await resolve(['a', '--created', link], { terminal: 100, answers: ['y'] })
  expect(asked.asked?.[0]?.text).toContain('Record https://certify.test/…cret as the invite of ada@example.com')
  const again = await resolve(['a', '--created', link, '--json'])
  const both = await resolve(['b', '--created', 'inv_1', link, '--json', '--yes'])
  const several = await resolve(['c', '--created', link, `${link}2`, '--json'])
  const shown = await Promise.all(
    [
      ['view', 'a'],
      ['view', 'b', '--json'],
      ['list', '--json'],
      ['list', '--csv'],
    ].map((argv) => certify(['invites', ...argv])),
  )
  expect(again.stdout).toContain('duplicate')
  expect(several.code).toBe(2)
  expect(JSON.stringify([asked, again, both, several, shown])).not.toContain('canary')
  expect((await certify(['invites', 'view', 'a', '--show-links'])).stdout).toContain(link)
  await withLedger(async (ledger) => {
    expect(await ledger.find('a')).toMatchObject({ invites: [], challengeUrls: [link] })
    expect(await ledger.find('b')).toMatchObject({ invites: [{ inviteId: 'inv_1', challengeUrl: link }] })
  })
})

test('200 records are resolved in one transaction', async () => {
  const sends = Array.from({ length: 200 }, (_each, index) => [`r${index}`, { email: `${index}@example.com` }] as const)
  const { rows, commits } = await recorded(Object.fromEntries(sends))
  const before = commits()
  const ended = await rows(['-', '--created'], { stdin: sends.map(([reference]) => reference).join('\n') })
  expect([ended.code, ended.rows.length, commits() - before]).toEqual([0, 200, 1])
})
