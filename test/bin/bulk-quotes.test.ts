import { expect, test } from 'vitest'
import { createBulk, QUIZ, table } from './bulk.ts'

const person = (number: number, name = `Name ${number}`, city = 'Bern') =>
  `p${number}@example.com,${name},${QUIZ},${city}`
const people = (count: number, changed: Readonly<Record<number, string>> = {}) =>
  table(
    'email,name,quiz_id,city',
    ...Array.from({ length: count }, (_each, index) => changed[index + 1] ?? person(index + 1)),
  )
const reasons = (rows: readonly { row: number; message?: string }[]) =>
  rows.flatMap(({ row, message }) => (message === undefined ? [] : [`${row}: ${message}`]))

test.each([
  [
    'two stray quotes 600 rows apart',
    people(800, { 100: person(100, '"Ann'), 700: person(700, 'Bob', 'Oslo"') }),
    'the value in quotes from line 101 to line 701 contains what looks like rows',
  ],
  [
    'rows without an address',
    'email,note,name,quiz_id\na@example.com,"x\n,y,z,q\n",Ann,q\n',
    'the value in quotes from line 2 to line 4 contains what looks like rows',
  ],
  [
    'a value that begins behind others of several lines',
    'email,a,b,quiz_id\na@example.com,"1\n2","x\nb@example.com",q\n',
    'the value in quotes from line 3 to line 4',
  ],
  [
    'a long value of several lines',
    `email,note,quiz_id\na@example.com,"x\n${'y'.repeat(1000)}",q\n`,
    'the value in quotes from line 2 to line 3 is longer than 1,000 characters',
  ],
  ['a header that takes in rows', `"email,name\na@example.com,Ann",quiz_id\n`, 'from line 1 to line 2'],
])('%s: a quoted value that takes in rows stops the file with both lines', async (_what, content, message) => {
  for (const flags of [['--yes'], ['--yes', '--skip-invalid'], ['--dry-run']]) {
    const { mock, bulk } = createBulk()
    const { code, stderr } = await bulk(content, flags)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(stderr).not.toContain('example.com')
    expect(mock.invites).toEqual([])
  }
})

test('values of several lines are read, and the plan says how many there are', async () => {
  const { mock, bulk, run, at } = createBulk()
  const content = table(
    'email,note,quiz_id,more',
    `a@example.com,"one\ntwo, three",${QUIZ},`,
    `b@example.com,"one\n\ntwo",${QUIZ},"x\ny"`,
    `c@example.com,one,${QUIZ},`,
  )
  expect((await bulk(content, ['--yes'])).code).toBe(0)
  expect(mock.invites.length).toBe(3)
  expect((await run(['bulk', at('input'), '--dry-run'])).stderr).toContain('3 values span lines')
})

test.each([
  ['a tab', 'Ann\tByron', 'name has a control character, U+0009 at position 4'],
  ['a control character', 'An\u0007n', 'name has a control character, U+0007 at position 3'],
  ['a bidi control', 'Ann\u202ecod.exe', 'name has a control of the writing direction, U+202E at position 4'],
  ['a character without a width', 'Ann\u200b', 'name has an invisible character, U+200B at position 4'],
  ['a replacement character', 'Zo\ufffd', 'name has U+FFFD at position 3, where a character was lost'],
  ['201 characters', 'x'.repeat(201), 'name is longer than 200 characters'],
  ['10,000 characters', 'x'.repeat(10_000), 'name is longer than 8192 characters'],
])('a name with %s is an invalid row, with the reason and without the value', async (_what, name, message) => {
  const { rows } = await createBulk().plan(
    table('email,name,quiz_id', `a@example.com,${name},${QUIZ}`, `b@example.com,Bob,${QUIZ}`),
  )
  expect(rows.map(({ status }) => status)).toEqual(['rejected', 'planned'])
  expect(rows[0]?.message).toBe(message)
})

