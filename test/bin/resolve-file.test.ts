import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createBulk, QUIZ, table } from './bulk.ts'
import { recorded, type Send, type Told, three, unchanged } from './resolve.ts'

const HEADER = 'reference,email,quiz_id,created,invite_id'

test.each([
  ['nobody,,,no,', 'the ledger has no such reference'],
  ['sent,,,no,', 'that create is not unknown, but refused'],
  [',sent@example.com,,no,', 'the ledger has no unknown create for that address'],
  [',TWICE@example.com,,no,', 'that address has 2 unknown creates: it needs quiz_id or package_id'],
  ['a,ben@example.com,,no,', 'that reference is of another address'],
  ['a,,quiz 2,no,', 'that reference is of another quiz or package'],
  [',,,no,', 'has neither a reference nor an email'],
  ['a,,,perhaps,', 'created must be yes or no'],
  ['a,,,yes,', 'was created, and its invite_id is missing'],
  ['a,,,no,inv_1', 'says that nothing was created, and has an invite_id'],
  ['a,,,yes,inv_1 inv_2', 'that create was for a single invite, and it has several ids'],
  ['a,,,yes,inv\u200e1', 'invite_id has a control of the writing direction, U+200E at position 4'],
  ['a,,,no,,surplus', 'has more values than there are columns'],
  ['a,,,no,\na,,,yes,inv_1', 'row 4 says something else about the same create'],
  ['a,,,yes,inv_1\nc,,,yes,inv_1', 'row 4 has the same invite_id for another create'],
])('nothing is recorded if a row cannot be: %j', async (row, message) => {
  const { resolve, states, file } = await recorded({
    ...three,
    sent: { email: 'sent@example.com', state: 'refused' },
    twice1: { email: 'twice@example.com' },
    twice2: { email: 'twice@example.com', quizId: 'quiz 2' },
  })
  const before = await states()
  const from = file('found.csv', `${HEADER}\nb,,,no,\n${row}\n`)
  const refused = await resolve(['--from', from, '--yes'])
  expect([refused.code, refused.stdout]).toEqual([2, ''])
  expect(refused.stderr).toContain(`row 3: ${message}\n`)
  expect(refused.stderr).toMatch(/error: [12] cannot be resolved\. Nothing was changed\./)
  expect(refused.stderr).not.toContain('@example.com')
  expect(await states()).toEqual(before)

  const report = `${from}.ndjson`
  const skipped = await resolve(['--from', from, '--yes', '--skip-invalid', '--json', '--report', report])
  expect([skipped.code, JSON.parse(skipped.stderr)]).toEqual([
    3,
    { error: expect.objectContaining({ code: 'ROWS_FAILED', exitCode: 3 }) },
  ])
  const rows = JSON.parse(skipped.stdout) as Told[]
  expect(rows.slice(0, 2)).toMatchObject([
    { row: 2, status: 'resolved', state: 'not-executed' },
    { row: 3, status: 'invalid', message },
  ])
  expect(readFileSync(report, 'utf8').split('\n').slice(0, rows.length)).toEqual(
    rows.map((each) => JSON.stringify(each)),
  )
  expect(await states()).toEqual({ ...before, b: 'not-executed' })
})

