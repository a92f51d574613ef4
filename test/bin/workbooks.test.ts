import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { createBulk, QUIZ } from './bulk.ts'
import { type Cell, type SheetOf, workbook } from './workbook.ts'
import { zip } from './zip.ts'

const HEAD = ['email', 'name', 'quiz_id', 'external_reference']
const shown = (value: number, format: string) => ({ value, format })
const date = (format: string) => shown(45_000, format)
const of = (name?: Cell, reference?: Cell): SheetOf => ({
  rows: [HEAD, ['ann@example.com', name, QUIZ, reference]],
})
const ANN = { 'ann@example.com': ['Ann', ''] }
const plainRows = [HEAD, ['ann@example.com', 'Ann', QUIZ]]
const bomb = (declaredSize?: number) =>
  workbook(of('Ann'), {
    others: [
      {
        name: 'xl/sharedStrings.xml',
        content: Buffer.alloc(51_000_000, 32),
        ...(declaredSize !== undefined && { declaredSize }),
      },
    ],
  })

const rowsOf = (count: number, cell: (row: number) => string) =>
  Array.from({ length: count }, (_each, index) => `<row r="${index + 1}">${cell(index + 1)}</row>`).join('')
const withSheet = (rows: string, strings = '', columns = '') =>
  workbook(of('Ann'), {
    others: [
      {
        name: 'xl/worksheets/sheet1.xml',
        content: `<worksheet><cols>${columns}</cols><sheetData>${rows}</sheetData></worksheet>`,
      },
      { name: 'xl/sharedStrings.xml', content: `<sst>${strings}</sst>` },
    ],
  })

async function read(content: Uint8Array, flags: readonly string[] = []) {
  const { mock, at, run } = createBulk()
  writeFileSync(at('people.xlsx'), content)
  const plan = await run(['bulk', at('people.xlsx'), '--dry-run', '--color', 'never', ...flags], { terminal: 400 })
  const said = plan.stderr.replaceAll(/\s+/g, ' ')
  expect(mock.invites).toEqual([])
  const ended = await run(['bulk', at('people.xlsx'), '--yes', ...flags])
  const sent = Object.fromEntries(
    mock.invites.map(({ candidate, externalReference }) => [
      candidate.email,
      [candidate.name, externalReference ?? ''],
    ]),
  )
  return { plan, said, ended, sent }
}

test.each<[what: string, cell: Cell, name: string]>([
  ['a text', 'Ann', 'Ann'],
  ['spaces around a text', '  Ann ', 'Ann'],
  ['a line break', 'Ann\nLee', 'Ann Lee'],
  ['a line break of Windows', 'Ann_x000D_\nLee', 'Ann Lee'],
  ['signs of XML', 'Ann & <Lee> "B"', 'Ann & <Lee> "B"'],
  ['rich text', { xml: 't="inlineStr"><is><r><t>An</t></r><r><rPr><b/></rPr><t>n L</t></r></is>' }, 'Ann L'],
  ['an inline text', { xml: 't="inlineStr"><is><t>Ann</t></is>' }, 'Ann'],
  ['the result of a formula', { xml: 't="str"><f>A1&amp;B1</f><v>Ann</v>' }, 'Ann'],
  ['the number that a formula results in', { xml: '><f>1+1</f><v>2</v>' }, '2'],
  ['leading zeros', shown(42, '00000'), '00042'],
  ['a number with text around it', shown(12, '"EMP-"000'), 'EMP-012'],
  ['a phone number', shown(15_551_234, '000"-"00000'), '155-51234'],
  ['thousands', shown(1_234_567.891, '#,##0.00'), '1,234,567.89'],
  ['per cent', shown(0.256, '0%'), '26%'],
  ['a plain number', 0.1, '0.1'],
  ['twelve digits', 123_456_789_012, '123456789012'],
  ['fifteen digits', 123_456_789_012_345, '123456789012345'],
  ['a date', date('yyyy-mm-dd'), '2023-03-15'],
  ['a German date', date('dd.mm.yyyy'), '15.03.2023'],
  ['a month by name', date('d. mmmm yyyy'), '15. March 2023'],
  ['a date and a time', shown(45_000.5, 'dd/mm/yyyy hh:mm'), '15/03/2023 12:00'],
  ['a truth value', { xml: 't="b"><v>1</v>' }, 'TRUE'],
])('a cell is read as the sheet shows it: %s', async (_what, cell, name) => {
  const { sent, ended } = await read(workbook(of(cell)))
  expect([ended.code, sent]).toEqual([0, { 'ann@example.com': [name, ''] }])
})

