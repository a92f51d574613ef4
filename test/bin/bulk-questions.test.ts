import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createBulk, PACKAGE, QUIZ, table } from './bulk.ts'
import { NO_COLOR, type World } from './run.ts'
import { workbook } from './workbook.ts'

type Answers = NonNullable<World['answers']>

/** `certify bulk` at a terminal, and a person who answers. FILE stands for the path of the file. */
function createDesk(content: string | Uint8Array, name = 'people') {
  const world = createBulk()
  const file = world.at(name)
  writeFileSync(file, content)
  return {
    ...world,
    file,
    emails: () => world.mock.invites.map(({ candidate }) => candidate.email),
    sit: async (flags: readonly string[], answers: Answers, more: World = {}) => {
      const argv = ['bulk', ...flags].map((each) => (each === 'FILE' ? file : each))
      const typed = answers.map((each) => (each === 'FILE' ? file : each))
      const ended = await world.run(argv, { answers: typed, terminal: 100, env: NO_COLOR, ...more })
      return { ...ended, command: /^ {2}certify (.*)$/m.exec(ended.stderr)?.[1] }
    },
  }
}

/** The words of a command, as a shell reads them. */
function wordsOf(command = ''): readonly string[] {
  return execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)
}

const HEAD = ['Full name', 'Contact', 'Do not contact', 'Remote']
const person = (index: number) => [
  `P ${index}`,
  `p${index}@example.com`,
  index === 5 ? 'yes' : '',
  index % 2 === 0 ? 'yes' : 'no',
]
const people = Array.from({ length: 13 }, (_each, index) => person(index))
const invited = people.flatMap(([, email = '']) => (email === 'p5@example.com' ? [] : [email]))
const book = await workbook(
  { name: 'Notes', rows: [['Ask Ann'], ['about', 'spring']] },
  { name: 'Old', rows: [HEAD, person(99)] },
  { name: "Ann's", rows: [['Spring hiring'], [], HEAD, ...people] },
)
/* The sheet, the address, the package or quiz, who is left out, the other columns, e-mails. */
const ANSWERS = ['FILE', '3', '1', 'State and Events', '13', '1', '1', '1', 'y']

test('a workbook of three sheets needs no guide, and the printed command does the same without questions', async () => {
  const { sit, emails, file, mock } = createDesk(book, "Ann's people.xlsx")
  const { code, command, asked } = await sit([], ANSWERS)
  expect([code, emails(), asked?.length]).toEqual([0, invited, ANSWERS.length])
  expect(mock.invites.every(({ quizId }) => quizId === QUIZ)).toBe(true)
  expect(mock.invites[0]?.candidate.name).toBe('P 0')
  const again = createDesk(book, "Ann's people.xlsx")
  const words = wordsOf(command).map((each) => (each === file ? again.file : each))
  expect(words).toContain('--yes')
  expect([(await again.run(words)).code, again.emails()]).toEqual([0, invited])
})

/** A person who presses Ctrl-C instead of giving an answer. */
function newInterruption() {
  const controller = new AbortController()
  const interrupt = async () => {
    controller.abort('SIGINT')
    return undefined as never
  }
  return { interrupt, interruption: controller.signal }
}

test.each(ANSWERS.map((_each, count) => count))(
  'at question %i, Ctrl-C and no more input send nothing',
  async (count) => {
    const { sit, mock } = createDesk(book)
    const ended = await sit([], ANSWERS.slice(0, count))
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('nothing was sent and nothing was changed')])
    const { interrupt, interruption } = newInterruption()
    const { code } = await sit([], [...ANSWERS.slice(0, count), interrupt], { interruption })
    expect([code, mock.invites]).toEqual([130, []])
  },
)

test('no question that a flag has answered', async () => {
  const { sit, emails } = createDesk(book)
  const columns = ['--map', 'Contact=email', '--map', 'Remote=ignore', '--skip', 'Do not contact=yes']
  const flags = ['--sheet', "Ann's", '--header-row', '3', ...columns, '--quiz-id', QUIZ, '--no-send-email']
  const { code, asked } = await sit(flags, ['FILE', 'y'])
  expect([code, asked?.length, emails()]).toEqual([0, 2, invited])
})

test.each<[what: string, flags: readonly string[], more: World]>([
  ['in a pipe', [], { terminal: 100, answers: undefined as never }],
  ['in CI', [], { env: { CI: 'true' } }],
  ['with --no-input', ['--no-input'], {}],
])('%s nothing is asked', async (_what, flags, more) => {
  const { sit, mock } = createDesk(book)
  for (const file of [[], ['FILE']]) {
    const { code, asked } = await sit([...file, ...flags], ANSWERS, more)
    expect([code, asked, mock.invites]).toEqual([2, undefined, []])
  }
})

