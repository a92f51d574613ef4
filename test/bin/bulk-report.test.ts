import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvLine, unescaped } from '../../bin/table/csv.ts'
import { candidates, createBulk, PACKAGE, QUIZ, table } from './bulk.ts'

const mixed = table(
  'email,name,quiz_id,package_id,notes',
  `ada@example.com,Ada,${QUIZ},,first`,
  `grace@example.com,Grace,,${PACKAGE},second`,
  `ada@example.com,Ada,${QUIZ},,third`,
  `marta.lindqvist@candidate.test,Marta,quiz_react_beginner_components,,"fo""urth, of
two lines"`,
  'nobody,"=HYPERLINK(""http://x"")",q,,fifth',
  `cut-after@candidate.test,Cut,${QUIZ},,sixth`,
)
const FAULT = 'email must be a valid e-mail address: it has no @'
const skip = ['--yes', '--skip-invalid']
const table2 = (text: string) => parse<Record<string, string>>(text, { columns: true, bom: true })

test('a report has the status and the invites of each row, without links', async () => {
  const { mock, at, bulk, read } = createBulk()
  const { code, stdout } = await bulk(mixed, [...skip, '--report', at('report.csv')])
  expect(code).toBe(6)
  const report = table2(read('report.csv')).toSorted((a, b) => Number(a['row']) - Number(b['row']))
  expect(report.map(({ row, status, email, code: why }) => [row, status, email, why])).toEqual([
    ['2', 'created', 'ada@example.com', ''],
    ['3', 'created', 'grace@example.com', ''],
    ['4', 'duplicate', 'ada@example.com', ''],
    ['5', 'refused', 'marta.lindqvist@candidate.test', 'BAD_USER_INPUT'],
    ['6', 'invalid', 'nobody', 'INPUT_INVALID'],
    ['7', 'unknown', 'cut-after@candidate.test', 'CONNECTION_LOST'],
  ])
  const ada = mock.invites.find(({ candidate }) => candidate.email === 'ada@example.com')
  expect(report[0]).toMatchObject({ invite_ids: ada?.inviteId, expires_at: ada?.expiresAt, email_sent: 'true' })
  const ids = mock.invites
    .filter(({ candidate }) => candidate.email === 'grace@example.com')
    .map(({ inviteId }) => inviteId)
  expect(report[1]?.['invite_ids']).toBe(ids.join(' '))
  expect(report[2]?.['message']).toBe('repeats row 2')
  expect(report[5]?.['reference']).toMatch(/^[\da-f-]{36}$/)
  for (const text of [stdout, read('report.csv')]) expect(text).not.toContain('/challenge/')
  expect(statSync(at('report.csv')).mode & 0o777).toBe(0o600)
})

test('--include-links adds links to the output and the report', async () => {
  const { mock, at, bulk, read } = createBulk()
  const content = table('email,quiz_id,package_id', `a@example.com,${QUIZ},`, `b@example.com,,${PACKAGE}`)
  const { rows, stderr } = await bulk(content, ['--yes', '--show-links', '--no-send-email', '--report', at('r.csv')])
  const links = mock.invites.map(({ challengeUrl }) => challengeUrl)
  expect(rows.flatMap(({ invites }) => invites.map(({ challengeUrl }) => challengeUrl))).toEqual(links)
  expect(
    table2(read('r.csv'))
      .map((row) => row['links'])
      .join(' '),
  ).toBe(links.join(' '))
  expect(stderr).not.toContain('their links')
})

test('a pipe gets tab-separated values, or only ids with --quiet', async () => {
  const { mock, at, run } = createBulk()
  writeFileSync(at('x'), candidates(2))
  const { stdout } = await run(['bulk', at('x'), '--yes'])
  const lines = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t'))
  expect(lines.map((cells) => [cells.length, cells[1], cells[7]])).toEqual(
    mock.invites.map(({ inviteId }) => [13, 'created', inviteId]),
  )
  writeFileSync(at('x'), candidates(3))
  expect((await run(['bulk', at('x'), '--yes', '--quiet'])).stdout).toBe(`${mock.invites.at(-1)?.inviteId}\n`)
})

test('--failed-out keeps the columns, adds the reason, and can be run again as it is', async () => {
  const { at, bulk, read } = createBulk()
  const { rows } = await bulk(mixed, [...skip, '--failed-out', at('fix.csv')])
  const header = ['email', 'name', 'quiz_id', 'package_id', 'notes', 'certify_error']
  const refusal = rows.find(({ row }) => row === 5)?.message ?? ''
  const first = [
    'marta.lindqvist@candidate.test',
    'Marta',
    'quiz_react_beginner_components',
    '',
    'fo"urth, of\ntwo lines',
  ]
  const second = ['nobody', `'=HYPERLINK("http://x")`, 'q', '', 'fifth']
  expect(refusal).toContain('The service says: ')
  expect(parse(read('fix.csv'))).toEqual([
    header,
    [...first, `row 5: BAD_USER_INPUT: ${refusal}`],
    [...second, `row 6: ${FAULT}`],
  ])
  /* Read again, escaped values keep their meaning, and the reasons are replaced. */
  const again = await bulk(read('fix.csv'), [...skip, '--failed-out', at('fix.csv')])
  expect(again.code).toBe(3)
  expect(again.stderr).toContain(`Fix the rows in ${at('fix.csv')} and run certify bulk with that file.`)
  expect(parse(read('fix.csv'))).toEqual([
    header,
    [...first, `row 2: BAD_USER_INPUT: ${refusal}`],
    [...second, `row 3: ${FAULT}`],
  ])
  expect(statSync(at('fix.csv')).mode & 0o777).toBe(0o600)
})