test.each<[what: string, cell: Cell, rule: string]>([
  ['a number of 16 digits', 1_234_567_890_123_456, 'external_reference is a number of more than 15 digits'],
  [
    'the same with a format',
    shown(1_234_567_890_123_456, '0'),
    'external_reference is a number of more than 15 digits',
  ],
  [
    'a number shown with an exponent',
    shown(123_456_789_012, '0.00E+00'),
    'external_reference is shown with an exponent',
  ],
  ['an error', { xml: 't="e"><v>#N/A</v>' }, 'external_reference is an error of the sheet'],
  ['a formula that gives an error', { xml: 't="e"><f>1/0</f><v>#DIV/0!</v>' }, 'external_reference is an error'],
  ['a formula without a result', { xml: '><f>A1</f>' }, 'external_reference is a formula without a result'],
])('a cell that lost its value is no text: %s', async (_what, cell, rule) => {
  const { said, sent, ended } = await read(workbook(of('Ann', cell)))
  expect(said).toContain(`row 2: ${rule}`)
  expect([ended.code, sent]).toEqual([2, {}])
})

test('numbers that look like flags are read: 1 means an e-mail, 0 means none', async () => {
  const { sent, said } = await read(
    workbook({
      rows: [
        ['email', 'quiz_id', 'send_email'],
        ['ann@example.com', QUIZ, 1],
        ['bob@example.com', QUIZ, 0],
      ],
    }),
  )
  expect(Object.keys(sent)).toEqual(['ann@example.com', 'bob@example.com'])
  expect(said).toContain('none for 1 row')
})

test('a workbook that counts its days from 1904 shows the same dates', async () => {
  const { sent } = await read(workbook(of(shown(43_538, 'yyyy-mm-dd')), { is1904: true }))
  expect(sent).toEqual({ 'ann@example.com': ['2023-03-15', ''] })
})

test('rows have the numbers of the sheet; empty ones and a title-less start are passed over', async () => {
  const rows = [[], HEAD, [], ['ann@example.com', 'Ann', QUIZ], ['', ' '], ['nobody', 'Bob', QUIZ]]
  const { said } = await read(workbook({ rows }))
  expect(said).toContain('2 rows, sheet "Candidates"')
  expect(said).toContain('row 6: email must be a valid e-mail address')
})

test('a value beyond the headings is ignored with its column, as in a table', async () => {
  const { sent, said } = await read(workbook({ rows: [HEAD, ['ann@example.com', 'Ann', QUIZ, undefined, 'note']] }))
  expect(said).toContain('ignored ""')
  expect(sent).toEqual(ANN)
})

test('merged cells, hidden rows and columns, and formulas are told in the plan, each with its number', async () => {
  const { said, sent, plan } = await read(
    workbook({
      rows: [
        [...HEAD, 'secret'],
        ['ann@example.com', 'Ann', QUIZ, { xml: 't="str"><f>A1</f><v>ref</v>' }, 'x'],
        ['bob@example.com', 'Bob', QUIZ, undefined, 'y'],
        ['eve@example.com', 'Eve', QUIZ, undefined, 'z'],
        [],
      ],
      merged: ['E2:E3'],
      hiddenRows: [3, 4, 5],
      hiddenColumns: [5],
    }),
    ['--include-hidden'],
  )
  expect(said).toContain('merged cells 1: only the first cell of each has the value')
  expect(said).toContain('hidden rows 2: they are read like the others')
  expect(said).toContain('hidden columns 1: they are read like the others')
  expect(said).toContain('formulas 1: their results are read')
  expect(Object.keys(sent)).toEqual(['ann@example.com', 'bob@example.com', 'eve@example.com'])
  expect(plan.code).toBe(0)
})

