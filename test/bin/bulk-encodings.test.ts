import { expect, test } from 'vitest'
import { createBulk, QUIZ } from './bulk.ts'

const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))
const sheet = (...name: readonly (string | readonly number[])[]) =>
  bytes('email,quiz_id,name\n', `b@example.com,${QUIZ},Bob\n`, `a@example.com,${QUIZ},`, ...name, '\n')
const failure = (stderr: string) => (JSON.parse(stderr) as { error: { message: string; hint: string } }).error

const NAMES = [
  ['windows-1252', ['Zo', [0xeb], ' M', [0xfc], 'ller'], 'Zoë Müller', '···ë'],
  ['windows-1252', ['Ren', [0xe9], ' ', [0x8a], 'ek'], 'René Šek', '···é'],
  ['windows-1250', [[0xa3], [0xf3], 'd', [0x9f]], 'Łódź', 'Ł'],
  ['windows-1251', [[0xc0, 0xed, 0xed, 0xe0], ' ', [0xca, 0xe8, 0xec]], 'Анна Ким', 'А'],
  ['macintosh', ['Zo', [0x91], ' M', [0x9f], 'ller'], 'Zoë Müller', '··ë'],
  ['shift_jis', [[0x93, 0x63, 0x92, 0x86], ' ', [0x89, 0xd4, 0x8e, 0x71]], '田中 花子', '田'],
  ['euc-kr', [[0xb1, 0xe8, 0xc3, 0xb6, 0xbc, 0xf6]], '김철수', '김'],
] as const

test.each(NAMES)('--encoding %s reads it', async (encoding, name, text) => {
  const { mock, bulk, run, at } = createBulk()
  expect((await bulk(sheet(...name), ['--yes', '--encoding', encoding.toUpperCase()])).code).toBe(0)
  expect(mock.invites.map(({ candidate }) => candidate.name)).toEqual(['Bob', text])
  expect((await run(['bulk', at('input'), '--dry-run', '--encoding', encoding])).stderr).toContain(`csv in ${encoding}`)
})

test.each(['latin1', 'cp1252', 'ascii', 'x-sjis', 'csMacintosh', 'gbk', 'ISO-8859-15', 'koi8-u', 'utf8'])(
  '--encoding takes the label %s',
  async (label) => {
    expect((await createBulk().plan(`email,quiz_id\na@example.com,${QUIZ}\n`, ['--encoding', label])).code).toBe(0)
  },
)

test('--encoding refuses an unknown label, and one that the file proves wrong', async () => {
  const unknown = await createBulk().plan('email\n', ['--encoding', 'klingon'])
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('windows-1252')])
  const marked = await createBulk().plan(bytes([0xef, 0xbb, 0xbf], 'email\n'), ['--encoding', 'windows-1252'])
  expect([marked.code, marked.stderr]).toEqual([2, expect.stringContaining('byte order mark of UTF-8')])
  const utf8 = await createBulk().plan(sheet('Zoë'), ['--encoding', 'windows-1252'])
  expect([utf8.code, utf8.stderr]).toEqual([2, expect.stringContaining('is text in UTF-8')])
  const broken = await createBulk().plan(sheet([0x81]), ['--encoding', 'shift_jis'])
  expect([broken.code, broken.stderr]).toEqual([
    2,
    expect.stringContaining('line 3 of the file is no text in shift_jis'),
  ])
})

test.each([
  ['UTF-16LE', (text: string) => Buffer.from(text, 'utf16le')],
  ['UTF-16BE', (text: string) => Buffer.from(text, 'utf16le').swap16()],
])('%s without a byte order mark says what it is, and --encoding reads it', async (encoding, encode) => {
  for (const name of ['Zoe', 'Анна']) {
    const content = encode(`email,quiz_id,name\na@example.com,${QUIZ},${name}\n`)
    const { mock, bulk } = createBulk()
    const { code, stderr } = await bulk(content, ['--yes'])
    expect([code, failure(stderr).message]).toEqual([
      2,
      expect.stringContaining(`${encoding} without a byte order mark`),
    ])
    await bulk(content, ['--yes', '--encoding', encoding])
    expect(mock.invites[0]?.candidate.name).toBe(name)
  }
})

test('a NUL byte is named as such', async () => {
  const { code, stderr } = await createBulk().bulk(sheet('A', [0], 'b'), ['--yes'])
  expect([code, failure(stderr).message]).toEqual([
    2,
    expect.stringContaining('line 3 of the file is no text in UTF-8: it has a NUL byte'),
  ])
})

test('bytes of two encodings in one file are named as such', async () => {
  const { stderr } = await createBulk().bulk(
    bytes('email,name\n', 'c@example.com,Zoë\n', 'a@example.com,Zo', [0xeb], '\n'),
    ['--yes'],
  )
  expect(failure(stderr).message).toContain('lines before it have characters in UTF-8')
})

test('rows to fix of a file in another encoding have a mark, so that the same flags do not misread them', async () => {
  const { bulk, at, read } = createBulk()
  const content = bytes('email,quiz_id,name\n', `no address,${QUIZ},Zo`, [0xeb], '\n')
  await bulk(content, ['--yes', '--skip-invalid', '--encoding', 'windows-1252', '--failed-out', at('fix.csv')])
  expect(read('fix.csv').startsWith('\uFEFFemail')).toBe(true)
  expect(read('fix.csv')).toContain('Zoë')
  const again = await bulk(read('fix.csv'), ['--yes', '--encoding', 'windows-1252'])
  expect(again.stderr).toContain('byte order mark of UTF-8')
})
