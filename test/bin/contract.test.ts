import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { manualOf } from '../../bin/help.ts'
import { CommandLine } from '../../bin/program.ts'
import { openLedger } from '../../src/ledger/index.ts'
import { createRunner, ioOf, NO_COLOR, type World } from './run.ts'

interface Run {
  /** The words after the command. {folder} stands for the folder of the test. */
  readonly argv: readonly string[]
  readonly world?: World
  /** Commands to run first. {reference} stands for the output of the last one. */
  readonly after?: readonly (readonly string[])[]
  /** Whether to store an event first. {key} stands for its key. */
  readonly event?: boolean
}

const created = ['invites', 'create', '--quiz-id', 'quiz_react_beginner_state', '--email', 'eve@example.com']
const lost = [...created.slice(0, -1), 'cut-after@candidate.test']
const references = ['invites', 'list', '--state', 'unknown', '--quiet']

const clientFolder = mkdtempSync(join(tmpdir(), 'certify-client-'))
afterAll(() => rmSync(clientFolder, { recursive: true }))

/* One successful run of each command. A new command fails here until it has one. */
const RUNS: Readonly<Record<string, Run>> = {
  'tracks list': { argv: [] },
  'tracks view': { argv: ['react'] },
  'invites create': { argv: ['--quiz-id', 'quiz_react_beginner_state', '--email', 'ada@example.com'] },
  'invites list': { argv: [], after: [created, lost] },
  'invites view': { argv: ['{reference}'], after: [created, ['invites', 'list', '--quiet']] },
  'invites resolve': { argv: ['{reference}', '--created', 'inv_1', '--yes'], after: [lost, references] },
  bulk: {
    argv: ['-', '--yes'],
    world: { stdin: 'email,quiz_id\neve@example.com,quiz_react_beginner_state\n' },
  },
  studio: { argv: ['--ledger', ':memory:'], world: { interruption: AbortSignal.abort('SIGINT') } },
  'callbacks listen': { argv: ['--port', '0'], world: { interruption: AbortSignal.abort('SIGINT') } },
  'callbacks list': { argv: [], event: true },
  'callbacks replay': { argv: ['{key}', '--yes'], event: true },
  'ledger check': { argv: [], after: [created] },
  'ledger backup': { argv: ['{folder}/backup.ledger'], after: [created] },
  'ledger import': {
    argv: ['-', '--yes'],
    world: { stdin: 'email,quiz_id\neve@example.com,quiz_react_beginner_state\n' },
  },
  'ledger purge': { argv: ['--older-than', '90d', '--yes'], after: [created] },
  'auth login': { argv: ['--with-key', '--profile', 'acme'], world: { stdin: 'ck_sandbox_full_7h2m9q4x1v8c6t3w' } },
  'auth logout': { argv: ['--all'] },
  'auth status': { argv: [] },
  doctor: { argv: [] },
  api: { argv: ['{ developerCertificationPackageTracks { slug } }'] },
  mock: { argv: ['--port', '0'], world: { interruption: AbortSignal.abort('SIGINT') } },
  'mock exec': { argv: ['true'], world: { run: async () => ({ exitCode: 0 }) } },
  'mock init': { argv: ['{folder}/world.yaml'] },
  'mock learn': { argv: [] },
  mcp: { argv: [], world: { stdin: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n` } },
  'mcp init': {
    argv: ['claude-desktop', '--yes'],
    world: { env: { HOME: clientFolder, XDG_CONFIG_HOME: clientFolder, APPDATA: clientFolder } },
  },
  completion: { argv: ['bash'] },
  help: { argv: ['bulk'] },
}
/* Their output is text, or comes from another program, and has no JSON form. */
const TEXTS = new Set(['completion', 'help', 'mock exec'])
/* Without --json, these print something for people on stderr, such as a plan. */
const SPEAK = new Set([
  'bulk',
  'ledger import',
  'callbacks listen',
  'callbacks replay',
  'invites resolve',
  'auth login',
  'mcp init',
])
/* With --json each line is a document. */
const STREAMS = new Set(['bulk', 'ledger import', 'callbacks listen'])
/* These print nothing on stdout if there is nothing to report. */
const SILENT = new Set(['mock exec', 'callbacks listen'])

const line = new CommandLine(ioOf([], {}).io)
/*
 * `ledger copy` needs Postgres, and `ledger move` a service that is not on this machine: ledger-commands.test.ts and
 * ledger-always-on.test.ts run them. `approve` needs a plan and a person: mcp-approval.test.ts.
 */
const names = line.names.filter((name) => !['ledger copy', 'ledger move', 'approve'].includes(name))
const documents = names.filter((name) => !TEXTS.has(name))
const commands = await Promise.all(
  line.names.map(async (name) => {
    const command = await line.find(name.split(' '))
    const manual = command && manualOf(command)
    if (command === undefined || manual === undefined) throw new Error(`${name} has no manual`)
    return { name, command, manual }
  }),
)
const key = 'ck_sandbox_full_7h2m9q4x1v8c6t3w'

/** Runs a command against a listening mock, after a login. */
async function run(name: string, flags: readonly string[] = [], world: World = {}) {
  const runner = createRunner()
  const listener = await runner.mock.listen()
  try {
    const env = { CERTIFY_BASE_URL: listener.url, CERTIFY_API_KEY: undefined }
    await runner.certify(['auth', 'login', '--profile', 'acme', '--with-key'], { env, stdin: key })
    const {
      argv,
      world: own,
      after = [],
      event = false,
    } = RUNS[name] ?? { argv: ['no run of this command is known to the test'] }
    if (event) await storeEvent(runner.home.ledger)
    let reference = ''
    for (const before of after) reference = (await runner.certify(before, { env })).stdout.trim()
    const { folder } = runner.home
    const words = argv.map((word) =>
      word.replace('{reference}', reference).replace('{key}', EVENT_KEY).replace('{folder}', folder),
    )
    return await runner.certify([...name.split(' '), ...words, ...flags], {
      ...own,
      ...world,
      env: { ...env, ...own?.env, ...world.env },
    })
  } finally {
    await listener.close()
  }
}

const EVENT_KEY = 'cb_3kTMd0fyZpHcX1u8wq2VbN7s'

async function storeEvent(path: string): Promise<void> {
  const ledger = await openLedger(path)
  const data = { inviteId: 'inv_1', result: 'PASSED' }
  await ledger.inbox.append({
    key: EVENT_KEY,
    reference: '0b6f5f0e-6c0e-4c0e-8f0e-0b6f5f0e6c0e',
    deliveryId: null,
    body: Buffer.from(JSON.stringify({ type: 'certification.completed', data })),
    receivedAt: Date.parse('2030-01-01T00:00:00Z'),
  })
  await ledger.close()
}

test('every command has a run', () => {
  expect(Object.keys(RUNS)).toEqual(names)
})

test.each(names)('certify %s exits with 0, with its data on stdout and nothing on stderr', async (name) => {
  const { code, stdout, stderr } = await run(name)
  expect([code, SPEAK.has(name) || stderr === '', stdout === '']).toEqual([0, true, SILENT.has(name)])
})

test.each(commands.filter(({ name }) => names.includes(name)))(
  'certify $name prints the columns in a pipe that the reference names, and no others',
  async ({ name, manual }) => {
    const { stdout } = await run(name)
    const widths = stdout.split('\n').flatMap((text) => (text === '' ? [] : text.split('\t').length))
    const { columns } = manual
    expect(new Set(widths)).toEqual(new Set(SILENT.has(name) ? [] : [columns?.length ?? 1]))
  },
)

test.each(documents)('certify %s --json prints one JSON document, or one per line', async (name) => {
  const { code, stdout, stderr } = await run(name, ['--json'])
  expect([code, name === 'auth login' || stderr === '']).toEqual([0, true])
  const documented = STREAMS.has(name) ? stdout.trimEnd().split('\n') : [stdout]
  for (const document of documented) expect(JSON.parse(document)).toBeTypeOf('object')
})

test.each(documents)('certify %s fits a terminal of 80 columns, except for links, paths and keys', async (name) => {
  const { stdout } = await run(name, ['--yes'], { terminal: 80, env: NO_COLOR })
  expect(stdout).not.toContain('\u001B')
  const long = stdout.split('\n').filter((text) => text.length > 80 && !/https?:|\/\S+\/|ck_sandbox/.test(text))
  expect(long).toEqual([])
})

test.each(names)('certify %s --json reports a usage error as one JSON object on stderr', async (name) => {
  const { code, stdout, stderr } = await run(name, ['--json', '--no-such-flag'])
  expect([code, stdout]).toEqual([2, ''])
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'USAGE', hint: `See certify ${name} --help.`, exitCode: 2 },
  })
})

test.each(names)('certify %s asks nothing without a terminal', async (name) => {
  const { asked } = await run(name)
  expect(asked).toBeUndefined()
})

test.each(commands)('certify $name --help shows options and an example on one screen', async ({ name, command }) => {
  const { code, stdout, stderr } = await createRunner().certify([...name.split(' '), '--help'])
  expect([code, stderr]).toEqual([0, ''])
  for (const { long } of command.options) expect(stdout).toContain(long)
  expect(stdout).toContain(`  $ ${manualOf(command)?.examples[0]}`)
  const lines = stdout.trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(24)
  expect(lines.filter((text) => text.length > 80)).toEqual([])
})

test.each(commands.filter(({ manual, name }) => manual.dryRun !== undefined && names.includes(name)))(
  'certify $name --dry-run exits with 0',
  async ({ name }) => {
    expect((await run(name, ['--dry-run'])).code).toBe(0)
  },
)

test.each(commands.filter(({ manual, name }) => manual.ids !== undefined && names.includes(name)))(
  'certify $name --quiet prints only ids, one per line, and excludes --json',
  async ({ name }) => {
    const { code, stdout } = await run(name, ['--quiet'])
    expect([code, /^(\S+\n)*$/.test(stdout)]).toEqual([0, true])
    expect((await run(name, ['--quiet', '--json'])).code).toBe(2)
  },
)

test('common options are accepted before and after the command', async () => {
  const { certify } = createRunner()
  const behind = await certify(['tracks', 'list', '--json', '--timeout', '9s'])
  expect(behind.stdout).toMatch(/^\[\{"id":/)
  expect(await certify(['--json', '--timeout', '9s', 'tracks', 'list'])).toEqual(behind)
  expect(await certify(['tracks', '--json', '--timeout=9s', 'list'])).toEqual(behind)
})
