import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createBulk, PACKAGE, QUIZ, table } from './bulk.ts'
import { NO_COLOR, type World } from './run.ts'
import { workbook } from './workbook.ts'

const YES = ['--yes', '--json']

/* Imports a sheet with these flags, into a ledger of its own. */
function importing() {
  const setting = createBulk()
  const { at, run } = setting
  const imported = async (content: string | Uint8Array, argv: readonly string[] = YES, world: World = {}) => {
    writeFileSync(at('invited.csv'), content)
    const ended = await run(['ledger', 'import', at('invited.csv'), ...argv], world)
    const lines = argv.includes('--json') ? ended.stdout.split('\n').filter(Boolean) : []
    const rows = lines.map((line) => JSON.parse(line) as { row: number; status: string; message: string })
    return { ...ended, rows, statuses: rows.slice(0, -1).map(({ status }) => status), summary: rows.at(-1) }
  }
  return { ...setting, imported }
}

const sheet = table(
  'Candidate e-mail,Full name,Test,package,Invitation ID,Sent on,Expires,Reference,Invite link',
  'ada@example.com,Ada,"State and Events",,inv_1,2029-12-30,,hire-1,https://certify.test/c/1',
  'grace@example.com,Grace,,React Fundamentals,,30.12.2029,,,',
  `hedy@example.com,Hedy,${QUIZ},,,,2030-01-20T10:00:00+01:00,,https://certify.test/c/3`,
  `mary@example.com,Mary,${QUIZ},,,,,,`,
  `old@example.com,Old,${QUIZ},,,2029-11-02 09:30,,,`,
)
const people = table(
  'email,quiz_id,package_id',
  ...['ada', 'hedy', 'mary', 'old', 'grace'].map((name) => `${name}@example.com,${QUIZ},`),
  `grace@example.com,,${PACKAGE}`,
  `new@example.com,${QUIZ},`,
)
const asQuiz = ['--map', 'Test=quiz_id']

test('after the import of a sheet, bulk over the same people invites only the others', async () => {
  const { bulk, imported, mock, run } = importing()
  const { code, statuses, stderr } = await imported(sheet, [...YES, ...asQuiz])
  expect([code, stderr, statuses]).toEqual([0, '', Array.from({ length: 5 }, () => 'imported')])
  expect(mock.invites).toEqual([])
  const { rows } = await bulk(people, ['--yes'])
  expect(rows.toSorted((one, other) => one.row - other.row).map(({ status }) => status)).toEqual([
    'already_invited',
    'already_invited',
    'already_invited',
    'expired',
    'already_invited',
    'duplicate',
    'created',
  ])
  const { stdout } = await run(['invites', 'list', '--email', 'ada@example.com', '--show-links', '--json'])
  expect(JSON.parse(stdout)).toMatchObject([
    { inviteId: 'inv_1', reference: 'hire-1', sentAt: '2029-12-30T23:59:59.000Z', name: 'Ada', quizId: QUIZ },
  ])
})

test('the plan says what would be recorded and what is missing, without links; a dry run records nothing', async () => {
  const { imported, run } = importing()
  const flags = ['--dry-run', ...asQuiz]
  const { code, stdout, stderr } = await imported(sheet, flags, { terminal: 400, env: NO_COLOR })
  expect(code).toBe(0)
  const said = stderr.replaceAll(/ +/g, ' ').split('\n')
  for (const line of [
    ' to record 5',
    ' first Ada <ada@example.com>, Grace <grace@example.com>, Hedy <hedy@example.com>, …',
    ` invited to State and Events (BEGINNER), ${QUIZ}: 4 rows; React Fundamentals (BEGINNER), ${PACKAGE}: 1 row`,
    ' no time 1: they count as made now, so their links as open for 14 days',
    ' expired 1: their links have expired already, so these people can be invited again',
    ' links 1: without the one id of their invite; they are not recorded',
  ])
    expect(said).toContain(line)
  expect(stdout + stderr).not.toContain('/c/')
  expect((await run(['ledger', 'check', '--json'])).code).toBe(5)
  const many = table('email,quiz_id', ...Array.from({ length: 52 }, (_each, index) => `c${index}@example.com,${QUIZ}`))
  const shown = (await imported(many, ['--dry-run'], { terminal: 80 })).stdout.trimEnd().split('\n')
  expect([shown.length, shown.at(-1)]).toEqual([52, 'and 2 rows more: --json and a pipe have all of them.'])
})

