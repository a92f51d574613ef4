import { InvalidArgumentError } from 'commander'
import { SANDBOX } from '../config/connection.ts'
import { addManual } from '../help/manual.ts'
import { UsageError } from '../usage-error.ts'
import type { DefineCommand } from './command.ts'

/** certify mock */
export const define: DefineCommand = (command, context) => {
  const { io } = context
  addManual(command, context, {
    notes: [
      'Starts the whole service on this machine, with tracks, keys and candidates of its own; everything is forgotten ' +
        'when it stops. Ctrl-C or SIGTERM stop it; the exit code is then 0. On its usual port the profile "sandbox" is ' +
        'set up for it.',
      'In a script, start the program itself (node_modules/.bin/certify), not npx: npx would leave it running when it ' +
        'is killed.',
    ],
    output: 'where it listens and the keys that it accepts.',
    json: 'one line, {"url","endpoint","apiKeys":[{"name","key","scopes"}],"adminSession":{"headers":{…}}}.',
    examples: ['certify mock', 'certify mock --port 0 --json'],
  })
    .option('--port <number>', 'the port to listen on; 0 picks a free one', readPort, 4010)
    .action(async ({ port }: { port: number }) => {
      const { interruption } = io
      const { createMockServer } = await import('../../mock-server/index.ts')
      const mock = createMockServer()
      const listener = await mock.listen({ port }).catch((error: unknown) => {
        throw cannotListen(error, port)
      })
      const { url, endpoint } = listener
      const { apiKeys, adminSession } = mock
      try {
        const told = context.output.json
          ? `${JSON.stringify({ url, endpoint, apiKeys, adminSession })}\n`
          : welcome(url, endpoint, apiKeys)
        await io.stdout.write(told).catch(() => {
          throw cannotTell()
        })
        await untilInterrupted(interruption)
      } finally {
        await listener.close()
      }
    })
}

interface Key {
  readonly name: string
  readonly key: string
  readonly scopes: readonly string[]
}

function welcome(url: string, endpoint: string, keys: readonly Key[]): string {
  const width = Math.max(...keys.map(({ key }) => key.length))
  const lines = keys.map(({ key, scopes }) => `  ${key.padEnd(width)}  ${scopes.join(', ') || 'no scope'}`)
  const exports = `  export CERTIFY_BASE_URL=${url}\n  export CERTIFY_API_KEY=${keys[0]?.key ?? ''}\n`
  const first = `  certify tracks list`
  const next =
    url === SANDBOX.baseUrl
      ? `${first} --profile ${SANDBOX.name}\n\nFor a program, or without the profile:\n\n${exports}`
      : `${exports}${first}\n`
  return `A mock of the certification service. Nothing here is real, and everything is
forgotten when it stops.

  endpoint  ${endpoint}

In another terminal:

${next}
Keys:

${lines.join('\n')}

Stop it with Ctrl-C.
`
}

function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('It has to be a whole number from 0 to 65535.')
  return port
}

function cannotListen(error: unknown, port: number): UsageError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
  return new UsageError({
    message: `cannot listen on port ${port} (${code}).`,
    hint:
      code === 'EADDRINUSE'
        ? 'A mock may be running there already: give --profile sandbox to other commands, or start this one with --port 0.'
        : 'Choose another with --port, or let --port 0 pick a free one.',
  })
}

function cannotTell(): UsageError {
  return new UsageError({
    code: 'OUTPUT_FAILED',
    message: 'stdout did not take where the mock listens; it was stopped.',
    hint: 'Check where stdout goes, then start it again.',
    exitCode: 1,
  })
}

function untilInterrupted(interruption: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (interruption.aborted) resolve()
    else interruption.addEventListener('abort', () => resolve(), { once: true })
  })
}
