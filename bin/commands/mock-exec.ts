import { ChildExit } from '../child-exit.ts'
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
      'Starts a mock, runs the command against it, and stops the mock when the command has ended. The command finds ' +
        'CERTIFY_BASE_URL and CERTIFY_API_KEY, the key named "full", in its environment; CERTIFY_API_KEY_FILE and ' +
        'CERTIFY_PROFILE are taken out of it. What stands behind -- belongs to the command, flags too; it is run as it is, ' +
        'by no shell. The flags are those of `certify mock`.',
      'Exit code: that of the command; 128 and its number where a signal ended the command; 127 where there is no such ' +
        'command, 126 where it cannot be run; 2 where the mock cannot be started, and then the command was not run. SIGINT, ' +
        'SIGTERM and SIGHUP go to the command, whose end is waited for.',
      'With --export-on-exit the state is written however the command has ended.',
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
      /* Those that stand in front of `exec` were read by `mock`. */
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

/* Nothing that goes before the key, or against the address, is left in it. */
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
      ? 'Variables stand in front of certify: NAME=value certify mock exec -- command.'
      : isMissing
        ? 'Check its name and PATH. For what only a shell knows, run the shell: certify mock exec -- sh -c "…".'
        : 'Check that it is a program and may be executed.',
    { code: 'COMMAND_NOT_RUN', exitCode: isMissing ? 127 : 126 },
  )
}

/* What stands behind an equals sign may be a secret in the wrong place. */
function shown(program: string): string {
  return `'${program.split('=')[0]}'`
}
