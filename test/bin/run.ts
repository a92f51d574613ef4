import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Io, Question } from '../../bin/io.ts'
import { createFetch } from '../../src/node/index.ts'
import { run } from '../../bin/program.ts'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'

/** The result of one command. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The questions asked, if any. */
  readonly asked?: readonly Question[]
}

/** A quiz and a package of the mock, and creates of them that succeed. */
export const quizId = 'quiz_react_beginner_state'
export const packageId = 'pkg_react_beginner'
export const invite = ['invites', 'create', '--quiz-id', quizId, '--email', 'ada@example.com'] as const
export const packageInvite = ['invites', 'create', '--package-id', packageId, '--email', 'ada@example.com'] as const

/** A candidate whose invite is created, but the response to it is lost. */
export const LOST = 'cut-after@candidate.test'

/** For a terminal whose text is compared. */
export const NO_COLOR = { NO_COLOR: '1' }

/** What a test may change in the environment of the program. */
export interface World {
  /** Replaces the environment, which is otherwise built from `env`. */
  readonly variables?: Io['env']
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The columns of stdout and stderr. Without it, they are not terminals. */
  readonly terminal?: number
  readonly fetch?: Io['fetch']
  /** The content of stdin. */
  readonly stdin?: string | Uint8Array
  /** Answers to prompts, in order; `undefined` ends the input. A function runs when asked. Makes stdin a terminal. */
  readonly answers?: readonly (string | undefined | (() => Promise<string>))[]
  readonly now?: () => number
  /** Runs child processes. */
  readonly run?: Io['run']
  readonly files?: Readonly<Record<string, string>>
  readonly interruption?: AbortSignal
  /** The error code of every write to stdout or stderr. */
  readonly broken?: Readonly<Partial<Record<'stdout' | 'stderr', string>>>
}

/** The files of one test, in a temporary folder. */
export interface Home {
  readonly folder: string
  readonly config: string
  readonly credentials: string
  /** The default path of the ledger. */
  readonly ledger: string
}

/** Runs commands in process against a mock, by default with the key that has every scope. */
export function createRunner(mock: MockServer = createMockServer({ now: '2030-01-01T00:00:00Z' })): {
  readonly mock: MockServer
  readonly home: Home
  readonly certify: (argv: readonly string[], world?: World) => Promise<Ended>
} {
  const folder = mkdtempSync(join(tmpdir(), 'certify-home-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const folders = { CERTIFY_CONFIG_DIR: join(folder, 'config'), XDG_STATE_HOME: folder }
  /* `openLedger` makes no folder. */
  mkdirSync(join(folder, 'certify'))
  return {
    mock,
    home: {
      folder,
      config: join(folder, 'config/config.json'),
      credentials: join(folder, 'config/credentials.json'),
      ledger: join(folder, 'certify/ledger.sqlite'),
    },
    async certify(argv, world = {}) {
      const env = { ...folders, CERTIFY_BASE_URL: mock.baseUrl, CERTIFY_API_KEY: mock.apiKey, ...world.env }
      const now = (): number => mock.clock.now().getTime()
      const { io, stdout, stderr, asked } = ioOf(argv, { now, ...world, env, fetch: world.fetch ?? fetchOf(env, mock) })
      const restore = setVariables(env)
      const code = await run(io).finally(restore)
      return { code, stdout: stdout(), stderr: stderr(), ...(asked.length > 0 && { asked }) }
    },
  }
}

const OF_OPTIONS = ['PROFILE', 'BASE_URL', 'LEDGER', 'ACCOUNT', 'CALLBACK_BASE_URL'].map((name) => `CERTIFY_${name}`)

/** Commander reads the variables of options from `process.env`. Returns a function that restores them. */
export function setVariables(env: Io['env']): () => void {
  const before = OF_OPTIONS.map((name) => [name, process.env[name]] as const)
  const set = (name: string, value: string | undefined) => {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  for (const name of OF_OPTIONS) set(name, env[name])
  return () => {
    for (const [name, value] of before) set(name, value)
  }
}

/** The I/O of one run, with what it printed and asked. */
export function ioOf(argv: readonly string[], world: World) {
  const { env = {}, variables, terminal, fetch = failing, files = {}, interruption, broken = {} } = world
  const { stdin = '', answers, now = Date.now, run: child } = world
  const [stdout, stderr] = [recorder(terminal, broken.stdout), recorder(terminal, broken.stderr)]
  const asked: Question[] = []
  const io: Io = {
    argv,
    env: variables ?? env,
    stdin: {
      isTTY: answers !== undefined,
      text: async () => stdin.toString(),
      async *bytes() {
        yield Buffer.from(stdin)
      },
    },
    stdout: stdout.stream,
    stderr: stderr.stream,
    ask: async (question) => {
      const answer = answers?.[asked.push(question) - 1]
      return typeof answer === 'function' ? answer() : answer
    },
    fetch,
    run: child ?? (async () => ({ failure: 'ENOENT' })),
    readFile: (path) => readFrom(files, path),
    now,
    sleep: () => new Promise((resolve) => setImmediate(resolve)),
    interruption: interruption ?? new AbortController().signal,
  }
  return { io, stdout: stdout.text, stderr: stderr.text, asked }
}

/* The mock in process, unless a test makes it listen. */
function fetchOf({ CERTIFY_BASE_URL: url = '' }: Readonly<Record<string, string | undefined>>, mock: MockServer) {
  return url.startsWith('http://127.0.0.1')
    ? createFetch()
    : async (to: string, init?: RequestInit) => mock.fetch(to, init)
}

const failing: Io['fetch'] = async () => Promise.reject(new Error('no service'))

function recorder(terminal: number | undefined, code: string | undefined) {
  let written = ''
  const write = async (text: string) => {
    if (code !== undefined) throw Object.assign(new Error('write failed'), { code })
    written += text
  }
  return { stream: { write, isTTY: terminal !== undefined, columns: terminal ?? 80 }, text: () => written }
}

function readFrom(files: Readonly<Record<string, string>>, path: string): string {
  const text = files[path]
  if (text === undefined) throw Object.assign(new Error(`no file ${path}`), { code: 'ENOENT' })
  return text
}