test('hidden rows stop the run, until a flag says whether they are meant', async () => {
  const people = ['ann', 'bob', 'cleo', 'dan', 'eve', 'fay', 'gus', 'hal']
  const rows = [HEAD, ...people.map((each) => [`${each}@example.com`, each, QUIZ]), []]
  const sheet = workbook({ rows, hiddenRows: [1, 3, 5, 6, 7, 8, 10], zeroHeightRows: [4] })
  const stopped = await read(sheet)
  expect([stopped.plan.code, stopped.ended.code, stopped.sent]).toEqual([2, 2, {}])
  expect(stopped.said).toContain(
    '6 rows are hidden in the sheet "Candidates": 3, 4, 5, 6, 7 and more. Nothing was sent.',
  )
  expect(stopped.said).toContain('Give --include-hidden to invite them too, or --skip-hidden to leave them out.')
  const included = await read(sheet, ['--include-hidden'])
  expect([
    included.ended.code,
    Object.values(included.sent)
      .flatMap(([name]) => name ?? [])
      .toSorted(),
  ]).toEqual([0, people])
  const skipped = await read(sheet, ['--skip-hidden'])
  expect([
    skipped.ended.code,
    Object.values(skipped.sent)
      .flatMap(([name]) => name ?? [])
      .toSorted(),
  ]).toEqual([0, ['ann', 'hal']])
  expect(skipped.said).toContain('hidden rows 6: they are left out')
  const both = await read(sheet, ['--include-hidden', '--skip-hidden'])
  expect([both.ended.code, both.sent]).toEqual([2, {}])
})

test('a row whose address is in the cell above, merged, is not valid', async () => {
  const rows = [HEAD, ['ann@example.com', 'Ann', QUIZ], [undefined, 'Anna', QUIZ]]
  const { said } = await read(workbook({ rows, merged: ['A2:A3'] }))
  expect(said).toContain('row 3: email is missing')
})

test('the plan as JSON has the same facts of the sheet', async () => {
  const { plan } = createBulk()
  const { summary } = await plan(workbook({ rows: plainRows, merged: ['A1:B1'] }))
  expect(summary?.['sheet']).toEqual({
    name: 'Candidates',
    sheets: 1,
    mergedRanges: 1,
    hiddenRows: 0,
    hiddenColumns: 0,
    formulas: 0,
  })
})

const two = workbook([
  { name: 'Lists', rows: [['yes'], ['no']], isHidden: true },
  { name: 'Spring', rows: plainRows },
  { name: 'Autumn', rows: [HEAD, ['bob@example.com', 'Bob', QUIZ]] },
])

test('the first sheet that is not hidden is read, another one with --sheet, whatever its case', async () => {
  const first = await read(two)
  expect([first.sent, first.said]).toEqual([ANN, expect.stringContaining('sheet "Spring", one of 2')])
  const other = await read(two, ['--sheet', 'autumn'])
  expect(other.sent).toEqual({ 'bob@example.com': ['Bob', ''] })
  expect((await read(two, ['--sheet', 'Lists'])).said).toContain('no column is the e-mail address')
})

