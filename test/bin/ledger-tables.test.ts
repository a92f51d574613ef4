import { expect, test } from 'vitest'
import { drawTable } from '../../bin/terminal/table.ts'
import { openLedger, type Settlement } from '../../src/ledger/index.ts'
import { createRunner } from './run.ts'

const QUIZZES = ['quiz_react_beginner_state', 'quiz_react_advanced_state']
const EMAILS = ['grace.hopper@example.com', 'grace.brewster.hopper.1906@navy.example.']
const created = (inviteId: string): Settlement => ({
  state: 'created',
  invites: [{ inviteId, expiresAt: '2030-01-02T09:30:00.000Z' }],
})
const CREATED = created('inv_c43bkxnr1kq0k9kh')
const CREATED_TOO = created('inv_c43bkxnr1kq0k9kj')
const UNKNOWN: Settlement = { state: 'unknown', code: 'CONNECTION_LOST' }
const REFUSED: Settlement = { state: 'refused', code: 'BAD_USER_INPUT' }

/* A ledger with sends that ended so, to candidates and quizzes in turn; gives what a list draws of it. */
async function listed(...ends: readonly Settlement[]) {
  const { certify, home, mock } = createRunner()
  const clock = { now: () => mock.clock.now().getTime(), startTimer: () => () => {} }
  const ledger = await openLedger(home.ledger, { clock })
  const scope = { baseUrl: mock.baseUrl, account: 'default', world: '' }
  for (const [number, end] of ends.entries()) {
    const [quizId = '', email = ''] = [QUIZZES[number % 2], EMAILS[number % 2]]
    const reference = `e513525a-fa76-49cf-a471-0242de7c5f0${number}`
    const input = { quizId, candidate: { email } }
    const although = { invited: true, unknown: true }
    await ledger.claim({ scope, target: { email, quizIds: [quizId] }, input, reference, leaseMs: 1000, although })
    await ledger.settle(reference, end)
  }
  await ledger.close()
  return async (terminal: number, ...argv: readonly string[]) => {
    const { stdout } = await certify(['invites', ...argv], { terminal })
    const [title = '', ...rows] = stdout.trimEnd().split('\n')
    return { titles: title.split(/ {2,}/), rows, widest: Math.max(...[title, ...rows].map((line) => line.length)) }
  }
}

test.each([80, 100, 120, 170])('at %i columns a list fits, and each row tells which invite it is', async (width) => {
  for (const ends of [
    [CREATED, CREATED_TOO],
    [CREATED, CREATED_TOO, UNKNOWN, REFUSED],
  ]) {
    const draw = await listed(...ends)
    for (const argv of [['list'], ['expiring']]) {
      const { titles, rows, widest } = await draw(width, ...argv)
      expect(widest).toBeLessThanOrEqual(width)
      expect(titles).toEqual(expect.arrayContaining(['E-MAIL', 'INVITE ID', 'QUIZ']))
      expect(rows[0]).not.toEqual(rows[1])
      for (const row of rows) expect(row).toMatch(/^grace\..*(?:example\.|com) .* quiz_rea.*_state$/)
      const quizzes = new Set(rows.map((row) => row.split(/ +/).at(-1)))
      expect(quizzes.size).toBe(2)
    }
  }
})

test('what goes without saying gives its space first, then the time of day; nothing is cut before', async () => {
  const draw = await listed(CREATED, CREATED_TOO)
  expect((await draw(120, 'list')).titles).toEqual(['E-MAIL', 'STATE', 'EXPIRES (UTC)', 'INVITE ID', 'QUIZ'])
  const narrower = await draw(109, 'list')
  expect(narrower.titles).toEqual(['E-MAIL', 'EXPIRES (UTC)', 'INVITE ID', 'QUIZ'])
  const narrow = await draw(103, 'list')
  expect(narrow.titles).toEqual(['E-MAIL', 'EXPIRES', 'INVITE ID', 'QUIZ'])
  expect(narrow.rows[0]).toMatch(/ 2030-01-02 {2}inv_/)
  for (const { rows } of [narrower, narrow]) expect(rows.join('')).not.toContain('…')
  expect((await draw(80, 'expiring')).titles).toContain('EXPIRES')
})

test('a list has the state where it differs, and the code where an entry has one', async () => {
  const mixed = await listed(CREATED, UNKNOWN)
  expect((await mixed(80, 'list')).titles).toEqual(['E-MAIL', 'STATE', 'INVITE ID', 'QUIZ'])
  expect((await mixed(170, 'list')).titles).toContain('CODE')
  expect((await mixed(170, 'list', '--state', 'created')).titles).not.toContain('CODE')
  const refused = await listed(REFUSED)
  const { titles, rows } = await refused(170, 'list', '--state', 'refused')
  expect(titles).toEqual(['E-MAIL', 'SENT (UTC)', 'CODE', 'REFERENCE', 'QUIZ'])
  expect(rows[0]).toContain('BAD_USER_INPUT')
  expect((await refused(80, 'list')).titles).toEqual(['E-MAIL', 'STATE', 'CODE', 'QUIZ'])
})

test('a text that is cut in the middle keeps both its ends, also where characters are wide', () => {
  const columns = [{ title: 'ID', value: (id: string) => id, cut: 'middle' as const }]
  expect(drawTable(columns, ['quiz_react_beginner_state', '日本語の名前の試験', 'whole'], 12)).toBe(
    'ID\nquiz_r…state\n日本語…試験\nwhole\n',
  )
})

test('--show-links shows the links on a terminal too: as a list, or from 200 columns in the table', async () => {
  const link = 'https://certify.example.com/challenge/chal_c43bkxnr1kq0k9khc43bkxnr1kq0k9kh'
  const CREATED_WITH_LINK: Settlement = {
    state: 'created',
    invites: [{ inviteId: 'inv_1', expiresAt: '2030-01-02T09:30:00.000Z', challengeUrl: link }],
  }
  const draw = await listed(CREATED_WITH_LINK, UNKNOWN)
  for (const argv of [['list'], ['expiring', '--within', '20d']]) {
    const narrow = await draw(80, ...argv, '--show-links')
    expect([narrow.titles, ...narrow.rows].flat()).toContain(`LINK           ${link}`)
    expect(narrow.rows.filter((row) => row.startsWith('E-MAIL')).length).toBe(argv[0] === 'list' ? 1 : 0)
    const wide = await draw(220, ...argv, '--show-links')
    expect(wide.titles.at(-1)).toBe('LINK')
    expect(wide.rows.join('\n')).toContain(link)
  }
  expect((await draw(80, 'list')).rows.join('\n')).not.toContain('/challenge/')
})