test('a file names creates by reference or address, and says what became of each', async () => {
  const sends = {
    ...three,
    two1: { email: 'two@example.com', quizId: 'quiz 1' },
    two2: { email: 'two@example.com', packageId: 'pkg' },
    elsewhere: { email: 'ada@example.com', baseUrl: 'https://other.example' },
  } satisfies Record<string, Send>
  const expected = {
    a: 'not-executed',
    b: 'created',
    c: 'unknown',
    two1: 'not-executed',
    two2: 'created',
    elsewhere: 'unknown',
  }
  const csv = [
    'E-Mail-Adresse;Client reference;Quiz;Paket;Created?;Invite IDs;Notiz',
    'ADA@example.com;;;;nein;;rief an',
    ';b;;;;inv_b;',
    'two@example.com;;quiz 1;;no;;',
    'two@example.com;two2;;pkg;Ja;inv_1, inv_2;',
    ';a;;;no;;again',
  ].join('\r\n')
  const ndjson = [
    { email: 'ada@example.com', created: false },
    { reference: 'b', created: true, inviteIds: ['inv_b'], note: null },
    { candidate: { email: 'two@example.com' }, quizId: 'quiz 1', created: 'no' },
    { email: 'two@example.com', packageId: 'pkg', inviteId: 'inv_1 inv_2' },
    { reference: 'a', created: false, inviteId: null },
  ].map((each) => JSON.stringify(each))
  for (const [name, content] of [
    ['found.csv', csv],
    ['found.txt', Buffer.from(`\uFEFF${csv}`, 'utf16le')],
    ['found.ndjson', ndjson.join('\n')],
    ['found.json', `[${ndjson.join(',')}]`],
  ] as const) {
    const { resolve, states, file, withLedger } = await recorded(sends)
    const { code, stdout, stderr } = await resolve(['--from', file(name, content), '--yes', '--json'])
    expect([name, code, stderr]).toEqual([name, 0, ''])
    expect((JSON.parse(stdout) as Told[]).map(({ status, message }) => [status, message])).toEqual([
      ['resolved', null],
      ['resolved', null],
      ['resolved', null],
      ['resolved', null],
      ['duplicate', expect.stringMatching(/^repeats row \d$/)],
    ])
    expect(await states()).toEqual(expected)
    const ids = await withLedger(async (ledger) => (await ledger.find('two2'))?.invites.map(({ inviteId }) => inviteId))
    expect(ids).toEqual(['inv_1', 'inv_2'])
  }
})

test.each([
  ['reference,note\na,no\n', 'no column says what became of it'],
  ['created,note\nno,x\n', 'no column says which create it is'],
  ['email,quiz_di,created\nada@example.com,quiz,no\n', 'the header has "quiz_di" (did you mean quiz_id?)'],
  ['reference,email,mail,created\na,x,y,no\n', 'several columns mean email'],
  ['[{"reference":"a","creatd":true}]', 'row 1 has "creatd" (did you mean created?)'],
  [Buffer.from('reference,created\na,n\xe4in\n', 'latin1'), 'UTF-8'],
  ['', 'the file is empty'],
])('a file that may be misread is refused: %j', async (content, message) => {
  const { resolve, states, file } = await recorded(three)
  const ended = await resolve(['--from', file('found', content), '--yes', '--skip-invalid'])
  expect([ended.code, ended.stdout, ended.stderr.replaceAll('\n', ' ')]).toEqual([
    2,
    '',
    expect.stringContaining(message),
  ])
  expect(await states()).toEqual(unchanged)
})

test.each([
  ['a,,yes,', 'was created, and its invite_id is missing'],
  ['a,ben@example.com,no,', 'that reference is of another address'],
  [',ADA@example.com,perhaps,', 'created must be yes or no'],
])('a create is not resolved if another row about it is invalid: %s', async (line, message) => {
  const { rows, states, file } = await recorded(three)
  const content = ['reference,email,created,invite_id', 'a,,no,', line, 'b,,no,'].join('\n')
  const ended = await rows(['--from', file('found.csv', content), '--skip-invalid'])
  expect(ended.rows.map((row) => [row.status, row.message])).toEqual([
    ['invalid', 'row 3 says something else about the same create'],
    ['invalid', message],
    ['resolved', null],
  ])
  expect(ended.code).toBe(3)
  expect(await states()).toEqual({ ...unchanged, b: 'not-executed' })
})

