import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { createBulk, PACKAGE, QUIZ, table } from './bulk.ts'

test.each([
  ['React Fundamentals', PACKAGE],
  [' react  fundamentals ', PACKAGE],
  ['React Fundamentals (Beginner)', PACKAGE],
  [PACKAGE, PACKAGE],
])('a package %j is the one with that id or title', async (text, id) => {
  const { rows } = await createBulk().plan(table('email,package', `a@example.com,"${text}"`))
  expect(rows).toMatchObject([{ status: 'planned', packageId: id }])
})

test('a quiz is understood by its title in a row and in a flag, of bulk and of invites create', async () => {
  const { mock, bulk, run } = createBulk()
  await bulk(table('email,quiz', 'a@example.com,State and Events', 'b@example.com,'), [
    '--yes',
    '--quiz-id',
    'state and events (beginner)',
  ])
  await run(['invites', 'create', '--quiz-id', 'State and Events', '--email', 'c@example.com'])
  expect(mock.invites.map(({ quizId }) => quizId)).toEqual([QUIZ, QUIZ, QUIZ])
})

test('what bulk invites to by id has its title in every list, also if the response was lost', async () => {
  const { bulk, mock, run } = createBulk()
  mock.faults.add({ operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'cut' })
  await bulk(table('email,quiz_id', `a@example.com,${QUIZ}`, `b@example.com,${QUIZ}`), ['--yes'])
  const { stdout } = await run(['invites', 'list', '--json'])
  const rows = JSON.parse(stdout) as readonly object[]
  expect(rows).toHaveLength(2)
  for (const row of rows) expect(row).toMatchObject({ quizId: QUIZ, skillName: 'State and Events', level: 'BEGINNER' })
  const shown = await run(['invites', 'list', '--search', 'events STATE'], { terminal: 200 })
  expect(shown.stdout.match(/State and Events \(BEGINNER\)/g)).toHaveLength(2)
  expect((await run(['invites', 'list', '--search', 'nobody'])).code).toBe(0)
})

test.each([
  [
    'React Fundamentls',
    'neither an id nor the title of a package that the service lists (did you mean React Fundamentals (BEGINNER)',
  ],
  ['Nothing like it', 'neither an id nor the title of a package that the service lists'],
])('the title %j, which the service does not list, is invalid', async (text, rule) => {
  const { bulk, mock, run } = createBulk()
  const { code, rows } = await bulk(table('email,package', `a@example.com,${text}`), ['--yes'])
  expect([code, rows[0]?.message ?? '']).toEqual([2, ''])
  const plan = await bulk(table('email,package', `a@example.com,${text}`), ['--dry-run'])
  expect(plan.rows[0]?.message).toContain(rule)
  const created = await run(['invites', 'create', '--package-id', text, '--email', 'a@example.com'])
  expect([created.code, created.stderr]).toEqual([2, expect.stringContaining(rule)])
  expect(mock.invites).toEqual([])
})

test('without the list, a text is sent as an id', async () => {
  const mock = createMockServer()
  const key = mock.apiKeys.find(({ scopes }) => !scopes.includes('CERTIFICATION_PACKAGE_READ'))?.key
  const { rows } = await createBulk(mock).bulk(table('email,quiz', 'a@example.com,State and Events'), ['--dry-run'], {
    env: { CERTIFY_API_KEY: key },
  })
  expect(rows).toMatchObject([{ status: 'planned', quizId: 'State and Events' }])
})

test.each([
  [
    '--quiz-id',
    'quiz_react_beginer_state',
    `Did you mean ${QUIZ}, State and Events (BEGINNER)? \`certify tracks list\``,
  ],
  ['--package-id', 'pkg_react_beginers', `Did you mean ${PACKAGE}, React Fundamentals (BEGINNER)?`],
  ['--quiz-id', 'nothing-like-it', 'The service lists no such quiz. `certify tracks list` shows all.'],
])('a mistyped %s %s names the nearest one that is listed', async (flag, id, words) => {
  const { run } = createBulk()
  const { code, stderr } = await run(['invites', 'create', flag, id, '--email', 'a@example.com', '--yes'])
  expect([code, stderr]).toEqual([5, expect.stringContaining(words)])
})
