import { CliError } from '../cli-error.ts'
import type { DefineCommand } from '../context.ts'
import { once } from '../flags.ts'
import { addManual } from '../help.ts'
import { addMockFlags, MORE_MOCK_OPTIONS, type MockFlags } from '../sandbox/flags.ts'
import { ignoringSignals, untilInterrupted } from '../sandbox/ignore-signals.ts'
import { sessionAddress, startMessage } from '../sandbox/start-message.ts'
import { startMock } from '../sandbox/start-mock.ts'
import { didYouMean } from '../spelling.ts'
import { outputError } from '../terminal/output.ts'
import { escapeControls } from '../terminal/printable.ts'

const PORT = 4010

export const define: DefineCommand = (command, context) => {
  const { io } = context
  addManual(command, {
    about: 'It serves a web page, too. --profile sandbox connects to its default port. Nothing is kept when it stops.',
    output:
      'its addresses and its keys. With --json one line, {"url","endpoint","apiKeys":[{"name","key","scopes"}],' +
      '"adminSession":{"headers":{…}},"sessions":[…]}.',
    more: `${MORE_MOCK_OPTIONS} --ledger`,
    examples: ['certify mock', 'certify mock --world world.yaml --behaviour pendingInvite=refuse'],
    guide: 'sandbox.md',
  })
  /* An unknown word is reported as an unknown command, not as an excess argument. */
  addMockFlags(command.allowExcessArguments(), String(PORT))
    .option('--ledger <path>', 'a view of this ledger beside the service: a file, or postgres://…', once)
    .action(async (flags: MockFlags) => {
      const [word] = command.args
      if (word !== undefined) {
        const suggestion = didYouMean(word, ['exec', 'init'])
        throw new CliError(`unknown command '${word}'.${suggestion}`, 'See certify mock --help.')
      }
      const { interruption } = io
      const running = await startMock(context, flags, PORT)
      const { mock, listener, sessions } = running
      try {
        const { url, endpoint } = listener
        const { apiKeys, adminSession } = mock
        const opened = sessions.map((session) => sessionAddress(session, listener))
        const started = context.output.json
          ? `${escapeControls(JSON.stringify({ url, endpoint, apiKeys, adminSession, sessions: opened }))}\n`
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
