import { Command, CommanderError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import type { CertifyError, RetryEvent } from '../src/index.ts'
import type { Context, DefineCommand } from './commands/command.ts'
import { once } from './commands/flags.ts'
import { readConnection } from './config/connection.ts'
import { EXIT_CODES, type ExitCode, exitCodeOf } from './exit-codes.ts'
import type { Io } from './io.ts'
import { createOutput, say } from './terminal/output.ts'
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
    const program = buildProgram(io, json)
    if (io.argv.some((word) => word === '--help' || word === '-h'))
      refuseUnknownWords(program, leadingWords(io.argv.filter((word) => word !== '--json')))
    await program.parseAsync(io.argv.length === 0 ? ['--help'] : [...io.argv], { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const known = await asKnown(error, io)
    const exitCode = known instanceof UsageError ? known.exitCode : exitCodeOf(known, io.interruption)
    await report(io, json, known, exitCode)
    return exitCode
  }
}

async function asKnown(error: unknown, io: Io): Promise<CertifyError | UsageError> {
  if (error instanceof UsageError) return error
  if (error instanceof CommanderError) return asUsageError(error, io.argv)
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
    .option('--base-url <url>', 'where the service is (CERTIFY_BASE_URL)', once)
    .version(manifest.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void say(io.stdout, text),
      writeErr: () => {},
      getOutHelpWidth: () => (io.stdout.isTTY ? io.stdout.columns : 80),
    })
    .addHelpText('after', INTRODUCTION)
  const output = createOutput(io, json)
  const onRetry = ({ code, waitMs }: RetryEvent) =>
    void output.remark(`${code}: nothing was changed; trying again in ${Math.ceil(waitMs / 1000)} s.`)
  const context: Context = {
    io,
    output,
    client: async () => {
      const { CertifyClient } = await import('../src/index.ts')
      return new CertifyClient({ ...readConnection(io, program.opts()), hooks: { onRetry } })
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
      if (words.join(' ') === 'exit-codes') return say(io.stdout, exitCodesTopic())
      refuseUnknownWords(program, words)
      await program.parseAsync([...words, '--help'], { from: 'user' })
    })
}

/* Help on something that is not there would be help on something else. */
function refuseUnknownWords(program: Command, words: readonly string[]): void {
  let place = program
  for (const word of words) {
    if (place !== program && place.commands.length === 0) return
    const next = place.commands.find((command) => command.name() === word)
    if (next === undefined) {
      const known = place.commands.map((command) => command.name()).join(', ')
      const among = known === '' ? '' : ` Known here: ${known}.`
      throw new UsageError({
        message: `there is no help on '${words.join(' ')}'.${among}`,
        hint: 'See certify --help.',
      })
    }
    place = next
  }
}

function exitCodesTopic(): string {
  return Object.entries(EXIT_CODES)
    .map(([code, meaning]) => `${code.padStart(3)}  ${(meaning.match(/.{1,70}(?:\s|$)/g) ?? []).join('\n     ')}\n`)
    .join('')
    .replaceAll(/ +$/gm, '')
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

function asUsageError({ code, message }: CommanderError, argv: readonly string[]): UsageError {
  const words = argv.filter((word) => !word.startsWith('-'))
  const path = Object.keys({ ...COMMANDS, ...GROUPS }).findLast((each) => words.join(' ').startsWith(each))
  const help = `See certify ${path === undefined ? '' : `${path} `}--help.`
  if (code === 'commander.help') return new UsageError({ message: 'a command is missing.', hint: help })
  if (code === 'commander.excessArguments') {
    return new UsageError({ message: sentence(message), hint: `Put quotes around a value with spaces. ${help}` })
  }
  return new UsageError({ message: sentence(message), hint: help })
}

/* Without what stood behind an equals sign: it may be a secret in the wrong place. */
function sentence(message: string): string {
  const flag = /unknown option '(--?[^=']+)=/.exec(message)?.[1]
  const known = flag === '--json' || flag === '--help' || flag === '--no-send-email'
  if (flag !== undefined) return known ? `option '${flag}' takes no value.` : `unknown option '${flag}'.`
  const text = message
    .replace(/^error: /, '')
    .replace(/ argument '[\s\S]*' is invalid/, ' is invalid')
    .replace(/unknown option '(-[^-])[^']*'/, "unknown option '$1'")
    .replaceAll('\n', ' ')
  return text.endsWith('.') ? text : `${text}.`
}

function leadingWords(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((word) => word.startsWith('-'))
  return argv.slice(0, end)
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
