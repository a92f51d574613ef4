import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { repository, runIn } from '../package/consumer.ts'
import { workbook } from '../bin/workbook.ts'

const folder = mkdtempSync(join(tmpdir(), 'certify-executable-'))
const executable = join(folder, 'certify')
const installed = join(inject('consumer'), 'node_modules/.bin/certify')

beforeAll(() => {
  const node = join(import.meta.dirname, 'packages/node_modules/node-26/bin/node')
  execFileSync(node, ['build/executable.mjs', '--output', executable], { cwd: repository })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs it with an empty PATH, so that it finds no other program, not even Node.js. */
function run(...args: readonly string[]) {
  return runIn(folder, executable, args, { PATH: '' })
}

test.each(['--version', '--help', 'help invites create', 'completion bash', 'tracks lst'])(
  'the executable prints what the installed program prints: %s',
  (words) => {
    const args = words.split(' ')
    expect(run(...args)).toEqual(runIn(folder, installed, args))
  },
)

test('the executable runs the mock, invites with a ledger, and lists what it recorded', () => {
  const ledger = ['--ledger', join(folder, 'ledger.db')]
  const create = ['invites', 'create', '--quiz-id', 'quiz_react_beginner_state', '--email', 'ada@example.com']
  expect(run('mock', 'exec', '--', executable, ...create, ...ledger)).toMatchObject({ status: 0 })
  expect(run('invites', 'list', ...ledger).stdout).toContain('ada@example.com')
})

test('the executable reads a workbook', async () => {
  const rows = [
    ['email', 'quiz_id'],
    ['eve@example.com', 'quiz_react_beginner_state'],
  ]
  writeFileSync(join(folder, 'candidates.xlsx'), await workbook({ rows }))
  const bulk = ['bulk', 'candidates.xlsx', '--yes', '--ledger', join(folder, 'bulk.db')]
  expect(run('mock', 'exec', '--', executable, ...bulk)).toMatchObject({ status: 0 })
})
