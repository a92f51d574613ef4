import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createBulk, PACKAGE, QUIZ, type Told, table } from './bulk.ts'

const expected = [
  { row: 2, email: 'ada@example.com', quizId: QUIZ, externalReference: 'a-1' },
  { row: 3, email: 'grace@example.com', packageId: PACKAGE },
]
const shown = (rows: readonly Told[]) =>
  rows.map(({ row, email, quizId, packageId, externalReference }) => ({
    row,
    email,
    ...(quizId && { quizId }),
    ...(packageId && { packageId }),
    ...(externalReference && { externalReference }),
  }))

const comma = `email,name,quiz_id,package_id,external_reference\nada@example.com,Ada,${QUIZ},,a-1\ngrace@example.com,Grace,,${PACKAGE},\n`
const semicolon = comma.replaceAll(',', ';')
const objects = [
  { email: 'ada@example.com', name: 'Ada', quiz_id: QUIZ, external_reference: 'a-1' },
  { candidate: { email: 'grace@example.com', name: 'Grace' }, packageId: PACKAGE },
]

const utf16be = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()

test.each([
  ['a table with commas', comma],
  ['a table with semicolons', semicolon],
  ['a table with tabs', comma.replaceAll(',', '\t')],
  ['a table with a byte order mark', `\uFEFF${comma}`],
  [
    'a table in UTF-16, low byte first, as the Unicode text of Excel',
    Buffer.from(`\uFEFF${comma.replaceAll(',', '\t')}`, 'utf16le'),
  ],
  ['a table in UTF-16, high byte first', utf16be(comma)],
  ['a table with the line ends of Windows', comma.replaceAll('\n', '\r\n')],
  ['a table with the line ends of old Macs', comma.replaceAll('\n', '\r')],
  ['a table without a line end behind its last row', comma.trimEnd()],
  ['a table with rows of nothing but delimiters at its end', `${comma},,,,\n  ,,,,\n\n`],
  ['a table whose values stand in quotes', comma.replaceAll(/[^,\n]+/g, '"$&"')],
  ['a table with blanks around its values', comma.replaceAll(',', ' , ')],
])('bulk reads %s', async (_what, content) => {
  const { rows, code } = await createBulk().plan(content)
  expect({ code, rows: shown(rows) }).toEqual({ code: 0, rows: expected })
})

test('bulk reads a table whose first line is the hint of Excel for its delimiter', async () => {
  const { rows } = await createBulk().plan(`sep=;\r\n${semicolon}`)
  expect(shown(rows)).toEqual(expected.map((row) => ({ ...row, row: row.row + 1 })))
})

test.each([
  ['one object a line', objects.map((each) => `${JSON.stringify(each)}\n`).join('')],
  ['an array of objects on one line', JSON.stringify(objects)],
  ['an array of objects on many lines', `\n ${JSON.stringify(objects, null, 2)}\r\n`],
])('bulk reads JSON with %s, by the names of a template or those of the service', async (_what, content) => {
  const { rows, code } = await createBulk().plan(content)
  expect({ code, rows: shown(rows) }).toEqual({ code: 0, rows: expected.map((row) => ({ ...row, row: row.row - 1 })) })
})

test('bulk reads stdin, and rows keep their lines behind blank lines and values of several lines', async () => {
  const { run } = createBulk()
  const stdin = table('email,name,quiz_id', '', `a@example.com,"A\r\nB\r\nC",${QUIZ}`, '', `b@example.com,B,${QUIZ}`)
  const { stdout, code } = await run(['bulk', '-', '--dry-run', '--json'], { stdin })
  const rows = stdout.split('\n').map((line) => /"row":(\d+)/.exec(line)?.[1])
  expect([code, rows]).toEqual([0, ['3', '7', undefined, undefined]])
})

test.each([
  ['Email Address;Full Name;Quiz', 'Ada B'],
  ['E-MAIL ;Name; quiz id', 'Ada B'],
  ['recipient_email;recipient-name;TEST ID', 'Ada B'],
  ['Candidate Email;Candidate Name;Assessment ID', 'Ada B'],
])('the columns %s are known by their usual names', async (header, name) => {
  const { mock, bulk } = createBulk()
  const { code } = await bulk(table(header, `ada@example.com;Ada B;${QUIZ}`), ['--yes'])
  expect([code, mock.invites[0]?.candidate]).toEqual([0, { email: 'ada@example.com', name }])
})

test('a first and a last name make a name, and the address may stand as programs for mail write it', async () => {
  const { mock, bulk } = createBulk()
  await bulk(
    table(
      'First Name,Last Name,Email,Quiz,Name',
      `Ada,Byron,ada@example.com,${QUIZ},`,
      `,,Grace Hopper <grace@example.com>,${QUIZ},`,
      `,,"""Lamarr, Hedy"" <hedy@example.com>",${QUIZ},`,
      `Mary,S.,<mary@example.com>,${QUIZ},Mary Somerville`,
    ),
    ['--yes'],
  )
  const names = Object.fromEntries(mock.invites.map(({ candidate: { email, name } }) => [email, name]))
  expect(names).toEqual({
    'ada@example.com': 'Ada Byron',
    'grace@example.com': 'Grace Hopper',
    'hedy@example.com': 'Lamarr, Hedy',
    'mary@example.com': 'Mary Somerville',
  })
})

