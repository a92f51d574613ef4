import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { compile, lend, repository, runIn, writeProject } from './consumer.ts'
import { startMock } from './page-blocks.ts'
import { codeIn, commandIn, filesOf, project } from './page-programs.ts'

const consumer = inject('consumer')
const page = (name: string): string => readFileSync(join(repository, name), 'utf8')

/* What the pages leave to their readers, before the block that needs it. */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  'docs/inviting.md': [],
  'docs/errors.md': [],
  'docs/unknown-outcomes.md': [],
  'docs/ledger.md': [
    '',
    "declare const ledger: import('certify-sdk/ledger').Ledger, reference: string, inviteId: string",
    "declare const ledger: import('certify-sdk/ledger').Ledger",
    `declare const client: import('certify-sdk').CertifyClient, ledger: import('certify-sdk/ledger').Ledger
declare const rows: import('certify-sdk/campaign').CampaignRow[], signal: AbortSignal`,
  ],
  'docs/postgres.md': [
    "declare const client: import('certify-sdk').CertifyClient",
    "import { openPostgresLedger } from 'certify-sdk/ledger/postgres'",
  ],
}

test('the programs of the guides compile strictly, and with an admin session a callback URL does not', () => {
  lend(consumer, 'pg', '@types/pg', 'pg-types', 'pg-protocol')
  const programs = Object.entries(GIVEN).flatMap(([name, given]) =>
    codeIn(name, 'ts').map((code, index) => [
      `${name.slice(5, -3)}-${index}.ts`,
      `${given[index] ?? ''}\n${code}\nexport {}\n`,
    ]),
  )
  const create = `await client.invites.create({ quizId: 'q', candidate: { email: 'a@b.example' }, callbackUrl: 'https://a.example' })`
  const files = Object.fromEntries(programs) as Record<string, string>
  const folder = writeProject(consumer, 'guide-programs', {
    ...files,
    'session.ts': `${filesOf('docs/inviting.md')['admin-session.ts']}${create}\n`,
  })
  expect(Object.keys(files)).toHaveLength(13)
  expect(compile(consumer, folder, ...Object.keys(files), 'session.ts')).toMatch(
    /^session\.ts\(\d+,\d+\): error TS2322: Type 'string' is not assignable to type 'undefined'\.\n$/,
  )
})

test('the programs of the guide to inviting run against the mock over HTTP', async () => {
  const { url, key } = await startMock(consumer)
  /* Of every mock with the same seed. */
  const session = createMockServer().adminSession.headers['authorization']?.replace('Bearer ', '') ?? ''
  const files = filesOf('docs/inviting.md')
  const folder = project(consumer, 'guide-inviting', files)
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key, SESSION_TOKEN: session }
  const run = (file: string, given: Record<string, string> = env) => runIn(folder, 'node', [file], given)
  const invited = run('invite-to-a-package.mjs')
  expect(invited).toMatchObject({ status: 0, stderr: '' })
  expect(invited.stdout.match(new RegExp(`${url}/challenge/`, 'g'))).toHaveLength(3)
  expect(run('invite-to-a-package.mjs', {}).stderr).toContain('CONFIG_INVALID')
  expect(run('store-what-was-created.mjs')).toEqual({
    status: 0,
    stdout: 'application reference sentAt inviteId status challengeUrl expiresAt emailSent\n',
    stderr: '',
  })
  expect(run('admin-session.mjs')).toEqual({ status: 0, stdout: expect.stringMatching(/^[1-9]\d*\n$/), stderr: '' })
})

test('the program of the overview of errors invites, and tells a refusal from an unknown outcome', async () => {
  const { url, key } = await startMock(consumer)
  const [program = '', ...others] = codeIn('docs/errors.md', 'ts')
  expect(others).toEqual([])
  const folder = project(consumer, 'guide-errors', { 'program.ts': program })
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key }
  const run = () => runIn(folder, 'node', ['program.mjs'], env)
  const fault = (rule: object) =>
    fetch(`${url}/__mock/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ operation: 'developerCreateCertificationInvite', ...rule }),
    })
  expect(run()).toMatchObject({ stdout: expect.stringMatching(/^invited inv_/), stderr: '' })
  await fault({ phase: 'after', fault: 'cut' })
  expect(run().stderr).toMatch(/^somebody has to check [0-9a-f-]{36} /)
  await fault({ phase: 'after', fault: { code: 'MAIL_FAILED', data: 'result' } })
  expect(run().stderr).toMatch(/^created: save error\.partial [0-9a-f-]{36}\n$/)
  await fault({ fault: { code: 'BAD_USER_INPUT' } })
  expect(run().stderr).toMatch(/^refused \[/)
  await fault({ fault: { code: 'FORBIDDEN' } })
  expect(run().stderr).toMatch(/^nothing was created FORBIDDEN /)
})

test('with a ledger, the same program tells an earlier create from a refusal', async () => {
  const { url, key } = await startMock(consumer)
  lend(consumer, 'better-sqlite3')
  const [program = ''] = codeIn('docs/errors.md', 'ts')
  const [, client = ''] = /^const client = (.*)$/m.exec(program) ?? []
  const guarded = program
    .replace(client, `withLedger(${client}, await openLedger(env.LEDGER ?? ''), { account: 'acme' })`)
    .replace(/^/, "import { openLedger, withLedger } from 'certify-sdk/ledger'\nimport { env } from 'node:process'\n")
  const folder = project(consumer, 'guide-errors-ledger', { 'program.ts': guarded })
  const run = (LEDGER: string) =>
    runIn(folder, 'node', ['program.mjs'], { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key, LEDGER })
  expect(run('invited.ledger').stdout).toMatch(/^invited inv_/)
  expect(run('invited.ledger').stderr).toMatch(/^invited before [0-9a-f-]{36}\n$/)
  await fetch(`${url}/__mock/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ phase: 'after', fault: 'cut' }),
  })
  const [, lost] = /^somebody has to check (\S+)/.exec(run('lost.ledger').stderr) ?? []
  expect(run('lost.ledger').stderr).toBe(`still being checked ${lost}\n`)
  expect(await (await fetch(`${url}/__mock/outbox`)).json()).toMatchObject({ total: 2 })
})

