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
  expect(rows.map(({ status }) => status)).toEqual(['invalid', 'planned'])
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

test('a broken row still stops the file where the line after it is not certainly a row', async () => {
  const { mock, bulk } = createBulk()
  const content = people(9, { 5: person(5, '"Ann "the first" B\nof,two lines"') })
  const { code, stderr } = await bulk(content, ['--yes', '--skip-invalid'])
  expect([code, stderr, mock.invites]).toEqual([2, expect.stringContaining('line 6'), []])
})
