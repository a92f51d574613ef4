import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import type { Fetch } from '../../src/index.ts'
import { placeBeside } from '../../bin/bulk/report/earlier-file.ts'
import { candidates, createBulk, QUIZ, table } from './bulk.ts'
import { workbook } from './workbook.ts'

const rowsOf = (text: string) => parse<Record<string, string>>(text, { columns: true, bom: true })

/* The first row is done last: its response waits for all others. */
function slowFirst(mock: ReturnType<typeof createBulk>['mock'], others: number) {
  let release = () => {}
  const allOthers = new Promise<void>((resolve) => {
    release = resolve
  })
  let done = 0
  const fetch: Fetch = async (url, init) => {
    const { body } = init
    if (!body.includes('mutation')) return mock.fetch(url, init)
    if (body.includes('candidate-1@')) await allOthers
    const response = await mock.fetch(url, init)
    done += 1
    if (done === others) release()
    return response
  }
  return fetch
}

test.each(['r.csv', 'r.ndjson', 'r.json'])(
  'a report has the order of the file, whatever was done first: %s',
  async (name) => {
    const { mock, at, run, read } = createBulk()
    writeFileSync(at('x'), candidates(300).replace('candidate-200@example.com', 'nobody'))
    const argv = ['bulk', at('x'), '--yes', '--skip-invalid', '--json', '--report', at(name)]
    const { stdout } = await run(argv, { fetch: slowFirst(mock, 298) })
    const printed = stdout.trim().split('\n')
    expect(printed.findIndex((line) => line.includes('"row":2,'))).toBeGreaterThan(100)
    const text = read(name)
    const numbers = [...text.matchAll(name === 'r.csv' ? /^(\d+),/gm : /"type":"row","row":(\d+)/g)].map(([, row]) =>
      Number(row),
    )
    expect(numbers).toEqual(Array.from({ length: 300 }, (_each, index) => index + 2))
    expect(readdirSync(at('.')).filter((each) => each.endsWith('.part'))).toEqual([])
  },
)

test('without room to note the places of rows, the report has them in the order in which they were done', async () => {
  const { mock, at, run, read } = createBulk()
  writeFileSync(at('x'), candidates(5))
  const { TMPDIR } = process.env
  const fetch = slowFirst(mock, 4)
  let isFirst = true
  const argv = ['bulk', at('x'), '--yes', '--report', at('r.csv')]
  const breaking: Fetch = (url, init) => {
    if (isFirst) process.env['TMPDIR'] = at('nowhere')
    isFirst = false
    return fetch(url, init)
  }
  try {
    expect((await run(argv, { fetch: breaking })).code).toBe(0)
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = TMPDIR
  }
  expect(rowsOf(read('r.csv')).map(({ row }) => Number(row))).toEqual([3, 4, 5, 6, 2])
})

test('a report has the names of the candidates after their addresses; a pipe has the columns that it had', async () => {
  const { at, run, read } = createBulk()
  writeFileSync(at('x'), table('name,email,quiz_id', `Ann,ann@example.com,${QUIZ}`))
  const { stdout } = await run(['bulk', at('x'), '--yes', '--report', at('r.csv')])
  expect(read('r.csv').split('\r\n')[0]).toBe(
    'row,status,email,name,quiz_id,package_id,external_reference,invite_ids,expires_at,email_sent,reference,code,message',
  )
  expect(rowsOf(read('r.csv'))).toMatchObject([{ email: 'ann@example.com', name: 'Ann' }])
  expect(stdout.split('\t').slice(1, 4)).toEqual(['created', 'ann@example.com', QUIZ])
})

test.each<[what: string, content: string | Uint8Array, mark: string, delimiter: string]>([
  ['semicolons and a mark', `\uFEFFemail;quiz_id\nann@example.com;${QUIZ}\n`, '\uFEFF', ';'],
  ['tabs', `email\tquiz_id\nann@example.com\t${QUIZ}\n`, '', '\t'],
  ['commas', `email,quiz_id\nann@example.com,${QUIZ}\n`, '', ','],
  ['UTF-16', Buffer.from(`\uFEFFemail;quiz_id\nann@example.com;${QUIZ}\n`, 'utf16le'), '\uFEFF', ';'],
  ['NDJSON', JSON.stringify({ email: 'ann@example.com', quiz_id: QUIZ }), '', ','],
  [
    'a workbook',
    workbook({
      rows: [
        ['email', 'quiz_id'],
        ['ann@example.com', QUIZ],
      ],
    }),
    '\uFEFF',
    ',',
  ],
])('a report as CSV has the delimiter and the mark of its input: %s', async (_what, content, mark, delimiter) => {
  const { at, bulk, read } = createBulk()
  await bulk(content, ['--yes', '--report', at('r.csv')])
  expect(read('r.csv').startsWith(`${mark}row${delimiter}status${delimiter}`)).toBe(true)
  expect(read('r.csv').split('\r\n')[1]).toMatch(new RegExp(`^2?1?${delimiter}created${delimiter}ann@example.com`))
})

