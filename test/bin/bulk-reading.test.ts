import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readRowFile } from '../../bin/table/file.ts'
import { createBulk, PACKAGE, QUIZ, table } from './bulk.ts'
import { ioOf } from './run.ts'

/* wild-files.ts has a table of files and their results. Here is what that table cannot express. */

const failure = (stderr: string) => (JSON.parse(stderr) as { error: { code: string; message: string } }).error

test('bulk reads stdin, and numbers rows as a spreadsheet does: a value of several lines is in one row', async () => {
  const { run } = createBulk()
  const stdin = table('email,name,quiz_id', '', `a@example.com,"A\r\nB\r\nC",${QUIZ}`, '', `b@example.com,B,${QUIZ}`)
  const { stdout, code } = await run(['bulk', '-', '--dry-run', '--json'], { stdin })
  const rows = stdout.split('\n').map((line) => /"row":(\d+)/.exec(line)?.[1])
  expect([code, rows]).toEqual([0, ['3', '5', undefined, undefined]])
})

test('a JSON row is numbered by its line or position, and may use the field names of a table or of the API', async () => {
  const objects = [
    { email: 'ada@example.com', name: 'Ada', quiz_id: QUIZ, external_reference: 'a-1', send_email: false },
    { candidate: { email: 'grace@example.com' }, packageId: PACKAGE, sendInviteEmail: true },
  ]
  for (const content of [
    objects.map((each) => `${JSON.stringify(each)}\n`).join('\n'),
    JSON.stringify(objects, null, 2),
  ]) {
    const { rows, summary } = await createBulk().plan(content)
    expect(rows).toMatchObject([
      { row: 1, email: 'ada@example.com', name: 'Ada', quizId: QUIZ, externalReference: 'a-1' },
      { row: content.startsWith('[') ? 2 : 3, email: 'grace@example.com', packageId: PACKAGE },
    ])
    expect(summary?.['emails']).toEqual({ sent: 1, notSent: 1 })
  }
})

test('flags fill empty values of a row, and values of a row override flags', async () => {
  const { mock, bulk } = createBulk()
  const flags = ['--yes', '--quiz-id', QUIZ, '--no-send-email']
  const header = 'email,package_id,send_email,callback_url'
  await bulk(table(header, 'a@example.com', `b@example.com,${PACKAGE},yes,https://b.example/y`), flags)
  const told = mock.invites.map(({ candidate, callbackUrl, emailSent }) => [candidate.email, callbackUrl, emailSent])
  const ofPackage = ['b@example.com', 'https://b.example/y', true]
  expect(told).toEqual(expect.arrayContaining([['a@example.com', null, false], ofPackage, ofPackage, ofPackage]))
})

test.each([
  ['a folder', '.', 'it is a folder'],
  ['a missing file', 'no-such-file.csv', 'ENOENT'],
])('%s is refused', async (_what, path, reason) => {
  const { code, stderr } = await createBulk().run(['bulk', path, '--yes'])
  expect([code, stderr]).toEqual([2, expect.stringContaining(reason)])
})

