import { InvalidArgumentError } from 'commander'
import { UsageError } from '../usage-error.ts'
import type { DefineCommand } from './command.ts'

/** certify mock */
export const define: DefineCommand = (command, { output, io }) => {
  command
    .option('--port <number>', 'the port to listen on; 0 picks a free one', readPort, 4010)
    .addHelpText(
      'after',
      `
Starts the whole service on this machine, with tracks, keys and candidates of
its own; everything is forgotten when it stops. Ctrl-C or SIGTERM stop it; the
exit code is then 0.

Output: where it listens and the keys that it accepts. With --json: one line,
{"url","endpoint","apiKeys":[{"name","key","scopes"}],"adminSession":{"headers":{…}}}.

In a script, start the program itself (node_modules/.bin/certify), not npx: npx
would leave it running when it is killed.

Examples:
  $ certify mock
  $ certify mock --port 0 --json`,
    )
    .action(async ({ port }: { port: number }) => {
      const { createMockServer } = await import('../../mock-server/index.ts')
      const mock = createMockServer()
      const listener = await mock.listen({ port }).catch((error: unknown) => {
        throw cannotListen(error, port)
      })
      const { url, endpoint } = listener
      const { apiKeys, adminSession } = mock
      try {
        const told = output.json
          ? `${JSON.stringify({ url, endpoint, apiKeys, adminSession })}\n`
          : welcome(url, endpoint, apiKeys)
        await io.stdout.write(told).catch(() => {
          throw cannotTell()
        })
        await untilInterrupted(io.interruption)
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
  return `A mock of the certification service. Nothing here is real, and everything is forgotten when it stops.

  endpoint  ${endpoint}

In another terminal:

  export CERTIFY_BASE_URL=${url}
  export CERTIFY_API_KEY=${keys[0]?.key ?? ''}
  certify tracks list

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
    hint: 'Choose another with --port, or let --port 0 pick a free one.',
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
