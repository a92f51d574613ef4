import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { startServer } from '../src/http-server.ts'
import { inTerminal, run, startWorld } from './terminal.ts'

const { mock, url, home, env } = await startWorld()
const { CERTIFY_BASE_URL: _url, CERTIFY_API_KEY: _key, ...bare } = env
const packageInvite = ['certify', 'invites', 'create', '--package-id', 'pkg_react_beginner', '--email', 'a@b.example']

beforeEach(() => mock.reset())

test.each([80, 60, 40])('a table fits a terminal of %i columns without truncating ids', async (columns) => {
  const { output, status } = await inTerminal(['certify', 'tracks', 'list'], env, [], columns)
  expect(status).toBe(0)
  const lines = output.split('\r\n').filter((line) => !line.includes('certify tracks view'))
  expect(lines[0]).toMatch(/^SLUG +NAME/)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
  for (const { slug } of mock.tracks) expect(output).toContain(`\n${slug} `)
})

test('a typed key is stored and not shown', async () => {
  const { output, status } = await inTerminal(['certify', 'auth', 'login', '--base-url', url], bare, [
    { wait: 'The API key (not shown): ', send: `${mock.apiKey}\r` },
  ])
  expect(status).toBe(0)
  expect(output).not.toContain(mock.apiKey)
  expect(output).not.toContain('*')
  expect(readFileSync(join(home, '.config/certify/credentials.json'), 'utf8')).toContain(mock.apiKey)
})

test('a package invite shows the skills and is sent after the answer y', async () => {
  const { output, status } = await inTerminal(packageInvite, env, [{ wait: '[y/N] ', send: 'y\r' }])
  expect(status).toBe(0)
  expect(output.indexOf('quiz_react_beginner_state')).toBeLessThan(output.indexOf('[y/N]'))
  expect(mock.invites).toHaveLength(3)
  for (const { challengeUrl } of mock.invites) expect(output).toContain(challengeUrl)
})

test.each([
  ['Ctrl-D', '\u0004', 2, 'not confirmed: nothing was sent'],
  ['Ctrl-C', '\u0003', 130, 'interrupted: nothing was sent'],
])('a question that is answered with %s creates no invite', async (_name, keys, code, words) => {
  const { output, status, missing } = await inTerminal(packageInvite, env, [{ wait: '[y/N] ', send: keys }])
  expect([status, missing]).toEqual([code, null])
  expect(output).toContain(words)
  expect(mock.invites).toEqual([])
})

test('Ctrl-C while a key is typed stores nothing', async () => {
  const { status } = await inTerminal(['certify', 'auth', 'login', '--profile', 'never', '--base-url', url], bare, [
    { wait: '(not shown): ', send: 'ck_half\u0003' },
  ])
  expect(status).toBe(130)
  expect(readFileSync(join(home, '.config/certify/credentials.json'), 'utf8')).not.toContain('ck_half')
})

/* The end of the input and SIGHUP arrive in any order. In Python, an end by SIGHUP is -1. */
test.each([
  ['an invite to a package', packageInvite, '[y/N] ', env],
  ['auth login', ['certify', 'auth', 'login', '--profile', 'lost', '--base-url', url], '(not shown): ', bare],
])('if the terminal is closed at the question of %s, it ends in order', async (_name, argv, wait, variables) => {
  const { status, missing } = await inTerminal(argv, variables, [{ wait, send: null }])
  expect([status, missing]).toEqual([-1, null])
  expect(mock.invites).toEqual([])
})

test('Ctrl-C after a create was sent says that its outcome is unknown', async () => {
  /* POST requests get no response. Others, such as the check for a mock, get 404. */
  const silent = await startServer((response, { method }) => method === 'POST' || response.writeHead(404).end())
  const invite = ['certify', 'invites', 'create', '--quiz-id', 'q', '--email', 'a@b.example', '--debug']
  const { output, status } = await inTerminal(invite, { ...env, CERTIFY_BASE_URL: silent.url }, [
    { wait: '> POST', send: '' },
    { wait: 'reference ', send: '\u0003' },
  ])
  expect([status, output]).toEqual([6, expect.stringContaining('aborted after it had been sent')])
})

test('a slow reader gets a listing of several megabytes completely', async () => {
  const skill = { quizId: 'q', skillName: 's', level: 'l', durationMinutes: 1, enabledLanguages: ['en'] }
  const skills = [{ ...skill, conceptsTested: ['x'.repeat(1_000)] }]
  const pack = { id: 'p', name: 'n', level: 'l', description: 'd', skills }
  const tracks = Array.from({ length: 5_000 }, (_each, index) => ({
    id: `t${index}`,
    name: 'n',
    slug: `s${index}`,
    packages: [pack],
  }))
  const body = JSON.stringify({ data: { developerCertificationPackageTracks: tracks } })
  const large = await startServer((response) => response.end(body))
  const slow = 'certify tracks list --json | (sleep 1; cat) | wc -c'
  const { stdout } = await run(['bash', '-c', slow], { ...env, CERTIFY_BASE_URL: large.url })
  expect(Number(stdout)).toBe(JSON.stringify(tracks).length + 1)
  expect(Number(stdout)).toBeGreaterThan(5_000_000)
})

/* The count matters: a second Ctrl-C would kill a program that is shutting down. */
test('Ctrl-C reaches the command of certify mock exec once, and certify waits for its end', async () => {
  const program = `let count = 0
process.on('SIGINT', () => {
  console.log('interrupted', (count += 1))
  setTimeout(() => process.exit(5), 300)
})
setInterval(() => {}, 1000)
console.log('ready')`
  const argv = ['certify', 'mock', 'exec', '--', process.execPath, '-e', program]
  const { output, status } = await inTerminal(argv, bare, [{ wait: 'ready', send: '\u0003' }])
  expect(status).toBe(5)
  expect(output).toMatch(/^A mock of the service listens on http:/)
  expect(output.match(/interrupted/g)).toHaveLength(1)
})