test('flags fill what a row leaves empty, and what a row says goes before them', async () => {
  const { mock, bulk } = createBulk()
  const flags = [
    '--quiz-id',
    QUIZ,
    '--no-send-email',
    '--external-reference',
    'spring',
    '--callback-url',
    'https://a.example/x',
  ]
  const header = 'email,package_id,external_reference,send_email,callback_url'
  const { code } = await bulk(
    table(header, 'a@example.com', 'b@example.com,,own,yes,https://b.example/y', `c@example.com,${PACKAGE},,1`),
    ['--yes', ...flags],
  )
  /* A package takes no reference of one's own: that row is told, not sent without it. */
  expect(code).toBe(2)
  await bulk(table(header, 'a@example.com', 'b@example.com,,own,yes,https://b.example/y'), ['--yes', ...flags])
  const told = mock.invites.map(({ candidate, quizId, externalReference, callbackUrl, emailSent }) => {
    return [candidate.email, quizId, externalReference, callbackUrl, emailSent]
  })
  expect(told).toEqual([
    ['a@example.com', QUIZ, 'spring', 'https://a.example/x', false],
    ['b@example.com', QUIZ, 'own', 'https://b.example/y', true],
  ])
})

test.each([
  [
    'an unclosed quote',
    `email,quiz_id\na@example.com,${QUIZ}\n\nb@example.com,"${QUIZ}\nc@example.com,x\n`,
    'line 4 opens a quote',
  ],
  [
    'a quote inside of a value',
    'email,quiz_id\na@example.com,q\nb@example.com,q"x"\n',
    'line 3 has a quote in the middle',
  ],
  ['text behind a closing quote', 'email,quiz_id\na@example.com,"q"x\n', 'line 2 has a quote in the middle'],
  [
    'text that is not UTF-8',
    Buffer.concat([
      Buffer.from(`email,name\n${'x,y\n'.repeat(9)}a@example.com,Zo`),
      Buffer.of(0xeb),
      Buffer.from('\n'),
    ]),
    'line 11 of the file is no text in UTF-8',
  ],
  ['NUL characters', 'email,name\na@example.com,\0\n', 'line 2 of the file is no text'],
  [
    'half of a character of UTF-16',
    Buffer.concat([Buffer.from('\uFEFFemail\n', 'utf16le'), Buffer.of(0x00, 0xd8, 0x41, 0x00)]),
    'line 2 of the file is no text in UTF-16LE',
  ],
  ['an Excel workbook', Buffer.from('PK\u0003\u0004rest'), 'an Excel workbook'],
  ['random bytes', Buffer.from(Array.from({ length: 5000 }, (_each, index) => (index * 7919) % 256)), 'is no text'],
  ['nothing', '', 'the file is empty'],
  ['blank lines alone', '\n\n  \n', 'the file is empty'],
  ['NDJSON with a broken line', '{"email":"a@example.com"}\n{"email":\n', 'line 2 is not a JSON object'],
  ['a JSON array with a mistake', '[{"email":"a@example.com"},\n{"email" "b"}]', 'line 2 is not part of a JSON array'],
  ['a JSON array that was cut off', '[{"email":"a@example.com"},', 'ends in the middle'],
  ['something behind a JSON array', '[{"email":"a@example.com"}]\n[]', 'line 2 is not part'],
])(
  'a file with %s is refused with its line and without its content, and nothing is sent',
  async (_what, content, message) => {
    const { mock, bulk } = createBulk()
    const { code, stdout, stderr } = await bulk(content, ['--yes', '--quiz-id', QUIZ])
    expect([code, stdout]).toEqual([2, ''])
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'FILE_INVALID', message: expect.stringContaining(message) },
    })
    expect(stderr).not.toMatch(/example\.com|Zo/)
    expect(mock.invites).toEqual([])
  },
)

test.each([
  ['more than 200 columns', `email,quiz_id${',x'.repeat(199)}\na@example.com,q\n`, 'more than 200 columns'],
  ['deep JSON', `[{"email":${'['.repeat(101)}`, 'nested more than 100 levels deep'],
  ['deep NDJSON', `{"email":${'['.repeat(101)}`, 'nested more than 100 levels deep'],
])('a file with %s is refused', async (_what, content, message) => {
  const { code, stderr } = await createBulk().bulk(content, ['--yes'])
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})

test.each([
  ['a folder', '.', 'it is a folder'],
  ['a file that is not there', 'no-such-file.csv', 'ENOENT'],
])('%s is refused', async (_what, path, reason) => {
  const { code, stderr } = await createBulk().run(['bulk', path, '--yes'])
  expect([code, stderr]).toEqual([2, expect.stringContaining(reason)])
})

test.each([
  ['a table', 'email,quiz_id\n'],
  ['a JSON array', '[]'],
])('%s without rows is told, so that an empty export does not look like one that is done', async (_what, content) => {
  const { run } = createBulk()
  for (const flags of [['--dry-run'], ['--yes'], ['--yes', '--quiet']]) {
    const { code, stderr } = await run(['bulk', '-', '--quiz-id', QUIZ, ...flags], { stdin: content })
    expect([code, stderr]).toEqual([0, expect.stringContaining('warning: the file has no rows')])
  }
  /* Programs have it in the summary. */
  const told = await run(['bulk', '-', '--quiz-id', QUIZ, '--yes', '--json'], { stdin: content })
  expect([told.code, told.stderr, told.stdout]).toEqual([0, '', expect.stringMatching(/"counts":\{"created":0/)])
})

test.each([
  ['a table', `email,name,quiz_id\n,Ada,${QUIZ}\n"  ",Grace,${QUIZ}\n`],
  ['JSON', `{"name":"Ada","quizId":"${QUIZ}"}\n{"email":"","name":"Grace","quizId":"${QUIZ}"}\n`],
])('a row of %s without an address is told to lack it, and nothing else of it', async (_what, content) => {
  const { rows } = await createBulk().plan(content)
  expect(rows.map(({ message }) => message)).toEqual(['email is missing', 'email is missing'])
})
