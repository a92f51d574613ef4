import { writeFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { writeOds, writeXlsxStream } from 'hucre'
import { expect, test } from 'vitest'
import { createBulk, QUIZ } from './bulk.ts'
import { type SheetOf, type Special, workbook } from './workbook.ts'
import { NO_COLOR } from './run.ts'

const HEAD = ['email', 'name', 'quiz_id', 'external_reference']
const shown = (value: number, numFmt: string): Special => ({ value, style: { numFmt } })
const of = (name?: SheetOf['rows'][number][number], reference?: typeof name): SheetOf => ({
  rows: [HEAD, ['ann@example.com', name, QUIZ, reference]],
})
const people = (...names: readonly string[]) => [HEAD, ...names.map((each) => [`${each}@example.com`, each, QUIZ])]

/** A dry run at a terminal, then the run. Returns the text of the plan, the exit code and the names invited. */
async function read(content: Uint8Array, flags: readonly string[] = []) {
  const { mock, at, run } = createBulk()
  writeFileSync(at('people.xlsx'), content)
  const plan = await run(['bulk', at('people.xlsx'), '--dry-run', ...flags], { terminal: 400, env: NO_COLOR })
  expect(mock.invites).toEqual([])
  const { code } = await run(['bulk', at('people.xlsx'), '--yes', ...flags])
  const sent = mock.invites.map(({ candidate }) => candidate.name ?? '').toSorted((a, b) => (a < b ? -1 : 1))
  return { said: plan.stderr.replaceAll(/\s+/g, ' '), code, sent }
}

test.each<[what: string, cell: SheetOf['rows'][number][number], name: string]>([
  ['surrounding blanks', '  Ann ', 'Ann'],
  ['a line break', 'Ann\nLee', 'Ann Lee'],
  ['XML characters', 'Ann & <Lee> "B"', 'Ann & <Lee> "B"'],
  ['rich text', { type: 'richText', richText: [{ text: 'An' }, { text: 'n L', font: { bold: true } }] }, 'Ann L'],
  ['the result of a formula', { formula: 'A1', formulaResult: 'Ann' }, 'Ann'],
  ['leading zeros', shown(42, '00000'), '00042'],
  ['a number with text around it', shown(12, '"EMP-"000'), 'EMP-012'],
  ['a plain number', 0.1, '0.1'],
  ['fifteen digits', 123_456_789_012_345, '123456789012345'],
  ['a German date', shown(45_000, 'dd.mm.yyyy'), '15.03.2023'],
  ['a boolean', true, 'TRUE'],
])('a cell is read as the sheet shows it: %s', async (_what, cell, name) => {
  const { sent, code } = await read(await workbook(of(cell)))
  expect([code, sent]).toEqual([0, [name]])
})

test.each<[what: string, cell: SheetOf['rows'][number][number], rule: string]>([
  ['a number of 16 digits', 1_234_567_890_123_456, 'is a number of more than 15 digits'],
  ['a number with an exponent', shown(123_456_789_012, '0.00E+00'), 'is shown with an exponent'],
  ['an error', { value: '#N/A', type: 'error' }, 'is an error of the sheet'],
  ['a formula that gives an error', { formula: '1/0', formulaResult: '#DIV/0!' }, 'is an error of the sheet'],
  ['a formula without a result', { type: 'formula', formula: 'A1' }, 'is a formula without a result'],
])('a cell without a reliable value makes the row invalid: %s', async (_what, cell, rule) => {
  const { said, sent, code } = await read(await workbook(of('Ann', cell)))
  expect(said).toContain(`row 2: external_reference ${rule}`)
  expect([code, sent]).toEqual([2, []])
})

test('send_email may be a number: 1 means an e-mail, 0 means none', async () => {
  const rows = [
    ['email', 'quiz_id', 'send_email'],
    ['ann@example.com', QUIZ, 1],
    ['bob@example.com', QUIZ, 0],
  ]
  expect((await read(await workbook({ rows }))).said).toContain('for 1 row; none for 1 row')
})

test('rows keep the numbers of the sheet, and empty ones are skipped', async () => {
  const rows = [[], HEAD, [], ['ann@example.com', 'Ann', QUIZ], ['', ' '], ['nobody', 'Bob', QUIZ]]
  const { said } = await read(await workbook({ rows }))
  expect(said).toContain('2 rows, sheet "Candidates"')
  expect(said).toContain('row 6: email must be a valid e-mail address')
})

test('the plan counts merged cells, hidden columns and formulas', async () => {
  const rows = [
    [...HEAD, 'secret'],
    ['ann@example.com', 'Ann', QUIZ, { formula: 'A1', formulaResult: 'r' }, 'x'],
    [undefined, 'Anna', QUIZ, undefined, 'y'],
  ]
  const { said } = await read(await workbook({ rows, mergedRow: 2, hiddenColumns: [5] }))
  expect(said).toContain('merged cells 1: only the first cell of each has the value')
  expect(said).toContain('hidden columns 1: they are read like the others')
  expect(said).toContain('formulas 1: their results are read')
  expect(said).toContain('row 3: email is missing')
})

test('hidden rows stop the run until --hidden includes or skips them', async () => {
  const names = ['ann', 'bob', 'cleo', 'dan', 'eve', 'fay', 'gus', 'hal']
  const sheet = await workbook({ rows: people(...names), hiddenRows: [1, 3, 5, 6, 7, 8, 10], zeroHeightRows: [4] })
  const stopped = await read(sheet)
  expect([stopped.code, stopped.sent]).toEqual([2, []])
  expect(stopped.said).toContain(
    '6 rows are hidden or struck through in the sheet "Candidates": 3, 4, 5, 6, 7 and more. Nothing was',
  )
  expect(stopped.said).toContain('Give --hidden include to invite them too, or --hidden skip to leave them out.')
  const included = await read(sheet, ['--hidden', 'include'])
  expect([included.code, included.sent]).toEqual([0, names])
  expect(included.said).toContain('hidden or struck 6: they are read like the others')
  const skipped = await read(sheet, ['--hidden', 'skip'])
  expect([skipped.code, skipped.sent]).toEqual([0, ['ann', 'hal']])
  expect(skipped.said).toContain('hidden or struck 6: they are left out')
})

test('a row of which more than half of the cells are struck through is one that the sheet hides', async () => {
  const struck = (value: string): Special => ({ value, style: { font: { strikethrough: true } } })
  const inParts: Special = { type: 'richText', richText: [{ text: 'D', font: { strikethrough: true } }, { text: ' ' }] }
  const rows = [
    HEAD,
    ['ann@example.com', 'Ann', QUIZ],
    ['bob@example.com', struck('Bob'), QUIZ],
    [struck('cy@example.com'), struck('Cy'), struck(QUIZ)],
    [struck('dan@example.com'), inParts, QUIZ],
  ]
  const sheet = await workbook({ rows })
  expect((await read(sheet)).said).toContain('2 rows are hidden or struck through in the sheet "Candidates": 4, 5.')
  expect(await read(sheet, ['--hidden', 'skip'])).toMatchObject({ code: 0, sent: ['Ann', 'Bob'] })
})

test('an OpenDocument spreadsheet is refused by its name', async () => {
  const content = Buffer.from(await writeOds({ sheets: [{ name: 'A', rows: people('ann') }] }))
  const { said, code } = await read(content)
  expect([code, said]).toEqual([2, expect.stringContaining('the file is an OpenDocument spreadsheet (.ods).')])
})

const several = () =>
  workbook(
    { name: 'Lists', rows: [['yes'], ['no']], isHidden: true },
    { name: 'Read me', rows: [['How to fill in this file']] },
    { name: 'Spring', rows: people('ann') },
  )

test('the first visible sheet is read, --sheet selects another, and an error names the sheets', async () => {
  const first = await read(await several())
  expect([first.code, first.sent]).toEqual([2, []])
  expect(first.said).toContain(
    'the first row of this sheet names no column for the e-mail address. Other sheets: "Spring" (--sheet).',
  )
  const other = await read(await several(), ['--sheet', 'spring'])
  expect([other.sent, other.said]).toEqual([['ann'], expect.stringContaining('sheet "Spring", one of 2')])
  const unknown = await read(await several(), ['--sheet', 'Summer'])
  expect(unknown.said).toContain(
    'the workbook has no sheet "Summer". Nothing was sent. hint: Give one with --sheet: "Rea',
  )
  expect(unknown.said).toContain('"Read me", "Spring"')
})

test('title rows above the header are no header', async () => {
  const sheet = await workbook({ rows: [['Spring 2030'], ['as of Monday'], [], ...people('ann')] })
  const { said } = await read(sheet)
  expect(said).toContain('headings in row 4')
  expect(await read(sheet)).toMatchObject({ code: 0, sent: ['ann'] })
  expect((await read(sheet, ['--header-row', '3'])).said).toContain('the file has no values in row 3')
})

const odd = Array.from({ length: 1001 }, (_each, index) => 2 * index + 1)
const texts = (count: number, width: number) => [
  ['email', ...Array.from({ length: width - 1 }, (_each, column) => `note ${column}`)],
  ...Array.from({ length: count / width }, () => Array.from({ length: width }, () => 'x'.repeat(32_000))),
]
const wide = Array.from({ length: 201 }, (_each, index) => `c${index}`)

test.each<[what: string, content: () => Promise<Uint8Array>, says: string, flags?: readonly string[]]>([
  ['an empty sheet', () => workbook({ rows: [[' '], []] }), 'the sheet is empty'],
  ['only hidden sheets', () => workbook({ rows: people('ann'), isHidden: true }), 'no sheet that is not hidden'],
  [
    'truncated content',
    async () => (await workbook(of('Ann'))).subarray(0, 900),
    'not an Excel workbook (.xlsx) that can be read',
  ],
  ['201 columns', () => workbook({ rows: [wide] }), 'the header has more than 200 columns'],
  ['a text longer than Excel allows', () => tooLong(), 'name is longer than 32,767 characters'],
  ['more than 50 MB unpacked', () => declared(60_000_000), 'more than 50 MB when it is unpacked'],
  ['an undeclared size', () => declared(0, 1_000_000), 'more than 50 MB when it is unpacked'],
  ['sizes outside its directory', undeclared, 'not an Excel workbook (.xlsx) that can be read'],
  ['50 MB of text that cells share', () => workbook({ rows: texts(1600, 10) }), 'more than 50 MB when it is unpacked'],
  ['a row of more than 1 MiB', () => workbook({ rows: texts(40, 40) }), 'row 2 of the sheet is longer than 1 MiB'],
  [
    '1,001 ranges of columns',
    () => workbook({ ...of('Ann'), hiddenColumns: odd }),
    'more than 1,000 ranges of columns',
  ],
  ['a long number format', () => workbook(of(shown(1, '0'.repeat(501)))), 'a number format of more than 500'],
  ['--encoding', () => workbook(of('Ann')), 'Leave out --encoding', ['--encoding', 'latin1']],
  ['--sheet for a table', async () => Buffer.from('email\na@b.de\n'), 'Leave out --sheet', ['--sheet', 'x']],
])('a workbook with %s is one clear error, and nobody is invited', async (_what, content, says, flags = []) => {
  const { said, sent, code } = await read(await content(), flags)
  expect(said).toContain(says)
  expect([code, sent]).toEqual([2, []])
})

/* The writer refuses such a text unless it is rich text; other programs write it. */
function tooLong() {
  const text = 'x'.repeat(32_768)
  return workbook(of({ type: 'richText', value: text, richText: [{ text }] }))
}

/* Changes the sizes of a file in the central directory of the archive. */
async function declared(unpacked: number, packed?: number) {
  const bytes = await workbook(of('Ann'))
  const [at = 0] = entriesOf(bytes)
  bytes.writeUInt32LE(unpacked, at + 24)
  if (packed !== undefined) bytes.writeUInt32LE(packed, at + 20)
  return bytes
}

/* The sizes are only in front of each part. */
async function undeclared() {
  const bytes = await workbook(of('Ann'))
  for (const at of entriesOf(bytes)) {
    bytes.writeUInt16LE(8, at + 8)
    bytes.fill(0, at + 20, at + 28)
  }
  return bytes
}

const ENTRY = 'PK\u0001\u0002'

/* The places of the entries in the central directory of an archive. */
function entriesOf(bytes: Buffer) {
  const places: number[] = []
  for (let at = bytes.indexOf(ENTRY); at !== -1; at = bytes.indexOf(ENTRY, at + 1)) places.push(at)
  return places
}

/* Its place in an entry. */
const CHECKSUM = 16

test('a part of a workbook without values is not read', async () => {
  const bytes = await workbook(of({ value: 'Ann', comment: { text: 'called' } }))
  const comments = entriesOf(bytes).find((at) => bytes.subarray(at, at + 80).includes('comments')) ?? 0
  bytes.writeUInt32LE(1, comments + CHECKSUM)
  expect(await read(bytes)).toMatchObject({ code: 0, sent: ['Ann'] })
})

test('the phonetic guide of a text in a cell is no part of a name', async () => {
  const guided = '田中</t><rPh sb="0" eb="2"><t>タナカ</t></rPh>'
  const plain = 'n'.repeat(Buffer.byteLength(guided) - '</t>'.length)
  const pieces = writeXlsxStream([HEAD, ['ann@example.com', plain, QUIZ]], { name: 'A', compress: false })
  const bytes = Buffer.from(await new Response(pieces).arrayBuffer())
  bytes.write(guided, bytes.indexOf(plain))
  const entry = entriesOf(bytes).find((at) => bytes.subarray(at, at + 80).includes('sheet1.xml')) ?? 0
  const start = bytes.readUInt32LE(entry + 42)
  const from = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28)
  bytes.writeUInt32LE(crc32(bytes.subarray(from, from + bytes.readUInt32LE(entry + 24))), entry + CHECKSUM)
  expect(await read(bytes)).toMatchObject({ code: 0, sent: ['田中'] })
})

