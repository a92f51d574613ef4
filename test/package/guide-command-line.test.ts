import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test, vi } from 'vitest'
import { EXIT_CODES } from '../../bin/exit-codes.ts'
import { lend, repository, runIn, writeProject } from './consumer.ts'
import { startMock } from './page-blocks.ts'
import { codeIn } from './page-programs.ts'

const PAGE = 'docs/command-line.md'
const consumer = inject('consumer')
const [start = '', tour, recording, settling, bulk, exec, script, curl, ...others] = codeIn(PAGE, 'sh')

test('every block of the page is known to this file', () => {
  expect(others).toEqual([])
  expect(start).toBe('npx certify-sdk mock\n')
  /* The guide to testing has the same line, and its test runs it. */
  expect(codeIn('docs/testing.md', 'sh')).toEqual([exec])
})

test('the commands of the tour run against the mock, as written but for the port', async () => {
  const { url, key } = await startMock(consumer)
  const both = `${tour}\n${curl}`.replaceAll('http://127.0.0.1:4010', url)
  expect(both).toContain(url)
  /* What the profile of the sandbox says, but for the port. */
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key }
  const { status, stdout, stderr } = runIn(consumer, 'bash', ['-euo', 'pipefail', '-c', both], env)
  expect({ status, stderr: stderr.replaceAll(/^npm warn .*\n/gm, '') }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain('pkg_react_beginner')
  expect(stdout).toContain('/challenge/')
  expect(stdout).toContain('{"data":{"developerCertificationPackageTracks":[{"slug":"react"')
})

test('the page shows who was invited, what expires and what is uncertain, and every command does what it says', async () => {
  const { url, key } = await startMock(consumer)
  const home = writeProject(consumer, 'tour-ledger', { 'note.txt': '' })
  lend(consumer, 'better-sqlite3')
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key, XDG_STATE_HOME: home }
  const both = `${recording}\n${settling?.replaceAll('http://127.0.0.1:4010', url)}`
  const { status, stdout, stderr } = runIn(consumer, 'bash', ['-euo', 'pipefail', '-c', both], env)
  expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining('certify invites resolve') })
  const [created = '', reused, exitCode, ...rows] = stdout.replace(/\n$/, '').split('\n')
  const [inviteId = '', , link = ''] = created.split('\t')
  expect([reused, exitCode]).toEqual([created, 'exit code 6'])
  expect(rows.map((row) => row.split('\t').slice(0, 3))).toEqual([
    ['', 'unknown', 'cut-before@candidate.test'],
    [inviteId, 'created', 'grace@example.com'],
    [inviteId, 'created', 'grace@example.com'],
    ['', 'unknown', 'cut-before@candidate.test'],
    /* What the page has a person look at before they say that nothing was created. */
    [expect.stringMatching(/^\{"rows":\[\],"total":0/)],
    [expect.stringMatching(/^[0-9a-f-]{36}$/), 'not-executed', ''],
  ])
  expect(rows.join('')).not.toContain(link)
})

test('the page invites from a file with the usual mistakes of people in it, and each row is told as what it is', async () => {
  const { url, key } = await startMock(consumer)
  const folder = join(consumer, 'tour-bulk')
  mkdirSync(folder, { recursive: true })
  lend(consumer, 'better-sqlite3')
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key, XDG_STATE_HOME: folder }
  const { status, stdout, stderr } = runIn(folder, 'bash', ['-euo', 'pipefail', '-c', bulk ?? ''], env)
  expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining('"Full Name" is name') })
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t').slice(0, 3).join(' '))
  expect(lines.slice(0, 7)).toEqual([
    '2 planned Ada@Example.com',
    '3 planned grace@example.com',
    '4 duplicate ada@example.com',
    '5 planned hedy@example.com',
    '7 rejected mary@example.com',
    '8 rejected nobody at example.com',
    '9 planned jean@example.com',
  ])
  expect(lines.slice(7).toSorted()).toEqual([
    '2 created Ada@Example.com',
    '2 created mary@example.com',
    '3 created grace@example.com',
    '3 created nobody@example.com',
    '4 duplicate ada@example.com',
    '5 created hedy@example.com',
    '7 rejected mary@example.com',
    '8 rejected nobody at example.com',
    '9 created jean@example.com',
    'exit code 3',
    'exit code 3',
  ])
  const rows = readFileSync(join(folder, 'rows.ndjson'), 'utf8')
  expect(rows.match(/"status":"already_invited"/g)).toHaveLength(4)
  expect(rows).not.toContain('"created","')
  expect(readFileSync(join(folder, 'report.csv'), 'utf8').split('\r\n')).toHaveLength(9)
})

test('the script of the page starts the mock, uses it and leaves nothing running', async () => {
  const folder = writeProject(consumer, 'tour-script', { 'package.json': '{"private":true}' })
  const linked = script?.replaceAll('node_modules/.bin/certify', '../node_modules/.bin/certify')
  const { status, stdout, stderr } = runIn(folder, 'bash', ['-euo', 'pipefail', '-c', linked ?? ''])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain('"slug":"react"')
  const { url } = JSON.parse(readFileSync(join(folder, 'mock.json'), 'utf8')) as { url: string }
  await vi.waitFor(() => expect(fetch(url)).rejects.toThrow('fetch failed'), { timeout: 10_000 })
})

test('the exit codes of the page are those of the program', () => {
  const rows = [...readFileSync(join(repository, PAGE), 'utf8').matchAll(/^\| (\d+) \| (.+) \|$/gm)]
  expect(rows.map(([, code, meaning]) => [code, meaning])).toEqual(Object.entries(EXIT_CODES))
})
