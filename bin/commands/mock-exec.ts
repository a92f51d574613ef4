import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CliError } from '../cli-error.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help.ts'
import type { Child, Io } from '../io.ts'
import { addMockFlags, MORE_MOCK_OPTIONS, type MockFlags } from '../sandbox/flags.ts'
import { ignoringSignals } from '../sandbox/ignore-signals.ts'
import { startMock } from '../sandbox/start-mock.ts'

export const define: DefineCommand = (command, context) => {
  const { io } = context
  command.usage('[options] -- <command> [args...]')
  addManual(command, {
    about:
      'The command gets CERTIFY_BASE_URL, CERTIFY_API_KEY and a CERTIFY_LEDGER of its own. The exit code is that of the ' +
      'command, or 127 or 126 if it cannot be run. All options of certify mock apply.',
    output: 'what the command prints; nothing else on stdout.',
    advancedOptions: `${MORE_MOCK_OPTIONS} --port --host --no-control`,
    examples: ['certify mock exec -- npm test', 'certify mock exec --frozen 2030-01-01T00:00:00Z -- pytest tests/e2e'],
    guide: 'testing.md',
  })
  addMockFlags(command, '0')
    .argument('<command>', 'the program to run')
    .argument('[args...]', 'its arguments')
    .action(async (program: string, args: readonly string[]) => {
      /* Flags before `exec` were parsed by `mock`. */
      const running = await startMock(context, command.optsWithGlobals<MockFlags>(), 0)
      /* The command's invites are recorded for as long as the mock lives. */
      const folder = mkdtempSync(join(tmpdir(), 'certify-mock-'))
      const ledger = join(folder, 'mock.ledger')
      try {
        const { url } = running.listener
        await context.output.remark(
          `A mock of the service listens on ${url} while ${shown(program)} runs. Its ledger is ${ledger}.`,
        )
        await ignoringSignals(async () => {
          const ended = await io.run({
            program,
            args,
            env: environment(io.env, url, running.mock.apiKey, ledger),
          })
          if ('failure' in ended) throw cannotRun(program, ended.failure)
          running.exportState()
          context.program.exitCode = ended.exitCode
        })
      } finally {
        await running.close()
        rmSync(folder, { recursive: true, force: true })
      }
    })
}

/* Without settings that would override the key, or conflict with the address. */
function environment(env: Io['env'], url: string, key: string, ledger: string): Child['env'] {
  const { CERTIFY_API_KEY_FILE: _file, CERTIFY_SESSION_HEADERS: _headers, CERTIFY_PROFILE: _profile, ...others } = env
  return { ...others, CERTIFY_BASE_URL: url, CERTIFY_API_KEY: key, CERTIFY_LEDGER: ledger }
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
        ? 'Check its name and PATH. For a shell builtin, run the shell: certify mock exec -- sh -c "…".'
        : 'Check that it is a program and may be executed.',
    { code: 'COMMAND_NOT_RUN', exitCode: isMissing ? 127 : 126 },
  )
}

/* The text after an equals sign may be a secret. */
function shown(program: string): string {
  return `'${program.split('=')[0]}'`
}