test('a sheet is recorded only after a yes, and again it changes nothing', async () => {
  const { imported, run } = importing()
  const terminal = { terminal: 80, answers: ['n'] }
  expect((await imported(sheet, asQuiz)).code).toBe(2)
  const refused = await imported(sheet, asQuiz, terminal)
  expect([refused.code, refused.asked?.[0]?.text]).toEqual([2, 'Record 5 rows in the ledger? Nothing is sent. [y/N] '])
  await imported(sheet, asQuiz, { ...terminal, answers: ['y'] })
  const again = await imported(sheet, [...YES, ...asQuiz])
  expect([again.code, new Set(again.statuses)]).toEqual([0, new Set(['known'])])
  expect(JSON.parse((await run(['invites', 'list', '--json'])).stdout)).toHaveLength(5)
})

test('invalid rows are named without their values, and nothing is recorded unless they are left out', async () => {
  const { imported } = importing()
  const broken = table(
    'email,quiz_id,created_at,reference,invite_id',
    `ada at example.com,${QUIZ},,,`,
    `bob@example.com,${QUIZ},11/2/29,,`,
    `cy@example.com,${QUIZ},2031-01-01,a b,`,
    'di@example.com,No such title,,,',
    `ed@example.com,${QUIZ},,,"a, b"`,
    `ok@example.com,${QUIZ},,,`,
  )
  const { code, rows, statuses, stderr } = await imported(broken)
  expect([code, statuses]).toEqual([2, ['invalid', 'invalid', 'invalid', 'invalid', 'invalid', 'planned']])
  expect(rows.slice(0, 5).map(({ message }) => message)).toEqual([
    expect.stringMatching(/^email must be a valid/),
    expect.stringMatching(/^created_at must be a date, as in 2026-11-02/),
    expect.stringMatching(/^reference must be 1 to 120 letters/),
    expect.stringMatching(/^quiz_id is neither an id nor the title/),
    expect.stringMatching(/^invite_id must be one/),
  ])
  expect(stderr).not.toMatch(/bob|11\/2|No such/)
  const valid = await imported(broken, [...YES, '--skip-invalid'])
  expect([valid.code, valid.summary]).toMatchObject([3, { counts: { imported: 1, invalid: 5 } }])
})

test.each([
  ['Invited?', 'yes', '', 'yes'],
  ['Invite sent', '2029-12-30', 'no', 'yes'],
  ['status', 'created', 'not_started', 'created'],
  ['State', 'created', 'refused', 'created'],
])('a column that says who was not invited stops an import until it is decided: %s', async (name, yes, no, wanted) => {
  const { imported } = importing()
  const content = table(`email,quiz_id,${name}`, `a@example.com,${QUIZ},${yes}`, `b@example.com,${QUIZ},${no}`)
  const { code, stderr } = await imported(content)
  expect([code, stderr]).toEqual([2, expect.stringContaining('says that 1 row was not invited; the first is row 3')])
  expect((await imported(content, [...YES, '--only', `${name}=${wanted}`])).statuses).toEqual(['imported'])
  expect((await imported(content, [...YES, '--map', `${name}=ignore`])).statuses).toEqual(['known', 'imported'])
})

