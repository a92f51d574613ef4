import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { addAbortSignal, PassThrough } from 'node:stream'
import { type CallToolResult, Client, type ElicitRequest, type ElicitResult } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { onTestFinished } from 'vitest'
import type { Io } from '../../bin/io.ts'
import { run } from '../../bin/program.ts'
import type { MockServer } from '../../mock-server/index.ts'
import { createRunner, ioOf, quizId, setVariables } from './run.ts'

/** An invite to plan, and the tool that creates planned ones. */
export const ada = { email: 'ada@example.com', name: 'Ada', quizId }
export const create = 'create_planned_invites'

/** Overrides for the server and the client of one test. */
export interface AgentOptions {
  /** Default: 2025-11-25, with its handshake. */
  readonly revision?: '2025-11-25' | '2026-07-28' | undefined
  readonly mock?: MockServer
  /** Of an earlier server, for its folders. */
  readonly runner?: ReturnType<typeof createRunner>
  readonly flags?: readonly string[]
  readonly env?: Io['env']
  readonly fetch?: Io['fetch']
  /** Answers a confirmation. Default: sends. With `null`, the client cannot ask. */
  readonly answer?: ((question: ElicitRequest['params']) => ElicitResult | Promise<ElicitResult>) | null
}

const agreed = (): ElicitResult => ({ action: 'accept', content: { send: true } })

/** The result of a tool, as the tests read it. */
// biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect of it
export type Structured = any // oxlint-disable-line typescript/no-explicit-any

/** Runs `certify mcp` in process, and connects the official client to its stdin and stdout. */
export async function startAgent({
  mock,
  flags = [],
  env = {},
  fetch,
  answer = agreed,
  revision,
  runner: given,
}: AgentOptions = {}) {
  const runner = given ?? createRunner(mock)
  const { home } = runner
  const folders = { CERTIFY_CONFIG_DIR: join(home.folder, 'config'), XDG_STATE_HOME: home.folder }
  const own = { ...folders, CERTIFY_BASE_URL: runner.mock.baseUrl, CERTIFY_API_KEY: runner.mock.apiKey }
  const [typed, stdin, stdout] = [new PassThrough(), new PassThrough(), new PassThrough()]
  /* A stream of its own: a signal ends the server's stdin, not the client. */
  typed.pipe(stdin)
  const interruption = new AbortController()
  const now = () => runner.mock.clock.now().getTime()
  const world = {
    env: { ...own, ...env },
    fetch: fetch ?? ((url: string, init?: RequestInit) => runner.mock.fetch(url, init)),
    now,
    interruption: interruption.signal,
  }
  const { io, stderr } = ioOf(['mcp', ...flags], world)
  onTestFinished(setVariables(world.env))
  let sent = ''
  const ended = run({
    ...io,
    stdin: { ...io.stdin, bytes: (signal) => addAbortSignal(signal, stdin) },
    stdout: {
      ...io.stdout,
      write: async (text) => {
        sent += text
        stdout.write(text)
      },
    },
  })
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: answer ? { elicitation: { form: {} } } : {},
      ...(revision === '2026-07-28' && { versionNegotiation: { mode: { pin: revision } } }),
    },
  )
  if (answer !== null) client.setRequestHandler('elicitation/create', ({ params }) => answer(params))
  /* Messages are framed the same way in both directions, so the server transport also works for a client. */
  await client.connect(new StdioServerTransport(stdout, typed))
  onTestFinished(async () => {
    stdin.end()
    await ended
  })
  const call = async (name: string, args: Record<string, unknown> = {}, signal?: AbortSignal) =>
    client.callTool({ name, arguments: args }, signal && { signal })
  return {
    ...runner,
    runner,
    client,
    call,
    /** The result of a call that did not fail. */
    ok: async (name: string, args?: Record<string, unknown>): Promise<Structured> => {
      const result = await call(name, args)
      if (result.isError === true) throw new Error(JSON.stringify(result))
      return dataOf(result)
    },
    /** The error of a call that failed. */
    error: async (name: string, args?: Record<string, unknown>): Promise<Structured> => errorOf(await call(name, args)),
    /** Plans these invites and returns the id of the plan. */
    plan: async (...invites: readonly object[]): Promise<string> => {
      return dataOf(await call('plan_invites', { invites })).planId
    },
    stdin,
    stderr,
    /** Everything that the server wrote to stdout. */
    stdout: () => sent,
    interrupt: () => interruption.abort('SIGTERM'),
    ended,
    hasLedger: () => existsSync(home.ledger),
  }
}

/* Data is JSON in the text content and nowhere else, because an agent reads the text. */
export function dataOf({ content: [first] }: CallToolResult): Structured {
  return first?.type === 'text' && first.text.startsWith('{') ? JSON.parse(first.text) : undefined
}

function errorOf({ content, isError }: CallToolResult): Structured {
  const [first] = content
  if (isError !== true || first?.type !== 'text') throw new Error(`no error: ${JSON.stringify(content)}`)
  return first.text.startsWith('{') ? JSON.parse(first.text).error : first.text
}