test('a file without rows succeeds with a warning, and with --json prints only its summary', async () => {
  const { run } = createBulk()
  const quiet = await run(['bulk', '-', '--yes', '--quiet'], { stdin: 'email,quiz_id\n' })
  expect([quiet.code, quiet.stderr]).toEqual([0, expect.stringContaining('warning: the file has no rows')])
  const json = await run(['bulk', '-', '--yes', '--json'], { stdin: 'email,quiz_id\n' })
  expect([json.code, json.stderr, json.stdout]).toEqual([0, '', expect.stringMatching(/"counts":\{"created":0/)])
})

test('a refused file is FILE_INVALID, and its content is not quoted', async () => {
  const { stderr, stdout } = await createBulk().bulk(`email,quiz_id\na@example.com,"${QUIZ}`, ['--yes'])
  expect([failure(stderr).code, stdout]).toEqual(['FILE_INVALID', ''])
  expect(stderr).not.toContain('example.com')
})

test('--map chooses between two columns with the same meaning', async () => {
  const content = table('email,E-Mail Address,quiz_id', `a@example.com,b@example.com,${QUIZ}`)
  for (const flag of [
    ['--map', 'e-mail address=ignore'],
    ['--map', 'email=email'],
  ]) {
    const { rows } = await createBulk().plan(content, flag)
    expect(rows.map(({ email }) => email)).toEqual(['a@example.com'])
  }
})

test.each([
  [['--map', 'E-Mail'], 'as in'],
  [['--map', 'E-Mail=emial'], 'Did you mean email?'],
  [['--map', 'E-Mail=email', '--map', 'e-mail=name'], 'twice'],
])('an invalid --map is refused: %j', async (flags, message) => {
  const { code, stderr } = await createBulk().plan('email\n', flags)
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})

test('no more than 400 MB are read, also if they come from a pipe', async () => {
  const piece = new Uint8Array(10_000_000)
  let given = 0
  async function* bytes() {
    for (; given < 60; given += 1) yield piece
  }
  const { io } = ioOf([], {})
  const reading = readRowFile({ ...io, stdin: { ...io.stdin, bytes } }, '-', { isHeader: () => true })
  await expect(reading).rejects.toThrow('stdin has more than 400 MB')
  expect(given).toBe(40)
})

const LONG_TEXT = 'x'.repeat(2 ** 20)
const texts = (count: number) => Array.from({ length: count }, (_each, at) => `"note ${at}":"${'x'.repeat(9000)}"`)

test.each<[what: string, content: string, says: string]>([
  ['a text of 16 MB in a list', `[{"email":"${'a'.repeat(16e6)}"}]`, 'the row at line 1 is longer than 1 MiB'],
  ['a text that does not end', `[\n{"email":"${LONG_TEXT}`, 'the row at line 2 is longer than 1 MiB'],
  ['a long text beside the names', `{"candidates":[{},\n"${LONG_TEXT}"]}`, 'the row at line 2 is longer than 1 MiB'],
  ['many texts in a list', `[{},{},{${texts(120).join()}}]`, 'row 3 is longer than 1 MiB'],
  ['many texts in candidates', `{"candidates":[{${texts(120).join()}}]}`, 'row 1 is longer than 1 MiB'],
  ['many texts on a line', `{}\n{${texts(120).join()}}\n`, 'row 2 is longer than 1 MiB'],
  ['201 levels', `[{"note":${'['.repeat(200)}${']'.repeat(200)}}]`, 'row 1 is longer than 1 MiB, or has more than 200'],
])('JSON has the limits of a table: %s stop the file', async (_what, content, says) => {
  const { code, stderr } = await createBulk().plan(content, ['--quiz-id', QUIZ])
  expect([code, failure(stderr)]).toMatchObject([2, { code: 'FILE_INVALID', message: expect.stringContaining(says) }])
})

test('a file of JSON may be longer than a row', async () => {
  const rows = Array.from({ length: 3 }, (_each, at) => `{"email":"${at}@example.com",${texts(60).join()}}`)
  for (const content of [`[${rows.join()}]`, `{"candidates":[${rows.join()}]}`, rows.join('\n')]) {
    expect((await createBulk().plan(content, ['--quiz-id', QUIZ])).counts).toMatchObject({ planned: 3 })
  }
})

test.each([
  ['姓,名', '山田,太郎', '山田 太郎'],
  ['姓(漢字),名(漢字)', '山田,太郎', undefined],
  ['First name,Last name', 'Ada,Byron', 'Ada Byron'],
  ['성,이름', '김,하나', '하나'],
])('the family name comes first where the heading says so: %s', async (head, row, name) => {
  const { rows } = await createBulk().plan(table(`email,quiz_id,${head}`, `a@example.com,${QUIZ},${row}`))
  expect(rows[0]?.name).toBe(name)
})

test('bulk recognises its own report, and invites only the rows that are named', async () => {
  const { bulk, at, read, mock } = createBulk()
  await bulk(table('email,quiz_id', `a@example.com,${QUIZ}`, 'b@example.com,quiz_none'), [
    '--yes',
    '--report',
    at('r.csv'),
  ])
  const report = read('r.csv')
  const other = createBulk(mock)
  expect(failure((await other.plan(report)).stderr)).toMatchObject({
    code: 'SHEET_SAYS_NO',
    message: expect.stringContaining('is a report of bulk'),
  })
  const again = await other.plan(report, ['--only', 'status=refused'])
  expect(again.rows.map(({ email }) => email)).toEqual(['b@example.com'])
})

test('if no heading is known, the header is the last text above the first address', async () => {
  const content = 'Search;Results;\nWho;Login;Step\n  Points Possible;;10\nAda;ada@example.com;x\n'
  const { run, at } = createBulk()
  writeFileSync(at('grades'), content)
  const flags = ['--quiz-id', QUIZ, '--dry-run']
  expect((await run(['bulk', at('grades'), ...flags])).stderr).toContain('--map "Login=email"')
})

test.each(['Person : Email', 'What is your email?', 'Email Address [Required]'])(
  '%s is an address',
  async (heading) => {
    const { rows } = await createBulk().plan(table(`"${heading}",quiz_id`, `ada@example.com,${QUIZ}`))
    expect(rows.map(({ email }) => email)).toEqual(['ada@example.com'])
  },
)