test.each([
  [
    'semicolons and a byte order mark',
    `\uFEFFemail;quiz_id\r\nnobody;q\r\n`,
    `\uFEFFemail;quiz_id;certify_error\r\nnobody;q;row 2: ${FAULT}\r\n`,
  ],
  [
    'UTF-16',
    Buffer.from('\uFEFFemail\tname\nnobody\tZoë\n', 'utf16le'),
    `\uFEFFemail\tname\tcertify_error\r\nnobody\tZoë\trow 2: ${FAULT}\r\n`,
  ],
  [
    'NDJSON',
    '{"email":"nobody","n":[1]}\n{"email":"a@example.com"}\n',
    `{"email":"nobody","n":[1],"certify_error":"row 1: ${FAULT}"}\n`,
  ],
  ['a JSON array', '[{"email":"nobody"},3]', `{"email":"nobody","certify_error":"row 1: ${FAULT}"}\n3\n`],
  [
    'too few and too many values',
    'email,name,notes\nnobody\nnobody,A,B,C\n',
    `email,name,notes,certify_error\r\nnobody,,,row 2: ${FAULT}\r\nnobody,A,B,C,row 3: row has more values than there are columns; one with the delimiter in it needs quotes; ${FAULT}\r\n`,
  ],
])('--failed-out keeps the values of a file with %s', async (_what, content, expected) => {
  const { at, bulk, run, read } = createBulk()
  const flags = ['--quiz-id', QUIZ, '--failed-out', at('fix')]
  await bulk(content, ['--dry-run', ...flags])
  expect(read('fix')).toBe(expected)
  /* The reasons are recognized when they are read again, and replaced. */
  writeFileSync(at('again'), expected)
  const { stderr } = await run(['bulk', at('again'), '--dry-run', ...flags])
  expect(stderr).not.toContain('certify_error')
  expect(read('fix').replaceAll(/row \d+: /g, '')).toBe(expected.replaceAll(/row \d+: /g, ''))
})

