import { expect, test } from 'vitest'
import { SETTINGS } from '../../bin/config/settings.ts'
import type { Program } from '../../bin/context.ts'
import { describeCommands } from '../../bin/help/describe-commands.ts'
import type { Io } from '../../bin/io.ts'
import { DryRun } from '../../bin/network/dry-run.ts'
import { CommandLine } from '../../bin/program.ts'
import { openLedger } from '../../src/ledger/index.ts'
import { createRunner, ioOf, type World } from './run.ts'

interface Run {
  /** The words after its name. {folder} stands for a folder of its own. */
  readonly argv: readonly string[]
  readonly world?: World
  /** What has to be recorded before it; the last reference stands for {reference} in its words. */
  readonly after?: readonly (readonly string[])[]
  /** Whether the inbox has an event, whose key stands for {key} in its words. */
  readonly event?: boolean
}

const created = [
  'invites',
  'create',
  '--quiz-id',
  'quiz_react_beginner_state',
  '--email',
  'eve@example.com',
  '--ledger',
]
const lost = [...created, '--email', 'cut-after@candidate.test'].toSpliced(4, 2)
const references = ['invites', 'list', '--state', 'unknown', '--quiet']

/* One run of each command that ends well. A new command fails here until it has one. */
const RUNS: Readonly<Record<string, Run>> = {
  'tracks list': { argv: [] },
  'tracks view': { argv: ['react'] },
  'invites create': { argv: ['--quiz-id', 'quiz_react_beginner_state', '--email', 'ada@example.com'] },
  'package-invites create': { argv: ['--package-id', 'pkg_react_beginner', '--email', 'ada@example.com'] },
  'invites list': { argv: [], after: [created, lost] },
  'invites view': { argv: ['{reference}'], after: [created, ['invites', 'list', '--quiet']] },
  'invites expiring': { argv: ['--within', '2w'], after: [created] },
  'invites export': { argv: [], after: [created, lost] },
  'invites resolve': { argv: ['{reference}', '--created', 'inv_1'], after: [lost, references] },
  open: { argv: ['--print'] },
  bulk: {
    argv: ['-', '--yes'],
    world: { stdin: 'email,quiz_id\neve@example.com,quiz_react_beginner_state\n' },
  },
  'bulk template': { argv: [] },
  'callbacks listen': { argv: ['--port', '0'], world: { interruption: AbortSignal.abort('SIGINT') } },
  'callbacks list': { argv: [], event: true },
  'callbacks view': { argv: ['{key}'], event: true },
  'callbacks replay': { argv: ['{key}', '--yes'], event: true },
  'callbacks url': { argv: ['ref-1', '--callback-base-url', 'https://app.example/certify'] },
  'ledger path': { argv: [] },
  'ledger check': { argv: [], after: [created] },
  'ledger purge': { argv: ['--older-than', '90d', '--yes'], after: [created] },
  'auth login': { argv: ['--with-key', '--profile', 'acme'], world: { stdin: 'ck_sandbox_full_7h2m9q4x1v8c6t3w' } },
  'auth logout': { argv: ['--all'] },
  'auth status': { argv: [] },
  'profiles list': { argv: [] },
  'profiles use': { argv: ['sandbox'] },
  'profiles remove': { argv: ['acme'] },
  'config list': { argv: [] },
  doctor: { argv: [] },
  api: { argv: ['{ developerCertificationPackageTracks { slug } }'] },
  schema: { argv: [] },
  mock: { argv: ['--port', '0'], world: { interruption: AbortSignal.abort('SIGINT') } },
  'mock exec': { argv: ['true'], world: { run: async () => ({ exitCode: 0 }) } },
  'mock init': { argv: ['{folder}/world.yaml'] },
  mcp: { argv: [], world: { stdin: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n` } },
  completion: { argv: ['bash'] },
  commands: { argv: [] },
  help: { argv: ['exit-codes'] },
}
/* Their output is a text, or that of another program, and has no other form. */
const TEXTS = new Set(['bulk template', 'completion', 'help', 'mock exec', 'schema'])
/* Without --json there is something for people on stderr, such as a plan. With it, each line is a document. */
const STREAMS = new Set(['bulk', 'callbacks listen', 'callbacks replay'])
/* Those that print nothing where there is nothing to tell, and those whose output is never the same twice. */
const SILENT = new Set(['auth logout', 'mock exec', 'callbacks listen'])
/* They change something, and have nothing to show before. */
const NO_DRY_RUN = new Set([
  'auth login',
  'auth logout',
  'profiles use',
  'profiles remove',
  'ledger purge',
  'callbacks listen',
])
const RECORDS = ['invites list', 'invites view', 'invites expiring', 'invites export', 'invites resolve']
const CHANGING = new Set(['doctor', 'callbacks url', 'bulk', 'invites create', 'package-invites create', ...RECORDS])

const tree = await describeCommands(new CommandLine(ioOf([], {}).io, new DryRun()) satisfies Program)
/* They need a server of Postgres: test/postgres/ledger-commands.test.ts runs it. */
const OF_A_DATABASE = new Set(['ledger copy'])
const commands = tree.commands.filter(({ name }) => !OF_A_DATABASE.has(name))
const names = commands.map(({ name }) => name)
const documents = names.filter((name) => !TEXTS.has(name))
/* Flags that not every command has a use for. */
const commonOf = ({ name, manual }: (typeof tree.commands)[number]) => [
  { name, flag: '--quiet', taken: manual.ids !== undefined },
  { name, flag: '--fields', taken: manual.fields !== undefined },
  { name, flag: '--jq', taken: manual.json !== undefined && manual.refusesJq !== true },
  { name, flag: '--dry-run', taken: manual.writes === true },
]
const COMMON = commands.flatMap(commonOf)
const key = 'ck_sandbox_full_7h2m9q4x1v8c6t3w'

/** Runs a command against a service that listens, after a login. */
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
      env: { ...env, ...world.env },
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

test('every command that the program has is run here', () => {
  expect(Object.keys(RUNS)).toEqual(names)
})

test.each(names)('certify %s ends with 0, its data on stdout and nothing on stderr', async (name) => {
  const { code, stdout, stderr } = await run(name)
  expect([code, STREAMS.has(name) || stderr === '', stdout === '']).toEqual([0, true, SILENT.has(name)])
})

test.each(documents)('certify %s --json prints one JSON document, or one a line', async (name) => {
  const { code, stdout, stderr } = await run(name, ['--json'])
  expect([code, stderr]).toEqual([0, ''])
  const documented = STREAMS.has(name) ? stdout.trimEnd().split('\n') : [stdout]
  for (const document of documented) expect(JSON.parse(document)).toBeTypeOf('object')
})

test.each(names)('certify %s takes a common flag from the environment as well', async (name) => {
  const byFlag = await run(name, ['--json'])
  const byVariable = await run(name, [], { env: { CERTIFY_JSON: '1' } })
  const shape = (text: string) =>
    CHANGING.has(name) ? text.slice(0, 1) : text.replaceAll(/\d+|certify-home-\w+/g, '#')
  expect(shape(byVariable.stdout).replaceAll('CERTIFY_JSON', '--json')).toBe(
    shape(byFlag.stdout).replaceAll('CERTIFY_JSON', '--json'),
  )
  expect(byVariable.code).toBe(0)
})

test.each(documents)('certify %s fits a terminal of eighty columns, but for links, paths and keys', async (name) => {
  const { stdout } = await run(name, ['--color', 'never', '--yes'], { terminal: 80 })
  expect(stdout).not.toContain('\u001B')
  const long = stdout.split('\n').filter((line) => line.length > 80 && !/https?:|\/tmp\/|ck_sandbox/.test(line))
  expect(long).toEqual([])
})

test.each([
  [['--help']],
  [['package-invites', 'create', '--help']],
  [['help', 'environment']],
  [['help', 'errors']],
  [['help', 'exit-codes']],
  [['doctor']],
  [['tracks', 'view', 'nothing-like-it']],
  [['auth', 'login']],
])('certify %j is broken between words on a terminal of fifty columns', async (argv) => {
  const { certify } = createRunner()
  const env = { NO_COLOR: '1', CI: '1', CERTIFY_CONFIG_DIR: '/c', XDG_STATE_HOME: '/s', CERTIFY_BASE_URL: 'x' }
  const { stdout, stderr } = await certify(argv, { terminal: 50, env })
  const long = `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line.length > 50 && !/^ *(\$|certify |jq |-)/.test(line))
  expect(long).toEqual([])
})