test('a second run keeps the report of the first one, and says under which name', async () => {
  const { at, run, read } = createBulk()
  writeFileSync(at('x'), candidates(2))
  const argv = ['bulk', at('x'), '--report', at('r.csv')]
  const first = await run([...argv, '--yes'])
  expect(first.stderr).not.toContain('earlier report')
  const created = read('r.csv')
  const second = await run([...argv, '--yes'])
  expect(second.stderr).toMatch(/earlier report +.*r\.1\.csv/)
  expect([read('r.1.csv'), read('r.csv').includes('already_invited')]).toEqual([created, true])
  const third = await run([...argv, '--dry-run'])
  expect(third.stderr).toMatch(/earlier report +.*r\.2\.csv/)
  expect(readdirSync(at('.')).filter((name) => name.startsWith('r.'))).toEqual(['r.1.csv', 'r.2.csv', 'r.csv'])
})

test('two runs at the same time under one name leave two whole reports', async () => {
  const { at, run, read } = createBulk()
  writeFileSync(at('x'), candidates(3))
  writeFileSync(at('y'), candidates(4))
  const start = (name: string) => run(['bulk', at(name), '--yes', '--concurrency', '1', '--report', at('r.csv')])
  await Promise.all([start('x'), start('y')])
  expect(readdirSync(at('.')).filter((name) => name.startsWith('r.'))).toEqual(['r.1.csv', 'r.csv'])
  const lengths = ['r.csv', 'r.1.csv'].map((name) => rowsOf(read(name)).length)
  expect(new Set(lengths)).toEqual(new Set([3, 4]))
})

test('a file gets its name although another process moves the earlier one, or takes the name, at the same moment', () => {
  const { at, read } = createBulk()
  for (const name of ['a', 'b', 'c']) writeFileSync(at(`${name}.part`), name)
  expect(placeBeside(at('a.part'), at('r.json'))).toBeUndefined()
  expect(placeBeside(at('b.part'), at('r.json'))).toBe(at('r.1.json'))
  expect(placeBeside(at('c.part'), at('r.json'))).toBe(at('r.2.json'))
  expect(['r.1.json', 'r.2.json', 'r.json'].map(read)).toEqual(['a', 'b', 'c'])
  expect(existsSync(at('a.part'))).toBe(false)
})

test('values without a column name keep their places before the reason, also when they are fed again', async () => {
  const { mock, at, bulk, read } = createBulk()
  const reason = (row: number) =>
    `row ${row}: row has more values than there are columns; one with the delimiter in it needs quotes`
  const flags = ['--yes', '--failed-out', at('fix.csv')]
  await bulk(table('email,name,quiz_id', `ann@example.com,Byron, Ann,${QUIZ},,`), flags)
  const cells = ['ann@example.com', 'Byron', ' Ann', QUIZ]
  const rows = () => parse(read('fix.csv'), { relax_column_count: true })
  expect(rows()).toEqual([
    ['email', 'name', 'quiz_id', 'certify_error'],
    [...cells, reason(2)],
  ])
  expect((await bulk(read('fix.csv'), flags)).code).toBe(2)
  expect(rows()).toEqual([
    ['email', 'name', 'quiz_id', 'certify_error'],
    [...cells, reason(2)],
  ])
  /* Only quotes are missing. */
  expect((await bulk(read('fix.csv').replace('Byron," Ann"', '"Byron, Ann"'), flags)).code).toBe(0)
  expect(mock.invites.map(({ candidate }) => candidate.name)).toEqual(['Byron, Ann'])
})

test('a value in the place of the reason is no reason: it may be one without a column of its own', async () => {
  const { plan } = createBulk()
  const { rows } = await plan(table('email,name,quiz_id,certify_error', `ann@example.com,Byron, Ann,${QUIZ}`))
  expect(rows).toMatchObject([
    { status: 'rejected', message: expect.stringContaining('under certify_error that is no reason') },
  ])
})

test('--include-links is refused where no output would have the links', async () => {
  const { mock, at, run } = createBulk()
  writeFileSync(at('x'), candidates(1))
  const argv = ['bulk', at('x'), '--yes', '--include-links']
  const onTerminal = await run(argv, { terminal: 100 })
  expect([onTerminal.code, onTerminal.stderr]).toEqual([
    2,
    expect.stringContaining('a terminal shows only the summary'),
  ])
  const quiet = await run([...argv, '--quiet'])
  expect([quiet.code, quiet.stderr]).toEqual([2, expect.stringContaining('--quiet would leave them out')])
  expect(mock.invites).toEqual([])
  expect((await run(argv)).stdout).toContain(mock.invites[0]?.challengeUrl)
  for (const more of [['--json'], ['--report', at('r.csv')]]) {
    expect((await run([...argv, ...more], { terminal: 100 })).code).toBe(0)
  }
})

test('--quiet prints no plan, except before a question', async () => {
  const { at, run } = createBulk()
  writeFileSync(at('x'), candidates(1))
  expect((await run(['bulk', at('x'), '--dry-run', '--quiet'])).stderr).toBe('')
  expect((await run(['bulk', at('x'), '--yes', '--quiet'])).stderr).not.toContain('to be sent')
  writeFileSync(at('x'), candidates(2))
  expect((await run(['bulk', at('x'), '--quiet'], { answers: ['y'] })).stderr).toContain('to be sent')
})
