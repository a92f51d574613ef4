import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { compile, lend, repository, runIn, writeProject } from './consumer.ts'
import { blocksOf, install } from './page-blocks.ts'
import { project } from './page-programs.ts'

const consumer = inject('consumer')
const page = readFileSync(join(repository, 'docs/testing.md'), 'utf8')
const { shell, named: files, unnamed } = blocksOf(page)
const programs = Object.fromEntries(Object.entries(files).filter(([name]) => name.endsWith('.ts')))

test('the tests of the guide are short, and every block is known to this file', () => {
  expect(Object.keys(files)).toEqual([
    'invite-applicant.ts',
    'expiry.test.ts',
    'invite-applicant.test.ts',
    'without-msw.ts',
    'invite-applicant.test.js',
    'lost-response.test.ts',
    'rate-limit.test.ts',
    'retake.test.ts',
    'app.ts',
  ])
  expect([shell, unnamed]).toEqual([['npx certify-sdk mock exec -- npm test\n'], []])
  const lines = Object.entries(files).map(([name, code]) => [name, code.trimEnd().split('\n').length] as const)
  expect(lines.filter(([, length]) => length >= 20)).toEqual([])
})

test('the tests of the guide compile strictly and pass in vitest', () => {
  lend(consumer, 'msw', 'vitest')
  const folder = writeProject(consumer, 'guide-tests', programs)
  const testFiles = Object.keys(programs).filter((name) => name.endsWith('.test.ts'))
  expect(compile(consumer, folder, ...testFiles, 'without-msw.ts')).toBe('')
  const { status, stdout } = vitest(folder)
  expect(stdout).toMatch(/Tests +5 passed \(5\)/)
  expect(status).toBe(0)
})

/* Jest itself runs the package in test/runtimes. Vitest with its globals has the same functions. */
test('the test for Jest passes with the functions that Jest gives', () => {
  lend(consumer, 'vitest')
  const code = files['invite-applicant.test.js'] ?? ''
  const folder = writeProject(consumer, 'guide-jest', { 'invite-applicant.test.cjs': code })
  const { status, stdout } = vitest(folder, '--globals', '--dir', folder)
  expect(stdout).toMatch(/Tests +1 passed \(1\)/)
  expect(status).toBe(0)
})

test('what the guide says of the mock without MSW is true', () => {
  const folder = project(consumer, 'guide-without-msw', programs)
  expect(page).toContain('prints `BAD_USER_INPUT 0`')
  const ended = runIn(folder, 'node', ['without-msw.mjs'])
  expect(ended).toEqual({ status: 0, stdout: 'BAD_USER_INPUT 0\n', stderr: '' })
})

test('each fault that the guide lists is one that the mock accepts', () => {
  const rows = [...page.matchAll(/^\| (`[^|]+) \| [^|]+ \|$/gm)]
  const listed = rows.flatMap(([, cell = '']) => cell.match(/'[a-z]+'|\b503\b|\{ [a-zA-Z, ]+ \}/g) ?? [])
  const values: Readonly<Record<string, object>> = {
    '{ status, headers, body }': { status: 200, headers: {}, body: '' },
    '{ code, data }': { code: 'FORBIDDEN', data: 'null' },
    '{ delayMs }': { delayMs: 1 },
  }
  const { faults } = createMockServer()
  for (const text of listed) faults.add({ fault: (values[text] ?? JSON.parse(text.replaceAll("'", '"'))) as 'cut' })
  expect(faults.list()).toHaveLength(9)
})

test('the tests of a project run against a mock of their own, as the guide says', () => {
  const scripts = { test: 'certify tracks list --quiet && exit 5' }
  const folder = writeProject(consumer, 'guide-exec', { 'package.json': JSON.stringify({ scripts }) })
  const { status, stdout } = runIn(install(folder, consumer), 'sh', ['-c', shell[0] ?? ''])
  expect([status, stdout]).toEqual([5, expect.stringContaining('\nreact\n')])
})

function vitest(folder: string, ...flags: readonly string[]) {
  const runner = join(repository, 'node_modules/vitest/vitest.mjs')
  return runIn(folder, 'node', [runner, 'run', '--root', folder, ...flags], { NO_COLOR: '1' })
}