test.each(names)('certify %s fails with one JSON object on stderr and an empty stdout', async (name) => {
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

test.each(tree.commands)(
  'certify $name --help names its flags, its arguments, what it prints and an example',
  async (command) => {
    const { name, flags, manual } = command
    const { code, stdout, stderr } = await createRunner().certify([...name.split(' '), '--help'])
    expect([code, stderr]).toEqual([0, ''])
    const refused = commonOf(command).filter((each) => !each.taken)
    const common = Object.values(SETTINGS).filter((each) => !refused.some(({ flag }) => each.flags.includes(flag)))
    const everyWord = [...flags, ...common].map((flag) => flag.flags)
    for (const words of [...everyWord, ...command.arguments.map((each) => each.name)]) expect(stdout).toContain(words)
    for (const { flag } of refused) expect(stdout).not.toMatch(new RegExp(`^ +(-\\w, )?${flag}\\b`, 'm'))
    expect(stdout).toContain('Output: ')
    expect(manual.examples.length).toBeGreaterThan(0)
    expect(stdout).toContain(`$ ${manual.examples[0]?.split('\n')[0]}`)
  },
)

test('the help says what a common flag does where that is another thing than elsewhere', async () => {
  const { certify } = createRunner()
  const lineOf = async (...words: readonly string[]) =>
    (await certify([...words, '--help'])).stdout.split('\n').find((line) => line.startsWith('  --dry-run'))
  expect(await lineOf('invites', 'create')).toMatch(/ print the request, /)
  expect(await lineOf('bulk')).toMatch(/ end with the plan/)
})

test.each(commands.filter(({ manual }) => manual.fields !== undefined))(
  'certify $name --fields keeps what is asked for and knows its fields',
  async ({ name, manual: { fields = [] } }) => {
    const all = JSON.parse(
      (await run(name, ['--json', ...(name === 'config list' ? ['--show-origin'] : [])])).stdout,
    ) as unknown
    const [first] = Array.isArray(all) ? (all as object[]) : [all as object]
    for (const field of Object.keys(first ?? {})) expect(fields).toContain(field)
    const [field = ''] = fields
    const one = JSON.parse((await run(name, ['--fields', field])).stdout) as unknown
    for (const each of [one].flat() as object[]) expect(Object.keys(each)).toEqual([field])
    const wrong = await run(name, ['--fields', `${field}x`])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining(`Did you mean ${field}?`)])
  },
)

