import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { PACKAGE, QUIZ } from './bulk.ts'
import { createRunner } from './run.ts'

const setUp = () =>
  createRunner(createMockServer({ now: '2030-01-01T00:00:00Z', behaviour: { nullDescriptions: 'always' } }))
const ada = ['--email', 'ada@example.com']

test('missing descriptions of tracks are a dash in a table, empty in a pipe and null in JSON', async () => {
  const { certify } = setUp()
  const table = await certify(['tracks', 'list'], { terminal: 120 })
  expect(table.code).toBe(0)
  expect(table.stdout).toMatch(/^react +- +\d/m)
  const piped = await certify(['tracks', 'list'])
  expect(piped.stdout).toMatch(/^react\t\t\d/m)
  const json = JSON.parse((await certify(['tracks', 'list', '--json'])).stdout) as { name: unknown }[]
  expect(json.map(({ name }) => name)).toEqual(json.map(() => null))
  const view = await certify(['tracks', 'view', 'react'], { terminal: 120 })
  expect([view.code, view.stdout]).toEqual([0, expect.stringMatching(/about[^-\n]*-\n/)])
  expect(view.stdout).toContain(QUIZ)
  expect(view.stdout + table.stdout + piped.stdout).not.toMatch(/null|undefined/)
  expect((await certify(['tracks', 'view', 'react'])).stdout).toContain(`\t${QUIZ}\t\t\t\t`)
})

test('a created invite with null fields is printed with its link and claims nothing about its e-mail', async () => {
  const { certify, mock } = setUp()
  const drawn = await certify(['invites', 'create', '--quiz-id', QUIZ, ...ada], { terminal: 120 })
  expect(drawn.code).toBe(0)
  expect(drawn.stdout).toContain(mock.invites[0]?.challengeUrl)
  expect(drawn.stdout).toContain('the service did not say whether it was sent')
  expect(drawn.stderr).not.toContain('did not send it')
  expect(drawn.stdout + drawn.stderr).not.toMatch(/null|undefined/)
  const more = ['invites', 'create', '--quiz-id', QUIZ, ...ada, '--if-invited', 'create']
  const json = await certify([...more, '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({ status: null, expiresAt: null, emailSent: null })
  const silent = await certify([...more, '--no-send-email'], { terminal: 120 })
  expect(silent.stdout).toContain('not requested')
})

test('a package invite with null fields is printed with all its links', async () => {
  const { certify, mock } = setUp()
  const world = { terminal: 120, answers: ['y'] }
  const { code, stdout, stderr } = await certify(['invites', 'create', '--package-id', PACKAGE, ...ada], world)
  expect(code).toBe(0)
  for (const { challengeUrl, quizId } of mock.invites) {
    expect(stdout).toContain(challengeUrl)
    expect(stdout).toContain(quizId)
  }
  expect(stdout + stderr).not.toMatch(/null|undefined/)
})

test('a missing expiry is shown as assumed, in text and in JSON', async () => {
  const { certify } = setUp()
  const created = await certify(['invites', 'create', '--quiz-id', QUIZ, ...ada, '--json'])
  const { inviteId } = JSON.parse(created.stdout) as { inviteId: string }
  const view = await certify(['invites', 'view', inviteId], { terminal: 120 })
  expect(view.stdout).toContain('2030-01-15T00:00:00.000Z, assumed: the service returned no usable expiry')
  expect(view.stdout).not.toContain('not recorded')
  const list = JSON.parse((await certify(['invites', 'list', '--json'])).stdout) as unknown[]
  expect(list).toMatchObject([
    { expiresAt: '2030-01-15T00:00:00.000Z', expiryAssumed: true, emailSent: null, level: null },
  ])
  expect((await certify(['invites', 'list'], { terminal: 120 })).stdout).toContain('2030-01-15')
  const again = await certify(['invites', 'create', '--quiz-id', QUIZ, ...ada, '--if-invited', 'reuse', '--json'])
  expect(JSON.parse(again.stdout)).toEqual(JSON.parse(created.stdout))
})

test('bulk handles null fields and prints the assumed expiry', async () => {
  const { certify, home, mock } = setUp()
  const file = join(home.folder, 'rows.csv')
  writeFileSync(file, `email,quiz_id,package_id\nada@example.com,${QUIZ},\ngrace@example.com,,${PACKAGE}\n`)
  const plan = await certify(['bulk', file, '--dry-run'])
  expect(plan.code).toBe(0)
  const { code, stdout, stderr } = await certify(['bulk', file, '--yes', '--json'])
  expect([code, stderr]).toEqual([0, expect.not.stringMatching(/null|undefined/)])
  expect(stdout).toContain('"expiryAssumed":true')
  expect(mock.invites.length).toBeGreaterThan(2)
})