const ADA = `ada@example.com,${QUIZ}`
const answered: readonly [what: string, content: string, answers: Answers, flags: readonly string[]][] = [
  ['a misspelt heading', table('emial,quiz_id', ADA), ['1', 'y'], ['--map', 'emial=email']],
  [
    'two columns for one field',
    table('email,mail,quiz_id', `b@example.com,${ADA}`),
    ['2', 'y'],
    ['--map', 'mail=email'],
  ],
  [
    'a decision',
    table('email,quiz_id,Send', `${ADA},yes`, `b@example.com,${QUIZ},no`),
    ['1', 'y'],
    ['--only', 'Send=yes'],
  ],
  ['a missing quiz', table('email', 'ada@example.com'), ['13', 'y'], ['--quiz-id', QUIZ]],
  ['a missing value', table('email,quiz_id', 'ada@example.com,'), ['13', 'y'], ['--quiz-id', QUIZ]],
  ['invalid rows', table('email,quiz_id', ADA, `ada at example.com,${QUIZ}`), ['1', 'y'], ['--skip-invalid']],
]

test.each(answered)('a fault that an option mends is a question: %s', async (_what, content, answers, flags) => {
  const { sit, emails, file } = createDesk(content)
  const { code, command } = await sit(['FILE'], answers)
  expect([code, emails()]).toEqual([flags.includes('--skip-invalid') ? 3 : 0, ['ada@example.com']])
  expect(wordsOf(command)).toEqual(['bulk', file, ...flags, '--yes'])
})

test('invalid rows may also end the run, as without a terminal', async () => {
  const { sit, mock } = createDesk(table('email,quiz_id', `ada at example.com,${QUIZ}`))
  const { code, stderr } = await sit(['FILE'], ['2'])
  expect([code, stderr, mock.invites]).toEqual([2, expect.stringContaining('1 row is invalid. Nothing was sent.'), []])
})

test.each([
  ['1', 1],
  ['2', 2],
])('people whose link has expired are a question: %s', async (answer, count) => {
  const { sit, mock } = createDesk(table('email,package_id', `ada@example.com,${PACKAGE}`))
  await sit(['FILE'], ['y'])
  await mock.clock.advance('15d')
  const now = () => mock.clock.now().getTime()
  const { code } = await sit([], ['FILE', '1', answer, 'y'], { now })
  expect([code, mock.invites.length]).toEqual([0, count * 3])
})

test('a number that is not offered is asked again, and text of the file cannot change the screen', async () => {
  const { sit, emails } = createDesk(
    table('email,quiz_id,"Do not contact \u001B[2J\u202E"', `${ADA},`, `b@example.com,${QUIZ},x`),
  )
  const { code, stderr, asked } = await sit(['FILE'], ['', '0', '3', 'yes', '1', 'y'])
  expect([code, asked?.length, emails()]).toEqual([0, 6, ['ada@example.com']])
  for (const unsafe of ['\u001B[2J', '\u202E']) expect(stderr).not.toContain(unsafe)
})

test('if the key may not list, the id of a quiz is asked for', async () => {
  const { sit, mock, emails } = createDesk(table('email', 'ada@example.com'))
  const key = mock.apiKeys.find(({ name }) => name === 'invite')?.key
  const { code } = await sit(['FILE'], [QUIZ, '1', 'y'], { env: { ...NO_COLOR, CERTIFY_API_KEY: key } })
  expect([code, emails()]).toEqual([0, ['ada@example.com']])
})

test('without a service or a key, a person is told before the first question', async () => {
  const { sit } = createDesk(book)
  const { code, asked, stderr } = await sit([], ANSWERS, { env: { CERTIFY_API_KEY: undefined } })
  expect([code, asked, stderr]).toEqual([4, undefined, expect.stringContaining('no API key')])
})

test('the lines of a question fit 80 columns', async () => {
  const head = ['Full name', 'Contact', ...Array.from({ length: 6 }, (_each, index) => `a b c d e f ${index}`)]
  const { sit } = createDesk(await workbook({ name: 'People', rows: [['Spring hiring'], [], head, ...people] }))
  const { stderr } = await sit([], ['FILE', undefined])
  expect(stderr).toContain('the column "a b c d e f 5"')
  expect(stderr.split('\n').filter((line) => line.startsWith('  ') && line.length > 80)).toEqual([])
})

test('the question for an encoding shows the same text in each', async () => {
  const [line, name] = [Buffer.from(`name,email,quiz_id\n`), Buffer.from([0xa3, 0x75, 0x6b, 0x61, 0x73, 0x7a])]
  const { sit, mock } = createDesk(Buffer.concat([line, name, Buffer.from(`,lukasz@example.com,${QUIZ}\n`)]))
  const { code, stderr } = await sit(['FILE'], ['2', 'y'])
  expect(stderr).toContain('1  £ukasz (Western Europe, windows-1252)')
  expect([code, mock.invites[0]?.candidate.name]).toEqual([0, 'Łukasz'])
})

test('Ctrl-C prints the command so far, without what sends', async () => {
  const { sit } = createDesk(book)
  const { interrupt, interruption } = newInterruption()
  const { stderr } = await sit([], ['FILE', '3', interrupt], { interruption })
  expect(stderr).toMatch(/The answers so far are this command:\n {2}certify bulk \S+ --sheet '?"?Ann.*\n/)
  expect(stderr).not.toContain('--yes')
})
