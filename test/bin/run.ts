import type { Io } from '../../bin/io.ts'
import { run } from '../../bin/program.ts'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'

/** How one command line ended. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** What a test may change about the world around the program. */
export interface World {
  /** All of the environment, in place of the one that is made of `env`. */
  readonly variables?: Io['env']
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Whether stdout and stderr are a terminal, and how wide. */
  readonly terminal?: number
  readonly fetch?: Io['fetch']
  readonly files?: Readonly<Record<string, string>>
  readonly interruption?: AbortSignal
  /** What the system says when stdout or stderr is written to. */
  readonly broken?: Readonly<Partial<Record<'stdout' | 'stderr', string>>>
}

/** Runs command lines in process against a mock, by default with its key of every scope. */
export function createRunner(mock: MockServer = createMockServer({ now: '2030-01-01T00:00:00Z' })): {
  readonly mock: MockServer
  readonly certify: (argv: readonly string[], world?: World) => Promise<Ended>
} {
  return {
    mock,
    async certify(
      argv,
      { env = {}, variables, terminal, fetch = mock.fetch, files = {}, interruption, broken = {} } = {},
    ) {
      const [stdout, stderr] = [recorder(terminal, broken.stdout), recorder(terminal, broken.stderr)]
      const code = await run({
        argv,
        env: variables ?? { CERTIFY_BASE_URL: mock.baseUrl, CERTIFY_API_KEY: mock.apiKey, ...env },
        stdout: stdout.stream,
        stderr: stderr.stream,
        fetch,
        readFile: (path) => readFrom(files, path),
        interruption: interruption ?? new AbortController().signal,
      })
      return { code, stdout: stdout.text(), stderr: stderr.text() }
    },
  }
}

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