test.each(COMMON.filter(({ taken }) => !taken))(
  'certify $name refuses $flag, which would do nothing',
  async ({ name, flag }) => {
    const { code, stderr } = await run(name, TAKES_A_VALUE.has(flag) ? [flag, 'x'] : [flag])
    expect([code, stderr]).toEqual([2, expect.stringContaining(`takes no ${flag}`)])
  },
)

const TAKES_A_VALUE = new Set(['--fields', '--jq'])

test.each(COMMON.filter(({ taken, flag }) => taken && !TAKES_A_VALUE.has(flag)))(
  'certify $name takes $flag',
  async ({ name, flag }) => {
    expect((await run(name, [flag])).code).toBe(0)
  },
)

test.each(COMMON.filter(({ taken, flag }) => taken && flag === '--jq'))(
  'certify $name --jq prints what jq makes of its document, and nothing else',
  async ({ name }) => {
    const inputs: unknown[] = []
    const pipe: Io['pipe'] = async (_jq, input) => {
      if (input !== '') inputs.push(JSON.parse(input))
      return { exitCode: 0, output: input && 'made by jq\n', errors: '' }
    }
    const { code, stdout } = await run(name, ['--jq', '.'], { pipe })
    expect([code, stdout, inputs.length]).toEqual([0, 'made by jq\n', 1])
  },
)

test('the common flags stand before the command as well as behind it', async () => {
  const { certify } = createRunner()
  const behind = await certify(['tracks', 'list', '--json', '--timeout', '9s', '--fields', 'slug'])
  expect(behind.stdout).toMatch(/^\[\{"slug":/)
  expect(await certify(['--json', '--timeout', '9s', '--fields', 'slug', 'tracks', 'list'])).toEqual(behind)
  expect(await certify(['tracks', '--json', '--timeout=9s', '--fields=slug', 'list'])).toEqual(behind)
})

test('while CERTIFY_DRY_RUN is set, what changes something and has no dry run is refused', async () => {
  for (const name of NO_DRY_RUN) {
    const { code, stdout, stderr } = await run(name, [], { env: { CERTIFY_DRY_RUN: '1' } })
    expect([name, code, stdout]).toEqual([name, 2, ''])
    expect(stderr).toContain(`CERTIFY_DRY_RUN is set, and certify ${name} has no dry run. Nothing was changed.`)
  }
})

test('a variable that a command has no use for does it no harm', async () => {
  for (const name of names) {
    const dryRun = NO_DRY_RUN.has(name) ? {} : { CERTIFY_DRY_RUN: '1' }
    const env = { CERTIFY_QUIET: '1', CERTIFY_FIELDS: 'no-such-field', ...dryRun }
    const { code, stdout } = await run(name, [], { env })
    /* Of a dry run of bulk there are no ids. */
    expect([name, code, stdout === '']).toEqual([name, 0, SILENT.has(name) || name === 'bulk'])
    /* A body and a protocol have no other form than JSON. */
    expect([name, /^[[{]/.test(stdout)]).toEqual([name, ['callbacks view', 'mcp'].includes(name)])
  }
})
