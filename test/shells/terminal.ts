import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, inject } from 'vitest'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'

/** One step of a person at the terminal: waits for a text, then types, or closes the terminal (`null`). */
export interface Step {
  readonly wait: string
  readonly send: string | null
}

/** The result of a program in a pseudo-terminal. */
export interface Seen {
  /** Everything printed, with control sequences. */
  readonly output: string
  readonly status: number
  /** The text that a step waited for and that never appeared. */
  readonly missing: string | null
}

/** The installed package, a listening mock and a home folder for the program, for all tests of a file. */
export async function startWorld() {
  const mock: MockServer = createMockServer()
  const listener = await mock.listen()
  const home = mkdtempSync(join(tmpdir(), 'certify-shells-'))
  const consumer = inject('consumer')
  const bin = join(consumer, 'node_modules/.bin')
  afterAll(async () => {
    await listener.close()
    rmSync(home, { recursive: true, force: true })
  })
  const { PATH = '' } = process.env
  const env = {
    PATH: `${bin}:${PATH}`,
    HOME: home,
    TERM: 'xterm',
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    CERTIFY_BASE_URL: listener.url,
    CERTIFY_API_KEY: mock.apiKey,
  }
  return { mock, url: listener.url, home, env }
}

/** Runs a program in a pseudo-terminal and plays a person at it. */
export async function inTerminal(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  steps: readonly Step[] = [],
  columns = 80,
): Promise<Seen> {
  const child = spawn('python3', [join(import.meta.dirname, 'person.py')], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify({ argv, env, columns, steps }))
  const [seen] = await Promise.all([text(child.stdout), once(child, 'close')])
  return JSON.parse(seen) as Seen
}

/** Runs a program without a terminal. */
export async function run(argv: readonly string[], env: Readonly<Record<string, string>>) {
  const [command = '', ...args] = argv
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { stdout, stderr, status: status as number }
}
