import { type Command, CommanderError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import type { CertifyError } from '../src/index.ts'
import { CheckedCommand } from './checked-command.ts'
import { ChildExit } from './children/child-exit.ts'
import { CliError } from './cli-error.ts'
import { COMMANDS, GROUPS } from './commands/catalogue.ts'
import { profileFlag } from './config/connection.ts'
import { SETTINGS, styleBeforeParsing, usableVariables } from './config/settings.ts'
import { type Context, createContext, type Program } from './context.ts'
import { exitCodeOf } from './exit-codes.ts'
import { once } from './flags.ts'
import { commonOptions, manualOf, nameOf } from './help/manual.ts'
import { widthOf, wrap } from './help/wrap.ts'
import type { Io } from './io.ts'
import { DryRun, drawRequest } from './network/dry-run.ts'
import { beforeDoubleDash, refuseSecrets } from './refuse-secrets.ts'
import { didYouMean } from './spelling.ts'
import { report } from './terminal/error-report.ts'
import { createOutput, say } from './terminal/output.ts'

/** Runs one command line, and resolves with its exit code. */
export async function run(io: Io): Promise<number> {
  const dryRun = new DryRun()
  const line = new CommandLine(io, dryRun)
  try {
    refuseSecrets(io)
    await line.run(io.argv)
    return 0
  } catch (thrown) {
    if (thrown instanceof ChildExit) return thrown.exitCode
    const style = styleBeforeParsing(beforeDoubleDash(io.argv), usableVariables(io.env, manualOf(line.current) ?? {}))
    const { request } = dryRun
    let error = thrown
    if (request !== undefined) {
      const output = createOutput(io, style)
      error = await output.text(style.json ? `${JSON.stringify(request)}\n` : drawRequest(request)).catch(same)
    }
    if (error === undefined || (error instanceof CommanderError && error.exitCode === 0)) return 0
    const known = await knownError(error, line.current)
    const exitCode = known instanceof CliError ? known.exitCode : exitCodeOf(known, io.interruption)
    await report(io, style, known, { exitCode, profileFlag: profileFlag(line.root.opts()) })
    return exitCode
  }
}

const NAMES = Object.keys(COMMANDS).filter((name) => COMMANDS[name]?.hidden !== true)

/** The command tree on commander. A command is loaded when its name has been parsed. */
export class CommandLine implements Program {
  readonly root: Command
  readonly names = NAMES
  readonly #context: Context
  readonly #loaded = new Set<Command>()
  /** The command that the words have led to so far. */
  current: Command

  constructor(io: Io, dryRun: DryRun) {
    this.root = emptyTree(io)
    this.current = this.root
    this.#context = createContext(io, this, dryRun)
    /* `mock` is not loaded for `mock exec`: its flags would be parsed, and shown, in place of those. */
    const load = (parent: Command, command: Command) =>
      command.commands.some((each) => each.name() === parent.args[1]) ? undefined : this.#load(command)
    for (const parent of [this.root, ...this.root.commands]) parent.hook('preSubcommand', load)
  }

  async run(argv: readonly string[]): Promise<void> {
    if (argv.some((word) => word === '--help' || word === '-h')) await this.#refuseUnknownWords(argv)
    await this.root.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' })
  }

  async find(words: readonly string[]): Promise<Command | undefined> {
    let place: Command | undefined = this.root
    for (const word of words) place = place?.commands.find((command) => command.name() === word)
    if (place !== undefined) await this.#load(place)
    return place
  }

  async #load(command: Command): Promise<void> {
    this.current = command
    const entry = COMMANDS[nameOf(command)]
    if (entry === undefined || this.#loaded.has(command)) return
    this.#loaded.add(command)
    const { define } = await entry.load()
    define(command, this.#context)
  }

  /* Commander would show the help of the parent command. */
  async #refuseUnknownWords(argv: readonly string[]): Promise<void> {
    let place = this.root
    const words = argv.filter((word) => word !== '--json')
    const path = words.slice(
      0,
      words.findIndex((each) => each.startsWith('-')),
    )
    for (const word of path) {
      if (place !== this.root && place.commands.length === 0) return
      const next = place.commands.find((command) => command.name() === word)
      if (next === undefined && COMMANDS[nameOf(place)] !== undefined) return
      if (next === undefined) throw await noHelpOn(path, place)
      place = next
    }
  }
}

async function noHelpOn(words: readonly string[], place: Command): Promise<CliError> {
  const { TOPICS } = await import('./help/topics.ts')
  const commands = place.createHelp().visibleCommands(place)
  const known = [...commands.map((each) => each.name()), ...(place.parent === null ? Object.keys(TOPICS) : [])]
  return new CliError(
    `there is no help on '${words.join(' ')}'.${didYouMean(words.at(-1) ?? '', known)}`,
    known.length === 0 ? 'See certify --help.' : `Known here: ${known.join(', ')}.`,
  )
}

function emptyTree(io: Io): Command {
  const root: Command = new CheckedCommand('certify', NAMES)
    .description('Invite candidates to skill certifications, and list what there is to be certified in.')
    .version(manifest.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions: (command) => (command.parent === null ? [] : commonOptions(command)),
      subcommandTerm: (command) => command.name(),
      minWidthToWrap: 20,
    })
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void say(io.stdout, text),
      writeErr: () => {},
      getOutHelpWidth: () => (io.stdout.isTTY ? io.stdout.columns : 80),
    })
    .addHelpText('after', () => introduction(widthOf(io.stdout)))
  for (const { flags, summary } of Object.values(SETTINGS)) {
    if (flags.includes('<')) root.option(flags, summary, once)
    else root.option(flags, summary)
  }
  for (const [path, { summary, hidden = false }] of Object.entries(COMMANDS)) {
    const [first = '', verb] = path.split(' ')
    const parent =
      verb === undefined ? root : (root.commands.find((each) => each.name() === first) ?? group(root, first))
    parent
      .command(verb ?? first, { hidden })
      .description(summary)
      .helpCommand(false)
  }
  return root
}

function group(root: Command, name: string): Command {
  return root
    .command(name)
    .description(GROUPS[name] ?? '')
    .helpCommand(false)
}

async function knownError(error: unknown, current: Command): Promise<CertifyError | CliError> {
  if (error instanceof CliError) return error
  if (error instanceof CommanderError && error.code === 'commander.help') {
    const path = current.parent === null ? '' : `${nameOf(current)} `
    return new CliError('a command is missing.', `See certify ${path}--help.`)
  }
  const { isCertifyError } = await import('../src/index.ts')
  if (isCertifyError(error)) return error
  return new CliError(
    `an unexpected fault of the program itself: ${error instanceof Error ? error.stack : String(error)}`,
    'Please report it, with the command that you ran but without keys and names.',
    { code: 'INTERNAL', exitCode: 1 },
  )
}

const same = (error: unknown) => error

/* Commands are not wrapped. */
function introduction(width: number): string {
  const lines = INTRODUCTION.split('\n')
  return lines.map((line) => (line.startsWith(' ') ? line : wrap(line, '', width))).join('\n')
}

const INTRODUCTION = `
Every command takes --help.

To try it without the real service, run \`certify mock\`, and in another terminal:
  $ certify tracks list --profile sandbox

To use the real one, with its address and your key:
  $ certify auth login --base-url https://certify.example.com

In CI, set CERTIFY_BASE_URL and CERTIFY_API_KEY or CERTIFY_API_KEY_FILE.

There is no telemetry, and no look for updates.

Topics: certify help environment, exit-codes, output, errors, scripting`
