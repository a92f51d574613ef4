import { expect, test } from 'vitest'
import { createBulk, QUIZ } from './bulk.ts'

const row = (fields: string) => `{"email":"a@example.com","quiz_id":"${QUIZ}",${fields}}`
const other = `{"email":"b@example.com","quiz_id":"${QUIZ}"}`
const SHAPES = [
  ['one object a line', (...objects: readonly string[]) => `${objects.join('\n')}\n`],
  ['an array', (...objects: readonly string[]) => `[${objects.join(',')}]`],
  [
    'an object with candidates',
    (...objects: readonly string[]) => `{"total": 2, "candidates": [${objects.join(',\n')}]}`,
  ],
] as const

test.each(
  SHAPES.flatMap(
    ([shape, wrap]) =>
      [
        [shape, wrap, '"external_reference":9007199254740993', 'external_reference'],
        [shape, wrap, '"external_reference":1e400', 'external_reference'],
        [shape, wrap, '"external_reference":12', 'external_reference'],
        [shape, wrap, '"name":12', 'name'],
        [shape, wrap, '"send_email":1e400', 'send_email'],
      ] as const,
  ),
)('in %s a number in a field of text is refused, never rounded: %#', async (_shape, wrap, fields, name) => {
  const { mock, bulk } = createBulk()
  const { code, rows } = await bulk(wrap(row(fields), other), ['--yes', '--skip-invalid'])
  expect([code, mock.invites.length, rows.find(({ row: number }) => number === 1)?.message]).toEqual([
    3,
    1,
    expect.stringMatching(new RegExp(`^${name} must be `)),
  ])
})

test.each(SHAPES)('in %s a number that is not read is written into the rows to fix as it was', async (_shape, wrap) => {
  const { bulk, at, read } = createBulk()
  const fields =
    '"name":7,"id":12345678901234567890,"score":1e400,"part":0.12345678901234567891,"n":1.50,"at":{"x":[9007199254740993]}'
  await bulk(wrap(row(fields), other), ['--yes', '--skip-invalid', '--failed-out', at('fix.ndjson')])
  const fixed = JSON.parse(read('fix.ndjson')) as object
  expect(fixed).toMatchObject({
    name: 7,
    id: '12345678901234567890',
    score: '1e400',
    part: '0.12345678901234567891',
    n: 1.5,
    at: { x: ['9007199254740993'] },
  })
})

test.each([
  ['on one line', `{"candidates":[${other},${row('"name":"Ann"')}]}`],
  [
    'on many lines',
    JSON.stringify(
      { page: 1, next: null, candidates: [JSON.parse(other), JSON.parse(row('"name":"Ann"'))], end: {} },
      null,
      2,
    ),
  ],
  ['with a mark', `\uFEFF{"candidates":[${other},\n${row('"name":"Ann"')}]}\n`],
])('an object with a list of candidates is read %s', async (_what, content) => {
  const { mock, bulk } = createBulk()
  const { code } = await bulk(content, ['--yes'])
  expect([code, mock.invites.map(({ candidate }) => candidate.email)]).toEqual([0, ['b@example.com', 'a@example.com']])
})

test.each([
  ['a field of rows beside the list', `{"quiz_id":"q","candidates":[${other}]}`, '"quiz_id" beside its list'],
  ['the list twice', `{"candidates":[${other}],"candidates":[]}`, 'key \\"candidates\\" twice'],
  ['a list that is cut off', `{"candidates":[${other},`, 'ends in the middle'],
  ['text behind it', `{"candidates":[${other}]} x`, 'line 1 is not part'],
])('an object with %s is refused', async (_what, content, message) => {
  const { mock, bulk } = createBulk()
  const { code, stderr } = await bulk(content, ['--yes'])
  expect([code, mock.invites, stderr.replaceAll('\\"quiz_id\\"', '"quiz_id"')]).toEqual([
    2,
    [],
    expect.stringContaining(message),
  ])
})

test.each([
  ['#a@example.com', 'email begins with #, so the row seems to be commented out'],
  [' # a@example.com', 'email begins with #, so the row seems to be commented out'],
  ["'a@example.com", "email begins with ', which Excel writes before a text"],
  ['‘a@example.com', 'email begins with ‘, which Excel writes before a text'],
])('%j is an invalid row that says what it is', async (email, message) => {
  const { rows } = await createBulk().plan(`email,quiz_id\n${email},${QUIZ}\nb@example.com,${QUIZ}\n`)
  expect(rows.map(({ status, message: told }) => [status, told])).toEqual([
    ['invalid', message],
    ['planned', undefined],
  ])
})

test('a row is commented out too where its first value is a name', async () => {
  const { rows } = await createBulk().plan(
    `name,email,quiz_id\n#Ann,a@example.com,${QUIZ}\nBob # 2,b@example.com,${QUIZ}\n`,
  )
  expect(rows.map(({ status, message }) => [status, message])).toEqual([
    ['invalid', 'name begins with #, so the row seems to be commented out'],
    ['planned', undefined],
  ])
  const reference = await createBulk().plan(`reference,email,quiz_id\n#12,a@example.com,${QUIZ}\n`)
  expect(reference.rows[0]?.status).toBe('planned')
})
