import { Command, CommanderError } from 'commander'
import type { CertifyError } from '../src/index.ts'
import type { Context, DefineCommand } from './commands/command.ts'
import { readConnection } from './config/connection.ts'
import { EXIT_CODES, type ExitCode, exitCodeOf } from './exit-codes.ts'
import type { Io } from './io.ts'
import { createOutput } from './terminal/output.ts'
import { report } from './terminal/report.ts'
import { UsageError } from './usage-error.ts'

/** The commands: what they are called, what they do, and where they are. Only the one that runs is loaded. */
const COMMANDS: Readonly<Record<string, { summary: string; load: () => Promise<{ define: DefineCommand }> }>> = {
  'tracks list': { summary: 'list the package tracks', load: () => import('./commands/tracks-list.ts') },
  'tracks view': {
    summary: 'show one track with its packages and skills',
    load: () => import('./commands/tracks-view.ts'),
  },
  'invites create': { summary: 'invite one candidate to one quiz', load: () => import('./commands/invites-create.ts') },
  'package-invites create': {
    summary: 'invite one candidate to every skill of a package',
    load: () => import('./commands/package-invites-create.ts'),
  },
  mock: { summary: 'run a mock of the service on this machine', load: () => import('./commands/mock.ts') },
}

const GROUPS: Readonly<Record<string, string>> = {
  tracks: 'what there is to be certified in',
  invites: 'invites to a single quiz',
  'package-invites': 'invites to every skill of a package',
}

/** Runs one command line, and says how it ended. Nothing here ends the process. */
export async function run(io: Io): Promise<ExitCode> {
  const json = beforeDoubleDash(io.argv).includes('--json')
  try {
    refuseSecrets(io.argv)
    await buildProgram(io, json).parseAsync(io.argv.length === 0 ? ['--help'] : [...io.argv], { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const known = await asKnown(error)
    const exitCode = known instanceof UsageError ? known.exitCode : exitCodeOf(known, io.interruption)
    report(io, json, known, exitCode)
    return exitCode
  }
}

async function asKnown(error: unknown): Promise<CertifyError | UsageError> {
  if (error instanceof UsageError) return error
  if (error instanceof CommanderError) return asUsageError(error)
  const { isCertifyError } = await import('../src/index.ts')
  if (isCertifyError(error)) return error
  return new UsageError({
    code: 'INTERNAL',
    message: `an unexpected fault of the program itself: ${error instanceof Error ? error.stack : String(error)}`,
    hint: 'Please report it, with the command that you ran but without keys and names.',
    exitCode: 1,
  })
}

function buildProgram(io: Io, json: boolean): Command {
  const program = new Command('certify')
    .description('Invite candidates to skill certifications, and list what there is to be certified in.')
    .option('--json', 'print one JSON document, and errors as one JSON object on stderr')
    .option('--base-url <url>', 'where the service is (CERTIFY_BASE_URL)')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: () => {},
      getOutHelpWidth: () => (io.stdout.isTTY ? io.stdout.columns : 100),
    })
    .addHelpText('after', INTRODUCTION)
  const context: Context = {
    io,
    output: createOutput(io, json),
    client: async () => {
      const { CertifyClient } = await import('../src/index.ts')
      return new CertifyClient(readConnection(io, program.opts()))
    },
  }
  for (const [path, { summary }] of Object.entries(COMMANDS)) addCommand(program, path, summary)
  addHelpCommand(program, io)
  return lazily(program, context)
}

function addCommand(program: Command, path: string, summary: string): void {
  const [first = '', verb] = path.split(' ')
  if (verb === undefined) {
    program.command(first).description(summary)
    return
  }
  const group = program.commands.find((command) => command.name() === first) ?? addGroup(program, first)
  group.command(verb).description(summary)
}

function addGroup(program: Command, name: string): Command {
  return program
    .command(name)
    .description(GROUPS[name] ?? '')
    .helpCommand(false)
}

/* A command gets its flags when the words that name it have been read, and no other command is loaded. */
function lazily(program: Command, context: Context): Command {
  const load = async (_parent: Command, command: Command) => {
    const path = command.parent === program ? command.name() : `${command.parent?.name()} ${command.name()}`
    const entry = COMMANDS[path]
    if (entry !== undefined) (await entry.load()).define(command.showHelpAfterError(false), context)
  }
  program.hook('preSubcommand', load)
  for (const group of program.commands) group.hook('preSubcommand', load)
  return program
}

function addHelpCommand(program: Command, io: Io): void {
  program
    .command('help')
    .description('help on a command or a topic (exit-codes)')
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      if (words.join(' ') === 'exit-codes') io.stdout.write(exitCodesTopic())
      else await program.parseAsync([...words, '--help'], { from: 'user' })
    })
}

function exitCodesTopic(): string {
  return Object.entries(EXIT_CODES)
    .map(([code, meaning]) => `${code.padStart(3)}  ${meaning}\n`)
    .join('')
}

/* A process list shows argv to everybody on the machine, and shells keep it: no secret is taken from there. */
function refuseSecrets(argv: readonly string[]): void {
  const flag = beforeDoubleDash(argv).find((word) => /^--?(x-)?(api-?key|key|token|secret|password)(=|$)/i.test(word))
  if (flag === undefined) return
  throw new UsageError({
    message: `a secret is never taken from the command line (${flag.split('=')[0]}).`,
    hint: 'Set CERTIFY_API_KEY, or CERTIFY_API_KEY_FILE to the path of a file that holds the key.',
  })
}

function asUsageError({ code, message }: CommanderError): UsageError {
  if (code === 'commander.help') {
    return new UsageError({ message: 'a command is missing.', hint: 'See certify --help.' })
  }
  const text = message.replace(/^error: /, '').replace(/^(unknown option '--?[^=']+)=.*'/, "$1'")
  return new UsageError({
    message: text.endsWith('.') ? text : `${text}.`,
    hint: 'See certify --help, and --help after any command.',
  })
}

function beforeDoubleDash(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}

const INTRODUCTION = `
Every command takes --help. The service and the key come from the environment:
  CERTIFY_BASE_URL      where the service is; or --base-url
  CERTIFY_API_KEY       the API key
  CERTIFY_API_KEY_FILE  or the path of a file that holds it

To try it without the real service:
  $ certify mock

Exit codes: certify help exit-codes`