test('a file that is given again changes nothing and does not fail: what it says is recorded already', async () => {
  const { resolve, states, file } = await recorded(three)
  const from = file('found.csv', `${HEADER}\na,,,no,\nb,,,yes,inv_b\n`)
  const first = await resolve(['--from', from, '--yes', '--json'])
  const after = await states()
  expect([first.code, after]).toEqual([0, expect.objectContaining({ a: 'not-executed', b: 'created' })])
  const again = await resolve(['--from', from, '--yes', '--json'])
  expect(again.code).toBe(0)
  const recordedAlready = { status: 'duplicate', message: 'is recorded already' }
  expect(JSON.parse(again.stdout)).toMatchObject([recordedAlready, recordedAlready])
  const other = file('other.csv', `${HEADER}\na,,,no,\nb,,,yes,inv_other\n`)
  expect((await resolve(['--from', other, '--yes', '--json'])).code).toBe(2)
  expect(await states()).toEqual(after)
})

test('rows by address may be given again too, and an invite that is found later corrects what was said', async () => {
  const { resolve, states, file } = await recorded(three)
  const from = file('found.csv', `${HEADER}\n,ada@example.com,,no,\n,ben@example.com,,yes,inv_b\n`)
  expect((await resolve(['--from', from, '--yes', '--json'])).code).toBe(0)
  const again = await resolve(['--from', from, '--yes', '--json'])
  expect([again.code, (JSON.parse(again.stdout) as Told[]).map(({ status }) => status)]).toEqual([
    0,
    ['duplicate', 'duplicate'],
  ])
  const [reference = ''] = Object.entries(await states()).find(([, state]) => state === 'not-executed') ?? []
  const planned = await resolve([reference, '--created', 'inv_late', '--dry-run', '--json'])
  expect([planned.code, JSON.parse(planned.stdout)]).toMatchObject([0, [{ status: 'planned' }]])
  expect((await resolve([reference, '--created', 'inv_late', '--yes'])).code).toBe(0)
  expect(await states()).toMatchObject({ [reference]: 'created' })
})

test('a number is no identifier: it may have lost digits', async () => {
  const { rows, states, file } = await recorded(three)
  const from = file('found.ndjson', '{"reference":"a","created":true,"inviteId":12345678901234567890}\n')
  const ended = await rows(['--from', from, '--skip-invalid'])
  expect(ended.rows).toMatchObject([{ status: 'invalid', message: 'invite_id must be a text in quotes, not a number' }])
  expect(await states()).toEqual(unchanged)
})

test('a report never has a verdict that is not recorded: read back, a dry run decides nothing', async () => {
  const { resolve, rows, states, at } = await recorded(three)
  const verdict = ['a', 'b', 'nobody', '--not-created']
  expect((await resolve([...verdict, '--dry-run', '--report', at('dry.csv')])).code).toBe(0)
  expect((await resolve([...verdict, '--report', at('refused.csv')])).code).toBe(2)
  writeFileSync(at('dry.json'), (await resolve([...verdict, '--dry-run', '--json'])).stdout)
  for (const name of ['dry.csv', 'refused.csv', 'dry.json']) {
    const read = await rows(['--from', at(name), '--skip-invalid'])
    expect([name, read.rows.map(({ status }) => status)]).toEqual([name, ['undecided', 'undecided', 'invalid']])
  }
  expect(await states()).toEqual(unchanged)
})

test('a row without a verdict decides nothing, and is no mistake: a worksheet may be filled in bit by bit', async () => {
  const { rows, states, file } = await recorded(three)
  const { code, rows: told } = await rows(['--from', file('found.csv', `${HEADER}\na,,,,\nb,,,no,\nb,,,,\n`)])
  expect([code, told.map(({ status }) => status)]).toEqual([0, ['undecided', 'resolved', 'undecided']])
  expect(await states()).toEqual({ ...unchanged, b: 'not-executed' })
})