test('only a status that is known to mean an invite is recorded; the hint has the values of the sheet', async () => {
  const { imported } = importing()
  const statuses = ['Invited', 'Draft', 'not yet sent', 'Completed', 'Invited', 'Invited', 'To send']
  const content = table(
    'email,quiz_id,Status',
    ...statuses.map((each, index) => `c${index}@example.com,${QUIZ},${each}`),
  )
  const { code, stderr } = await imported(content)
  expect([code, stderr]).toEqual([2, expect.stringContaining('row 3: Draft 1, not yet sent 1, To send 1.')])
  const only = ['--only', 'Status=Invited', '--only', 'Status=Completed']
  expect(stderr.replaceAll('\\"', '')).toContain('--only Status=Invited --only Status=Completed')
  expect((await imported(content, [...YES, ...only])).statuses).toHaveLength(4)
})

test.each([
  [['11/20/2029', '12/01/2029'], '2029-11-20', []],
  [['20/11/2029', '01/12/2029'], '2029-11-20', []],
  [['02/03/2029', '03/04/2029'], '2029-03-02', ['--date-order', 'day']],
  [['02/03/2029', '03/04/2029'], '2029-02-03', ['--date-order', 'month']],
  [['Nov 20, 2029', '20 November 2029'], '2029-11-20', []],
  [['20.11.29', '2029-11-20'], '2029-11-20', []],
  [['11/20/2029 9:05 AM', '11/21/2029 10:00 PM'], '2029-11-20', []],
])('the dates %j of a column decide what comes first in them', async (dates, day, flags) => {
  const { imported, run } = importing()
  const content = table('email,quiz_id,Sent on', ...dates.map((each, at) => `c${at}@example.com,${QUIZ},"${each}"`))
  const asked = (await imported(content, ['--dry-run'])).stderr.includes('Give --date-order day or --date-order month.')
  expect(asked).toBe(flags.length > 0)
  expect((await imported(content, [...YES, ...flags])).code).toBe(0)
  const { stdout } = await run(['invites', 'list', '--email', 'c0@example.com', '--json'])
  expect(JSON.parse(stdout)).toMatchObject([{ sentAt: `${day}T23:59:59.000Z` }])
})

test('a date of a workbook is read as the date that it is, however it is shown', async () => {
  const { imported, run } = importing()
  const sent = { value: new Date('2029-03-02T00:00:00Z'), style: { numFmt: 'm/d/yyyy' } }
  const content = await workbook({
    name: 'Sent',
    rows: [
      ['email', 'quiz_id', 'Sent on'],
      ['a@example.com', QUIZ, sent],
    ],
  })
  expect(await imported(content)).toMatchObject({ code: 0, stderr: '' })
  const { stdout } = await run(['invites', 'list', '--email', 'a@example.com', '--json'])
  expect(JSON.parse(stdout)).toMatchObject([{ sentAt: '2029-03-02T23:59:59.000Z' }])
})

test('an unknown create and a conflict are told, and the exit code says that a row was not recorded', async () => {
  const { bulk, imported, mock } = importing()
  mock.faults.add({ operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'cut' })
  await bulk(table('email,quiz_id', `ada@example.com,${QUIZ}`), ['--yes'])
  const [{ inviteId } = { inviteId: '' }] = mock.invites
  await bulk(table('email,quiz_id', `bob@example.com,${QUIZ}`), ['--yes'])
  const bobs = mock.invites.find((each) => each.inviteId !== inviteId)?.inviteId ?? ''
  const content = table('email,quiz_id,invite_id', `ada@example.com,${QUIZ},`, `cy@example.com,${QUIZ},${bobs}`)
  const { code, statuses } = await imported(content)
  expect([code, statuses]).toEqual([3, ['unknown', 'conflict']])
})

test('titles need the list of the service, ids do not', async () => {
  const { imported } = importing()
  const fetch = () => Promise.reject(new Error('no network'))
  const titled = table('email,quiz_id', 'ada@example.com,State and Events', `bob@example.com,${QUIZ}`)
  const { code, rows } = await imported(titled, [...YES, '--skip-invalid'], { fetch })
  expect([code, rows.map(({ status }) => status)]).toEqual([3, ['invalid', 'imported', undefined]])
  expect(rows[0]?.message).toMatch(/^quiz_id must be an id: titles could not be read/)
})