test.each<[what: string, content: Uint8Array, says: string, flags?: readonly string[]]>([
  [
    'an unknown sheet',
    two,
    'has no sheet "Summer". Nothing was sent. hint: Give one with --sheet: "Spring", "Autumn"',
    ['--sheet', 'Summer'],
  ],
  ['an empty sheet', workbook({ rows: [] }), 'the sheet "Candidates" is empty'],
  ['a sheet of blanks', workbook({ rows: [[' '], []] }), 'the sheet "Candidates" is empty'],
  ['only hidden sheets', workbook({ rows: plainRows, isHidden: true }), 'the workbook has no sheet that is not hidden'],
  ['no addresses', workbook({ rows: [['person'], ['Ann']] }), 'no column is the e-mail address'],
  ['an apostrophe in the value', workbook({ rows: [HEAD, ["'ann@example.com", 'Ann', QUIZ]] }), "email begins with '"],
  ['a file that was cut off', workbook(of('Ann')).subarray(0, 900), 'zip archive, but it is not complete'],
  [
    'a directory that was damaged',
    Buffer.concat([workbook(of('Ann')).subarray(0, -40), Buffer.alloc(40, 1)]),
    'not complete',
  ],
  [
    'a damaged sheet',
    workbook(of('Ann'), {
      others: [{ name: 'xl/worksheets/sheet1.xml', content: '<worksheet><sheetData><row><c r="9"><v>1</v' }],
    }),
    'no Excel workbook (.xlsx) that can be read',
  ],
  ['another archive', zip([{ name: 'a.csv', content: 'email\n' }]), 'no Excel workbook (.xlsx) that can be read'],
  [
    'an OpenDocument sheet',
    zip([{ name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet', isStored: true }]),
    'an OpenDocument sheet',
  ],
  ['an old workbook', Buffer.concat([Buffer.of(0xd0, 0xcf, 0x11, 0xe0), randomBytes(5000)]), 'an old version (.xls)'],
  [
    'a password',
    Buffer.concat([
      Buffer.of(0xd0, 0xcf, 0x11, 0xe0),
      Buffer.alloc(70_001),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ]),
    'with a password',
  ],
  ['a bomb', bomb(), 'more than 50 MB when it is unpacked'],
  ['a bomb that hides its size', bomb(0), 'more than 50 MB when it is unpacked'],
  ['a bomb that says it is small', bomb(1_000_000), 'more than 50 MB when it is unpacked'],
  [
    'a cell in the last column of each row',
    withSheet(rowsOf(1200, (row) => `<c r="XFD${row}"><v>1</v></c>`)),
    'a sheet of the workbook has more than 200 columns',
  ],
  [
    'many formats of all columns',
    withSheet('', '', '<col min="1" max="16384" hidden="1"/>'.repeat(1001)),
    'a sheet of the workbook has more than 200 columns',
  ],
  [
    'a long text in many cells',
    withSheet(
      rowsOf(2000, (row) => `<c r="A${row}" t="s"><v>0</v></c>`),
      `<si><t>${'email '.repeat(5000)}</t></si>`,
    ),
    'texts of more than 50,000,000 characters',
  ],
  ['many texts', withSheet('', '<si/>'.repeat(3_000_001)), 'more than 3,000,000 tags'],
  ['--encoding', workbook(of('Ann')), 'Leave out --encoding', ['--encoding', 'latin1']],
  ['--format', workbook(of('Ann')), 'Leave out --format', ['--format', 'csv']],
  [
    '--sheet for a table',
    Buffer.from(`email,quiz_id\na@example.com,${QUIZ}\n`),
    'no Excel workbook (.xlsx). Nothing was sent. hint: Leave out --sheet',
    ['--sheet', 'x'],
  ],
])(
  'what cannot be read ends with one clear error, and nobody is invited: %s',
  async (_what, content, says, flags = []) => {
    const { said, sent, ended } = await read(content, flags)
    expect(said).toContain(says)
    expect([ended.code, sent]).toEqual([2, {}])
  },
)

test('a workbook on stdin is read too', async () => {
  const { mock, run } = createBulk()
  const { code } = await run(['bulk', '-', '--yes'], { stdin: workbook(of('Ann')) })
  expect([code, mock.invites.map(({ candidate }) => candidate.email)]).toEqual([0, ['ann@example.com']])
})

test('the rows of a workbook that have to be fixed become a table that Excel opens, and bulk reads again', async () => {
  const { mock, at, bulk, read: readFile } = createBulk()
  const rows = [HEAD, ['nobody', shown(7, '000'), QUIZ], ['ann@example.com', 'Ann', QUIZ, { xml: 't="e"><v>#N/A</v>' }]]
  const flags = ['--yes', '--skip-invalid', '--failed-out', at('fix.csv')]
  expect((await bulk(workbook({ rows }), flags)).code).toBe(3)
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
