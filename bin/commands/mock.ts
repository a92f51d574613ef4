import { CliError } from '../cli-error.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import { addMockFlags, MOCK_NOTES, type MockFlags } from '../sandbox/flags.ts'
import { ignoringSignals } from '../sandbox/ignore-signals.ts'
import { sessionAddress, startMessage } from '../sandbox/start-message.ts'
import { startMock } from '../sandbox/start-mock.ts'
import { didYouMean } from '../spelling.ts'
import { outputError } from '../terminal/output.ts'
import { escapeControls } from '../terminal/printable.ts'

const PORT = 4010

export const define: DefineCommand = (command, context) => {
  const { io } = context
  addManual(command, context, {
    notes: [
      'Starts the whole service on this machine, with its own tracks, keys and candidates, and a page in the browser to ' +
        'control it. Nothing is kept when it stops. Ctrl-C, SIGTERM or SIGHUP stop it; the exit code is then 0. The profile ' +
        '"sandbox" is for its default port.',
      ...MOCK_NOTES,
      'In a script, start the program itself (node_modules/.bin/certify), not npx: a killed npx leaves it running. Or ' +
        'run the script with `certify mock exec`.',
    ],
    output: 'its addresses and its keys.',
    json:
      'one line, {"url","endpoint","apiKeys":[{"name","key","scopes"}],"adminSession":{"headers":{…}},"sessions":[{"id",' +
      '"baseUrl","endpoint","apiKeys","adminSession"}]}.',
    refusesJq: true,
    examples: [
      'certify mock',
      'certify mock --port 0 --json',
      'certify mock --state state.json --export-on-exit state.json',
      'certify mock --world world.yaml --behaviour pendingInvite=refuse',
      'certify mock exec -- npm test',
    ],
  })
  /* An unknown word is reported as an unknown command, not as an excess argument. */
  addMockFlags(command.allowExcessArguments(), String(PORT)).action(async (flags: MockFlags) => {
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

function untilInterrupted(interruption: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (interruption.aborted) resolve()
    else interruption.addEventListener('abort', () => resolve(), { once: true })
  })
}