test('without a verdict a report is a worksheet: nothing is recorded until somebody fills it in', async () => {
  const { resolve, states, at, file } = await recorded(three)
  const report = at('found.csv')
  const { code, stdout, stderr } = await resolve(['--since', '1d', '--report', report])
  expect([code, stdout.split('\n').map((line) => line.split('\t').slice(0, 4))]).toEqual([
    0,
    [['1', 'undecided', 'c', 'unknown'], ['2', 'undecided', 'b', 'unknown'], ['3', 'undecided', 'a', 'unknown'], ['']],
  ])
  expect(stderr).toContain('undecided    3: they stay unknown')
  expect(await states()).toEqual(unchanged)
  const filled = readFileSync(report, 'utf8')
    .replace('b,unknown,,,', 'b,unknown,yes,inv_b,')
    .replace('c,unknown,,,', 'c,unknown,no,,')
  const done = await resolve(['--from', file('filled.csv', filled), '--yes'])
  expect([done.code, await states()]).toEqual([0, { a: 'unknown', b: 'created', c: 'not-executed' }])
})

test('a report keeps an earlier one of its name beside it', async () => {
  const { resolve, at } = await recorded(three)
  const argv = ['--since', '1d', '--not-created', '--dry-run', '--report', at('found.csv')]
  await resolve(argv)
  const first = readFileSync(at('found.csv'), 'utf8')
  const { stderr } = await resolve(argv)
  expect(stderr).toMatch(/earlier report +.*found\.1\.csv/)
  expect(readFileSync(at('found.1.csv'), 'utf8')).toBe(first)
})

test('a report overwrites neither the file of findings nor the ledger', async () => {
  const { resolve, states, file, path } = await recorded(three)
  const from = file('found.csv', 'reference,created\na,no\n')
  for (const report of [from, path]) {
    const { code, stderr } = await resolve(['--from', from, '--yes', '--report', report])
    expect([code, stderr]).toEqual([2, expect.stringContaining('is the same file as')])
  }
  expect([readFileSync(from, 'utf8'), await states()]).toEqual(['reference,created\na,no\n', unchanged])
})

test('200 sends take one transaction', { timeout: 30_000 }, async () => {
  const sends = Array.from({ length: 200 }, (_each, index) => [`r${index}`, { email: `${index}@example.com` }] as const)
  const { rows, file, commits, states } = await recorded(Object.fromEntries(sends))
  const lines = sends.map(([reference, { email }], index) =>
    index % 2 === 0 ? `${reference},,no,` : `,${email},yes,inv_${index}`,
  )
  const from = file('found.csv', ['reference,email,created,invite_id', ...lines].join('\n'))
  const before = commits()
  const ended = await rows(['--from', from])
  expect([ended.code, ended.rows.length, commits() - before]).toEqual([0, 200, 1])
  expect(Object.values(await states()).filter((state) => state === 'created')).toHaveLength(100)
})

test('the unknown rows of a report of bulk are such a file, with a column that says what became of them', async () => {
  const { at, bulk, run, read, mock } = createBulk()
  const content = table(
    'email,quiz_id',
    `ada@example.com,${QUIZ}`,
    `cut-after@candidate.test,${QUIZ}`,
    `cut-before@candidate.test,${QUIZ}`,
  )
  expect((await bulk(content, ['--yes', '--concurrency', '4', '--report', at('report.csv')])).code).toBe(6)
  const [header = '', ...lines] = read('report.csv').trimEnd().split('\r\n')
  const unknown = lines.filter((line) => line.split(',')[1] === 'unknown')
  const answers = unknown.map((line) => `${line},${line.includes('cut-before') ? 'no' : 'yes'}`)
  const invite = mock.invites.find(({ candidate }) => candidate.email === 'cut-after@candidate.test')
  const found = [`${header},created`, ...answers]
    .join('\n')
    .replace(/(cut-after@candidate.test,,[^,]*,,,)/, `$1${invite?.inviteId}`)
  writeFileSync(at('found.csv'), found)
  const { code, stderr } = await run(['invites', 'resolve', '--from', at('found.csv'), '--yes', '--json'])
  expect([code, stderr]).toEqual([0, ''])
  const count = mock.invites.length
  const again = await bulk(content, ['--yes'])
  expect(again.counts).toMatchObject({ already_invited: 2, unknown: 1 })
  expect(mock.invites).toHaveLength(count)
})
