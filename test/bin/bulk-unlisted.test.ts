import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createBulk, PACKAGE, QUIZ, table } from './bulk.ts'
import { NO_COLOR } from './run.ts'

const content = table(
  'email,quiz_id,package_id',
  `a@example.com,${QUIZ},`,
  `b@example.com,quiz_react_begginer_state,`,
  'c@example.com,P-WEB-1,',
  'd@example.com,P-WEB-1,',
  `e@example.com,${PACKAGE},`,
  'f@example.com,,p-nope',
  'g@example.com,,pkg_react_begginer',
  `h@example.com,,${PACKAGE}`,
)

async function planned(text: string) {
  const bulk = createBulk()
  writeFileSync(bulk.at('x'), text)
  const { code, stderr } = await bulk.run(['bulk', bulk.at('x'), '--dry-run'], { terminal: 600, env: NO_COLOR })
  return { ...bulk, code, said: stderr.replaceAll(/\s+/g, ' ') }
}

test('the plan names ids that the service does not list, with their rows and suggestions', async () => {
  const { code, said } = await planned(content)
  expect(code).toBe(0)
  expect(said).toContain(
    'not listed packages p-nope: row 7; pkg_react_begginer (did you mean pkg_react_beginner?): row 8; the service will refuse them',
  )
  expect(said).toContain(
    `not listed quizzes quiz_react_begginer_state (did you mean ${QUIZ}?): row 3; P-WEB-1: 2 rows, the first is row 4; ${PACKAGE}, a package: row 6; only`,
  )
})

test('the JSON plan has unlisted ids too, and a plan without any does not mention them', async () => {
  const { plan } = createBulk()
  expect((await plan(table('email,quiz_id', 'a@example.com,P-WEB-1'))).summary?.['unlisted']).toEqual([
    { kind: 'quiz', id: 'P-WEB-1', rows: [2], isOtherKind: false },
  ])
  expect((await planned(table('email,quiz_id', `a@example.com,${QUIZ}`))).said).not.toContain('not listed')
})

test('an unlisted id is only a warning: the row is sent, and the service decides', async () => {
  const { bulk } = createBulk()
  const { code, rows } = await bulk(table('email,quiz_id', `a@example.com,${QUIZ}`, 'b@example.com,P-WEB-1'), ['--yes'])
  expect([code, rows.map(({ status }) => status).toSorted()]).toEqual([3, ['created', 'refused']])
})

test('a plan without access to the list of tracks says that ids were not compared', async () => {
  const { mock } = createBulk()
  const inviting = mock.apiKeys.find(({ scopes }) => !scopes.includes('CERTIFICATION_PACKAGE_READ'))
  const quizzes = table('email,quiz_id', 'a@example.com,P-WEB-1')
  const bulk = createBulk(mock)
  const forbidden = await bulk.run(['bulk', '-', '--dry-run'], {
    stdin: quizzes,
    env: { CERTIFY_API_KEY: inviting?.key },
  })
  expect([forbidden.code, forbidden.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    0,
    expect.stringContaining(
      'not compared with the list of the service: this key may not read them (CERTIFICATION_PACKAGE_READ)',
    ),
  ])
  const down = async () => Promise.reject(new TypeError('no service'))
  const offline = await bulk.run(['bulk', '-', '--dry-run'], { stdin: quizzes, fetch: down })
  expect([offline.code, offline.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    0,
    expect.stringMatching(/not compared with the list of the service: the service did not respond \(\w+\)/),
  ])
})
