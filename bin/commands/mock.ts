import { CliError } from '../cli-error.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { addMockFlags, MOCK_NOTES, type MockFlags } from '../sandbox/flags.ts'
import { ignoringSignals } from '../sandbox/ignore-signals.ts'
import { sessionAddress, welcome } from '../sandbox/start-message.ts'
import { startMock } from '../sandbox/start-mock.ts'
import { didYouMean } from '../spelling.ts'

const PORT = 4010

export const define: DefineCommand = (command, context) => {
  const { io } = context
  addManual(command, context, {
    notes: [
      'Starts the whole service on this machine, with tracks, keys and candidates of its own, and a page in the browser ' +
        'to play it on; everything is forgotten when it stops. Ctrl-C or SIGTERM stop it; the exit code is then 0. On its usual port the profile "sandbox" is ' +
        'set up for it.',
      ...MOCK_NOTES,
      'In a script, start the program itself (node_modules/.bin/certify), not npx: npx would leave it running when it ' +
        'is killed. Or let `certify mock exec` run the script.',
    ],
    output: 'where it listens and the keys that it accepts.',
    json:
      'one line, {"url","endpoint","apiKeys":[{"name","key","scopes"}],"adminSession":{"headers":{…}},"sessions":[{"id",' +
      '"baseUrl","endpoint","apiKeys","adminSession"}]}.',
    examples: [
      'certify mock',
      'certify mock --port 0 --json',
      'certify mock --state world.json --export-on-exit world.json',
      'certify mock exec -- npm test',
    ],
  })
  /* A word that is no command is reported by its name, not as one argument too many. */
  addMockFlags(command.allowExcessArguments(), String(PORT)).action(async (flags: MockFlags) => {
    const [word] = command.args
    if (word !== undefined) throw unknownCommand(word)
    const { interruption } = io
    const running = await startMock(context, flags, PORT)
    const { mock, listener, sessions } = running
    try {
      const { url, endpoint } = listener
      const { apiKeys, adminSession } = mock
      const opened = sessions.map((session) => sessionAddress(session, listener))
      const started = context.output.json
        ? `${JSON.stringify({ url, endpoint, apiKeys, adminSession, sessions: opened })}\n`
        : welcome(running, flags, io.env)
      await io.stdout.write(started).catch(() => {
        throw cannotPrint()
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

function unknownCommand(word: string): CliError {
  return new CliError(`unknown command '${word}'.${didYouMean(word, ['exec'])}`, 'See certify mock --help.')
}

function cannotPrint(): CliError {
  return new CliError(
    'stdout did not take where the mock listens; it was stopped.',
    'Check where stdout goes, then start it again.',
    { code: 'OUTPUT_FAILED', exitCode: 1 },
  )
}

function untilInterrupted(interruption: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (interruption.aborted) resolve()
    else interruption.addEventListener('abort', () => resolve(), { once: true })
  })
}