test('a workbook can be read from stdin', async () => {
  const { mock, run } = createBulk()
  const { code } = await run(['bulk', '-', '--yes'], { stdin: await workbook(of('Ann')) })
  expect([code, mock.invites.map(({ candidate }) => candidate.email)]).toEqual([0, ['ann@example.com']])
})

test('--failed-out of a workbook is a CSV file that Excel opens and bulk reads again', async () => {
  const { mock, at, bulk, read: readFile } = createBulk()
  const error = { value: '#N/A', type: 'error' } as const
  const rows = [HEAD, ['nobody', shown(7, '000'), QUIZ], ['ann@example.com', 'Ann', QUIZ, error]]
  const flags = ['--yes', '--skip-invalid', '--failed-out', at('fix.csv')]
  expect((await bulk(await workbook({ rows }), flags)).code).toBe(3)
  expect(readFile('fix.csv').startsWith('\uFEFFemail,name,')).toBe(true)
  expect(parse(readFile('fix.csv'), { bom: true })).toEqual([
    [...HEAD, 'certify_error'],
    ['nobody', '007', QUIZ, '', expect.stringContaining('row 2: email must be')],
    ['ann@example.com', 'Ann', QUIZ, '#N/A', expect.stringContaining('row 3: external_reference is an error')],
  ])
  const fixed = readFile('fix.csv').replace('nobody', 'bob@example.com').replace('#N/A', 'r-1')
  expect((await bulk(fixed, ['--yes'])).code).toBe(0)
  expect(mock.invites.map(({ candidate }) => candidate.name)).toEqual(['007', 'Ann'])
})
