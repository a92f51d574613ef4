import { CliError } from '../cli-error.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help.ts'
import { addMockFlags, type MockFlags, MORE_MOCK_OPTIONS } from '../sandbox/flags.ts'
import { ignoringSignals, untilInterrupted } from '../sandbox/ignore-signals.ts'
import { type RunningMock, startMock } from '../sandbox/start-mock.ts'
import { didYouMean } from '../spelling.ts'
import { outputError } from '../terminal/output.ts'
import { jsonLine, printable } from '../terminal/text.ts'
import { SANDBOX } from '../config/connection.ts'
import type { Env } from '../io.ts'

const PORT = 4010

export const define: DefineCommand = (command, context) => {
  const { io } = context
  addManual(command, {
    about: 'It serves a web page, too. --profile sandbox connects to its default port. Nothing is kept when it stops.',
    output:
      'its address and its keys. With --json one line, {"url","endpoint","apiKeys":[{"name","key","scopes"}],' +
      '"adminSession":{"headers":{…}}}.',
    advancedOptions: MORE_MOCK_OPTIONS,
    examples: ['certify mock', 'certify mock --world world.yaml --behaviour pendingInvite=refuse'],
    guide: 'sandbox.md',
  })
  /* An unknown word is reported as an unknown command, not as an excess argument. */
  addMockFlags(command.allowExcessArguments(), String(PORT)).action(async (flags: MockFlags) => {
    const [word] = command.args
    if (word !== undefined) {
      const suggestion = didYouMean(word, ['exec', 'init', 'learn'])
      throw new CliError(`unknown command '${word}'.${suggestion}`, 'See certify mock --help.')
    }
    const { interruption } = io
    const running = await startMock(context, flags, PORT)
    const { mock, listener } = running
    try {
      const { url, endpoint } = listener
      const { apiKeys, adminSession } = mock
      const started = context.output.json
        ? jsonLine({ url, endpoint, apiKeys, adminSession })
        : startMessage(running, flags, io.env)
      await io.stdout.write(started).catch(() => {
        const hint = 'Check where stdout goes, then start it again.'
        throw outputError('the address of the mock could not be written to stdout; the mock was stopped.', hint)
      })
      await ignoringSignals(async () => {
        await untilInterrupted(interruption)
        running.exportState()
      })
    } finally {
      await running.close()
    }
  })
}

function startMessage({ mock, listener }: RunningMock, flags: MockFlags, env: Env): string {
  const { url, endpoint } = listener
  const { apiKeys, apiKey } = mock
  /* Started by npx: another terminal has no `certify` on its path. */
  const program = env['npm_command'] === 'exec' ? 'npx certify-sdk' : 'certify'
  const keys = apiKeys.map(({ name, key, scopes }) => {
    const lines = [key, ...(scopes.length === 0 ? ['no scope'] : scopes)]
    return `  ${printable(name).padEnd(8)}${lines.join(`\n${' '.repeat(10)}`)}`
  })
  const exports = `  export CERTIFY_BASE_URL=${url}\n${apiKey === '' ? '' : `  export CERTIFY_API_KEY=${apiKey}\n`}`
  const first = `  ${program} tracks list`
  const next =
    url === SANDBOX.baseUrl && apiKey === SANDBOX.key
      ? `${first} --profile ${SANDBOX.name}\n\nFor a program, or without the profile:\n\n${exports}`
      : `${exports}${first}\n`
  return `A mock of the certification service. Nothing here is real, and ${
    flags.exportOnExit === undefined ? 'nothing is\nkept when it stops.' : 'its state goes\nto a file when it stops.'
  }

  endpoint  ${endpoint}
${flags.control ? `  page      ${url}/ (for your browser)\n` : ''}
In another terminal:

${next}
${keys.length === 0 ? 'This world has no API key.' : `Keys:\n\n${keys.join('\n')}`}

Stop it with Ctrl-C.
`
}