test('the programs about unknown outcomes print what the page says', () => {
  lend(consumer, 'better-sqlite3')
  const files = filesOf('docs/unknown-outcomes.md')
  expect(Object.keys(files)).toEqual(['with-the-ledger.ts', 'settled-by-an-event.ts', 'without-the-ledger.ts'])
  const printed = codeIn('docs/unknown-outcomes.md', 'text')
  const folder = project(consumer, 'guide-unknown', { ...files, 'states.ts': STATES })
  const programs = ['with-the-ledger.mjs', 'settled-by-an-event.mjs']
  const ended = programs.map((file) => runIn(folder, 'node', [file]))
  expect(ended).toEqual(printed.map((stdout) => ({ status: 0, stdout, stderr: '' })))
  expect(runIn(folder, 'node', ['states.mjs'])).toEqual({
    status: 0,
    stdout: 'invited invited being checked being checked not invited invited invited 3\n',
    stderr: '',
  })
})

/* Every state of the application without a ledger, and how often it sent. */
const STATES = `import { CertifyClient } from 'certify-sdk'
import { createMockServer } from 'certify-sdk/mock'
import { invite } from './without-the-ledger.mjs'

const mock = createMockServer()
const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch })
const rows: Parameters<typeof invite>[2] = new Map()
const states: string[] = []
const add = async (email: string) => void states.push((await invite(client, email, rows)).state)
await add('ada@example.com')
await add('ada@example.com')
await add('cut-before@candidate.test')
await add('cut-before@candidate.test')
mock.faults.add({ fault: { code: 'FORBIDDEN' } })
await add('grace@example.com')
await add('grace@example.com')
mock.faults.add({ phase: 'after', fault: { code: 'MAIL_FAILED', data: 'result' } })
await add('hedy@example.com')
console.log(...states, mock.outbox.length)
`

test('the commands about unknown outcomes list the entry, show that nothing was sent, and resolve it', async () => {
  const { url, key } = await startMock(consumer)
  lend(consumer, 'better-sqlite3')
  const script = codeIn('docs/unknown-outcomes.md', 'sh').join('\n').replaceAll('http://127.0.0.1:4010', url)
  /* What the profile of the sandbox says, but for the port. */
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key }
  const { status, stdout, stderr } = commandIn(consumer, 'guide-unknown-commands', `set -e\n${script}`, env)
  expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining('certify invites resolve') })
  expect(stdout.split('\n').map((line) => line.split('\t').slice(0, 2))).toEqual([
    ['exit code 6'],
    ['', 'unknown'],
    [expect.stringMatching(/^\{"rows":\[\],"total":0/)],
    [expect.stringMatching(/^[0-9a-f-]{36}$/), 'not-executed'],
    [''],
  ])
})

test('the commands about a candidate’s data show all of it, and then nothing is left', async () => {
  const { url, key } = await startMock(consumer)
  lend(consumer, 'better-sqlite3')
  const [script = '', ...others] = codeIn('docs/security.md', 'sh')
  expect(others).toEqual([])
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key, CERTIFY_LEDGER: 'yes' }
  const create = 'certify invites create --quiz-id quiz_react_beginner_state --email ada@example.com > created.txt'
  const left = 'certify invites list --email ada@example.com --all --json'
  const { status, stdout } = commandIn(consumer, 'guide-security', `set -e\n${create}\n${script}\n${left}`, env)
  expect(status).toBe(0)
  expect(stdout).toMatch(new RegExp(`^\\[\\s*\\{[^]*"email": ?"ada@example\\.com"[^]*${url}/challenge/`))
  expect(stdout).toMatch(/\n\[\]\n$/)
})

test('each test that the page about security names exists, and so does each section that a reader is sent to', () => {
  const named = [...page('docs/security.md').matchAll(/^\| [^|]+ \| `(test\/[^`]+)` \|$/gm)].map(
    ([, file = '']) => file,
  )
  expect(named.length).toBeGreaterThan(12)
  expect(named.filter((file) => !existsSync(join(repository, file)))).toEqual([])
  const { scripts, dependencies, peerDependencies } = JSON.parse(page('package.json')) as Record<string, object>
  expect(Object.keys(scripts ?? {}).filter((name) => /install|^prepare$/.test(name))).toEqual([])
  expect([dependencies, Object.keys(peerDependencies ?? {})]).toEqual([
    undefined,
    ['better-sqlite3', 'msw', 'pg', 'vitest'],
  ])
})