test('no written cell starts like a formula, and reading it restores the value', () => {
  const cell = fc.oneof(
    fc.string(),
    fc.tuple(fc.stringMatching(/^'{0,3}[=+\-@\t\r\n＝＋－＠]?$/), fc.string()).map((parts) => parts.join('')),
    fc.stringMatching(/^[,;\t\r\n"'=\-＠\0 a]{0,20}$/),
  )
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1 }), fc.constantFrom(',', ';', '\t'), (cells, delimiter) => {
      const line = csvLine(['x', ...cells], delimiter)
      /* Nor if it is split at another separator, as German Excel does at ;. Quotes inside a value mean nothing then. */
      for (const each of line.split(/[,;\t\r\n]/)) expect(each).not.toMatch(/^"*[=+\-@\0＝＋－＠]/)
      const [row = []] = parse(line, { delimiter, record_delimiter: '\r\n' })
      for (const each of row) expect(each).not.toMatch(/^[=+\-@\t\r\n\0＝＋－＠]/)
      expect(row.map(unescaped)).toEqual(['x', ...cells])
    }),
  )
})

test('a --report or --failed-out that cannot be written is refused before anything is sent', async () => {
  const { mock, at, bulk } = createBulk()
  mkdirSync(at('folder.csv'))
  const impossible = [at('folder.csv'), at('no-such-folder/r.csv'), '/dev/null/r.csv']
  writeFileSync(at('real.csv'), 'kept')
  symlinkSync(at('real.csv'), at('link.csv'))
  for (const path of [...impossible, at('link.csv')]) {
    for (const flag of ['--report', '--failed-out']) {
      const { code, stderr } = await bulk(candidates(3), ['--yes', flag, path])
      expect([path, code, stderr]).toEqual([path, 2, expect.stringContaining(`${flag}: ${path} cannot be written`)])
    }
  }
  expect(mock.invites).toEqual([])
})

test('the input, the outputs and the ledger must be different files', async () => {
  const { at, ledger, bulk, read } = createBulk()
  writeFileSync(at('r.csv'), 'kept')
  symlinkSync(at('r.csv'), at('link.csv'))
  const { code } = await bulk(candidates(1), ['--yes', '--report', at('r.csv'), '--failed-out', at('link.csv')])
  expect([code, read('r.csv')]).toEqual([2, 'kept'])
  expect((await bulk(candidates(1), ['--yes', '--failed-out', at('input')])).code).toBe(2)
  for (const each of ['not there yet', 'there']) {
    const { code: atLedger, stderr } = await bulk(candidates(1), ['--yes', '--failed-out', ledger])
    expect([each, atLedger, stderr]).toEqual([each, 2, expect.stringContaining('the same file as the ledger')])
    await bulk(candidates(1), ['--dry-run'])
  }
})

test('an earlier report is kept until a new one is complete, and no partial file is left', async () => {
  const { at, bulk, read } = createBulk()
  writeFileSync(at('r.csv'), 'earlier')
  await bulk('email\n"', ['--yes', '--report', at('r.csv')])
  expect(read('r.csv')).toBe('earlier')
  await bulk(candidates(1), ['--report', at('r.csv')])
  expect(read('r.csv')).toBe('earlier')
  expect(readdirSync(at('.')).filter((name) => name.endsWith('.part'))).toEqual([])
})

test('an output file that fails at the end is reported, besides other errors, and not announced as written', async () => {
  const { mock, at, run, read } = createBulk()
  writeFileSync(at('x'), table('email,quiz_id', `cut-after@candidate.test,${QUIZ}`, `a@example.com,nope`))
  const fetch: typeof mock.fetch = (url, init) => {
    mkdirSync(at('r.csv'), { recursive: true })
    mkdirSync(at('fix.csv'), { recursive: true })
    return mock.fetch(url, init)
  }
  const files = ['--report', at('r.csv'), '--failed-out', at('fix.csv')]
  const { code, stderr } = await run(['bulk', at('x'), '--yes', ...files], { fetch })
  expect([code, stderr]).toEqual([6, expect.stringContaining('1 row is unknown')])
  expect(stderr).not.toMatch(/^ {2}(report|to fix) /m)
  expect(stderr).not.toContain('run certify bulk with that file')
  const name = /--report: \S+ cannot be replaced \(EISDIR\)\. All of it is in \S*?([^\s/]+\.part)\./.exec(stderr)?.[1]
  expect(table2(read(name ?? '')).map(({ status }) => status)).toEqual(['unknown', 'refused'])
})

test('--report and --failed-out are written even if invalid rows stop the run', async () => {
  const { at, bulk, read } = createBulk()
  const { code } = await bulk(mixed, ['--yes', '--report', at('r.csv'), '--failed-out', at('fix.csv')])
  expect(code).toBe(2)
  expect(table2(read('r.csv')).map(({ status }) => status)).toEqual([
    'planned',
    'planned',
    'duplicate',
    'planned',
    'invalid',
    'planned',
  ])
  expect(parse(read('fix.csv'))).toHaveLength(2)
})

test('rows not started are in --report and --failed-out; unknown rows are not in --failed-out', async () => {
  const { at, bulk, read } = createBulk()
  const content = `${mixed}${candidates(20)
    .split('\n')
    .slice(1)
    .map((row) => row.replace(',', ',,'))
    .join('\n')}`
  const files = ['--report', at('r.csv'), '--failed-out', at('fix.csv')]
  const { counts, summary } = await bulk(content, [...skip, ...files, '--max-failures', '2', '--concurrency', '1'])
  const report = table2(read('r.csv'))
  expect(report.map(({ row }) => Number(row))).toEqual(Array.from({ length: 26 }, (_, index) => index + 2))
  const left = report.filter(({ status }) => status === 'not_started')
  expect(left.length).toBe(summary?.['remaining'])
  expect(left.at(-1)).toMatchObject({ row: '27', email: 'candidate-20@example.com' })
  expect(counts['unknown']).toBe(1)
  expect(read('fix.csv')).not.toContain('cut-after')
  expect(read('fix.csv')).toContain('row 27: the run stopped before this row; run the same command again')
})

test('--failed-out keeps the exact numbers of fields that bulk ignores', async () => {
  const { at, bulk, read } = createBulk()
  const fields = '"id":12345678901234567890,"score":1e400,"part":0.12345678901234567891,"at":{"x":[9007199254740993]}'
  const row = `{"email":"nobody","quiz_id":"${QUIZ}",${fields}`
  await bulk(`[${row}}]`, ['--dry-run', '--failed-out', at('fix')])
  expect(read('fix')).toBe(`${row},"certify_error":"row 1: ${FAULT}"}\n`)
})

test('--failed-out of a file in another encoding has a byte order mark, so the same flags cannot misread it', async () => {
  const { bulk, at, read } = createBulk()
  const content = Buffer.from(`email,quiz_id,name\nno address,${QUIZ},Zo\u00eb\n`, 'latin1')
  await bulk(content, ['--dry-run', '--encoding', 'windows-1252', '--failed-out', at('fix.csv')])
  expect(read('fix.csv')).toMatch(/^\uFEFFemail.*Zoë/s)
  const again = await bulk(read('fix.csv'), ['--dry-run', '--encoding', 'windows-1252'])
  expect(again.stderr).toContain('byte order mark of UTF-8')
})