test('a line break in a name is a space, and in a reference it makes the row invalid', async () => {
  const { mock, bulk } = createBulk()
  const content = table(
    'email,name,quiz_id,reference',
    `a@example.com,"Ann \n Byron",${QUIZ},`,
    `b@example.com,B,${QUIZ},"a\nb"`,
  )
  const { rows } = await bulk(content, ['--yes', '--skip-invalid'])
  expect(mock.invites.map(({ candidate }) => candidate.name)).toEqual(['Ann Byron'])
  expect(reasons(rows)).toEqual(['4: external_reference has a control character, U+000A at position 2'])
})

test('references follow the same rules, also from a flag, and 200 characters of any plane are valid', async () => {
  const long = '😀'.repeat(200)
  const object = (fields: object) => `${JSON.stringify({ email: 'a@example.com', quiz_id: QUIZ, ...fields })}\n`
  const { rows } = await createBulk().plan(
    [
      object({ external_reference: 'a\u2066b' }),
      object({ external_reference: 'x\ud800' }),
      object({ name: long, external_reference: long }),
      object({ name: 'x\udc00y' }),
    ].join(''),
  )
  expect(reasons(rows)).toEqual([
    '1: external_reference has a control of the writing direction, U+2066 at position 2',
    expect.stringMatching(/^2: external_reference has (half of a character|U\+FFFD)/),
    expect.stringMatching(/^4: name has (half of a character|U\+FFFD)/),
  ])
  const flag = await createBulk().plan(object({}), ['--external-reference', 'a\u202eb'])
  expect(reasons(flag.rows)).toEqual([
    '1: external_reference has a control of the writing direction, U+202E at position 2',
  ])
})

test.each([
  ['a quote that is never closed', person(5, '"Ann'), 'opens a quote that is not closed'],
  ['a quote in the middle of a value', person(5, '5" Ann'), 'has a quote in the middle of a value'],
  ['text behind a closing quote', person(5, '"Ann "the first" B"'), 'has a quote in the middle of a value'],
])('with --skip-invalid one row with %s does not hold up the others', async (_what, broken, message) => {
  const { mock, bulk, at, read } = createBulk()
  const content = people(300, { 5: broken, 9: person(9, '"Nine, ""9"""') })
  const { code, rows } = await bulk(content, ['--yes', '--skip-invalid', '--failed-out', at('fix.csv')])
  expect([code, mock.invites.length]).toEqual([3, 299])
  expect(reasons(rows)).toEqual([`6: row ${message}`])
  expect(mock.invites.map(({ candidate }) => candidate.email)).not.toContain('p5@example.com')
  expect(read('fix.csv')).toContain(`row 6: row ${message}`)
  /* As it is, the row is not valid there either. */
  const again = await bulk(read('fix.csv'), ['--yes', '--skip-invalid'])
  expect([again.counts['rejected'], mock.invites.length]).toEqual([1, 299])
})

test('without --skip-invalid a broken row stops the file, with the line of the quote and that of its row', async () => {
  const { code, stderr } = await createBulk().bulk(people(20, { 5: person(5, '"Ann'), 9: person(9, '"Nine"') }), [
    '--yes',
  ])
  expect([code, stderr]).toEqual([2, expect.stringContaining('line 10 has a quote in the middle of a value')])
  expect(stderr).toContain('the row that starts on line 6')
})

test('a broken row still stops the file where the line after it is not certainly a row', async () => {
  const { mock, bulk } = createBulk()
  const content = people(9, { 5: person(5, '"Ann "the first" B\nof,two lines"') })
  const { code, stderr } = await bulk(content, ['--yes', '--skip-invalid'])
  expect([code, stderr, mock.invites]).toEqual([2, expect.stringContaining('line 6'), []])
})

test('several broken rows are each left out, wherever the text is cut', async () => {
  const { plan } = createBulk()
  const content = people(3000, {
    1: person(1, 'a"b'),
    2: person(2, '"c'),
    1500: person(1500, '"x" y'),
    3000: person(3000, '"z'),
  })
  const { rows, counts } = await plan(content, ['--skip-invalid'])
  expect(counts['planned']).toBe(2996)
  expect(rows.filter(({ status }) => status === 'rejected').map(({ row }) => row)).toEqual([2, 3, 1501, 3001])
})
