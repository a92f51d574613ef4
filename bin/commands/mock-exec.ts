import { ChildExit } from '../children/child-exit.ts'
import { CliError } from '../cli-error.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help/manual.ts'
import type { Child, Io } from '../io.ts'
import { addMockFlags, type MockFlags } from '../sandbox/flags.ts'
import { ignoringSignals } from '../sandbox/ignore-signals.ts'
import { startMock } from '../sandbox/start-mock.ts'

export const define: DefineCommand = (command, context) => {
  const { io } = context
  addManual(command, context, {
    usage: '[options] -- <command> [args...]',
    notes: [
      'Starts a mock, runs the command, and stops the mock when the command has ended. The environment of the command has ' +
        'CERTIFY_BASE_URL and CERTIFY_API_KEY, the first key of its world, but no CERTIFY_API_KEY_FILE and no CERTIFY_PROFILE. ' +
        'Everything after -- belongs to the command, also flags; it runs without a shell. The flags are those of ' +
        '`certify mock`.',
      'The exit code is that of the command; 128 plus the number of a signal that ended it; 127 if there is no such ' +
        'command, 126 if it cannot be run; 2 if the mock cannot be started, and then the command was not run. SIGINT, ' +
        'SIGTERM and SIGHUP go to the command, and certify waits for its end.',
      'With --export-on-exit the state is written after any end of the command.',
    ],
    output: 'what the command prints; nothing else on stdout.',
    examples: [
      'certify mock exec -- npm test',
      'certify mock exec --frozen 2030-01-01T00:00:00Z -- pytest tests/e2e',
      "certify mock exec -- sh -c 'curl -sS $CERTIFY_BASE_URL/__mock/health'",
    ],
  })
  addMockFlags(command, '0')
    .argument('<command>', 'the program to run')
    .argument('[args...]', 'its arguments')
    .action(async (program: string, args: readonly string[]) => {
      /* Flags before `exec` were parsed by `mock`. */
      const running = await startMock(context, command.optsWithGlobals<MockFlags>(), 0)
      try {
        const { url } = running.listener
        await context.output.remark(`A mock of the service listens on ${url} while ${shown(program)} runs.`)
        await ignoringSignals(async () => {
          const ended = await io.run({ program, args, env: environment(io.env, url, running.mock.apiKey) })
          if ('failure' in ended) throw cannotRun(program, ended.failure)
          running.exportState()
          if (ended.exitCode !== 0) throw new ChildExit(ended.exitCode)
        })
      } finally {
        await running.close()
      }
    })
}

/* Without settings that would override the key, or conflict with the address. */
function environment(env: Io['env'], url: string, key: string): Child['env'] {
  const { CERTIFY_API_KEY_FILE: _file, CERTIFY_PROFILE: _profile, ...others } = env
  return { ...others, CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key }
}

function cannotRun(program: string, failure: string): CliError {
  const isMissing = failure === 'ENOENT'
  return new CliError(
    isMissing
      ? `there is no command ${shown(program)}; the mock was stopped.`
      : `the command ${shown(program)} cannot be run (${failure}); the mock was stopped.`,
    program.includes('=')
      ? 'Write variables before certify: NAME=value certify mock exec -- command.'
      : isMissing
        ? 'Check its name and PATH. For builtins of a shell run the shell: certify mock exec -- sh -c "…".'
        : 'Check that it is a program and may be executed.',
    { code: 'COMMAND_NOT_RUN', exitCode: isMissing ? 127 : 126 },
  )
}

/* The text after an equals sign may be a secret. */
function shown(program: string): string {
  return `'${program.split('=')[0]}'`
}
