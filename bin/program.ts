import { Command, CommanderError } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import type { CertifyError } from '../src/index.ts'
import { CliError, exitCodeOf } from './cli-error.ts'
import { COMMANDS, GROUPS } from './registry.ts'
import { hintFlags } from './config/ledger-place.ts'
import { addCommonOptions } from './config/settings.ts'
import { type Context, createContext, type Program } from './context.ts'
import { isExplained, manualOf, nameOf } from './help.ts'
import type { Io } from './io.ts'
import { drawRequest } from './client.ts'
import { report } from './terminal/error-wording.ts'
import { createOutput, say } from './terminal/output.ts'

/** Runs one command line, and resolves with its exit code. */
export async function run(io: Io): Promise<number> {
  const line = new CommandLine(io)
  try {
    refuseSecrets(io)
    await line.run(io.argv)
    return line.exitCode
  } catch (thrown) {
    /* The command line may not have been parsed. */
    const json = beforeDoubleDash(io.argv).includes('--json')
    const { notes, dryRun } = line.context
    const { request } = dryRun
    let error = thrown
    if (request !== undefined) {
      const output = createOutput(io, { json })
      error = await output
        .text(json ? `${JSON.stringify(request)}\n` : drawRequest(request))
        .catch((reason: unknown) => reason)
    }
    if (error === undefined || (error instanceof CommanderError && error.exitCode === 0)) return 0
    const known = await knownError(error, line)
    const exitCode = known instanceof CliError ? known.exitCode : exitCodeOf(known, io.interruption)
    const { root, current } = line
    const isReuse = current.getOptionValue('ifInvited') === 'reuse'
    await report(io, json, known, { exitCode, notes, flags: hintFlags(root, current), isReuse })
    return exitCode
  }
}

const NAMES = Object.keys(COMMANDS).filter((name) => COMMANDS[name]?.hidden !== true)

/** The command tree on commander. A command is loaded when its name has been parsed. */
export class CommandLine implements Program {
  readonly root: Command
  readonly names = NAMES
  readonly context: Context
  readonly #loaded = new Set<Command>()
  /** The command that the words have led to so far. */
  current: Command
  exitCode = 0

  constructor(io: Io) {
    this.root = emptyTree(io)
    this.current = this.root
    this.context = createContext(io, this)
    /* `mock` is not loaded for `mock exec`: its flags would be parsed, and shown, instead of the command's own. */
    const load = (parent: Command, command: Command) =>
      command.commands.some((each) => each.name() === parent.args[1]) ? undefined : this.#load(command)
    for (const parent of [this.root, ...this.root.commands]) parent.hook('preSubcommand', load)
  }

  async run(argv: readonly string[]): Promise<void> {
    const first = argv.find((word) => word !== '--json') ?? '--help'
    const isGroup = argv.length === 1 && first in GROUPS && !(first in COMMANDS)
    if (isGroup) return this.run([first, '--help'])
    if (argv.join() === 'version') return this.run(['--version'])
    /* Commander would show the help of the program instead. */
    const isUnknown = !first.startsWith('-') && this.root.commands.every((each) => each.name() !== first)
    await this.root.parseAsync(isUnknown || argv.length === 0 ? [first] : [...argv], { from: 'user' })
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
    define(command, this.context)
  }
}

function emptyTree(io: Io): Command {
  const root: Command = new Command('certify')
    .description('Invite candidates to skill certifications, and keep a record of every invite.')
    .usage('<command> [options]')
    .version(manifest.version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .configureHelp({
      subcommandTerm: (command) => {
        const verbs = command.commands.map((each) => each.name()).join('|')
        return command.parent === root && verbs !== '' ? `${command.name()} ${verbs}` : command.name()
      },
      commandDescription: (command) => describe(command),
      optionDescription: ({ description, argChoices, envVar }) => {
        const choices = argChoices === undefined ? '' : `: ${argChoices.join(', ')}`
        return `${description}${choices}${envVar === undefined ? '' : ` (${envVar})`}`
      },
      visibleOptions: (command) => command.options.filter(({ long }) => command === root || isExplained(command, long)),
      minWidthToWrap: 20,
      visibleArguments: () => [],
    })
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void say(io.stdout, text),
      writeErr: () => {},
      getOutHelpWidth: () => (io.stdout.isTTY ? Math.min(80, io.stdout.columns) : 80),
    })
    .addHelpText('after', FIRST_STEPS)
  addCommonOptions(root)
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

function describe(command: Command): string {
  const summary = command.description()
  const { about } = manualOf(command) ?? {}
  return about === undefined ? summary : `${summary[0]?.toUpperCase()}${summary.slice(1)}. ${about}`
}

function group(root: Command, name: string): Command {
  return root
    .command(name)
    .description(GROUPS[name] ?? '')
    .helpCommand(false)
}

const FIRST_STEPS = `
Try it: certify mock; in another terminal: certify tracks list --profile sandbox
Use it: certify auth login --base-url https://certify.example.com`

async function knownError(error: unknown, line: CommandLine): Promise<CertifyError | CliError> {
  if (error instanceof CliError) return error
  if (error instanceof CommanderError) return usageError(error, line)
  const { isCertifyError } = await import('../src/index.ts')
  if (isCertifyError(error)) return error
  return new CliError(
    `an unexpected fault of the program itself: ${error instanceof Error ? error.stack : String(error)}`,
    'Please report it, with the command that you ran but without keys and names.',
    { code: 'INTERNAL', exitCode: 1 },
  )
}

/* An error of commander without the values of options: one of them may be a secret. */
function usageError({ code, message }: CommanderError, { current }: CommandLine): CliError {
  const path = current.parent === null ? '' : `${nameOf(current)} `
  const hint = `See certify ${path}--help.`
  if (code === 'commander.help') return new CliError('a command is missing.', hint)
  const said = message
    .replace(/^error: /, '')
    .replace(/ value '[\s\S]*'( from env '\w+' is invalid)/, '$1')
    .replace(/ (argument|value) '[\s\S]*' is invalid/, ' is invalid')
    .replace(/^(unknown option '--[^'=]*)=[\s\S]*?'(?=\n|$)/, "$1'")
    .replace(/^(unknown option '-[^-])[\s\S]*?'(?=\n|$)/, "$1'")
    .replace(/\n\(Did you mean (.*)\?\)$/s, '. Did you mean $1?')
  const word = /^unknown command '(.+)'/.exec(said)?.[1]
  /* Other programs have `login` at the top level. */
  const meant = said.includes('Did you mean') ? undefined : NAMES.find((name) => name.endsWith(` ${word}`))
  const text = meant === undefined ? said : `${said}. Did you mean ${meant}?`
  return new CliError(/[.?]$/.test(text) ? text : `${text}.`, hint)
}

/* argv is visible to everyone on the machine and saved in shell histories, so secrets are refused there. */
const SECRET_FLAG = /^--?(x-)?(api-?key|key|token|secret|password)(=|$)/i
const LOOKS_LIKE_KEY = /^(?:Bearer\s+\S+|(?:ck|sk)_[\w-]{12,}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]*)$/i

/** Refuses a command line with a secret, without repeating it. @throws CliError */
function refuseSecrets({ argv, env }: Io): void {
  const key = env['CERTIFY_API_KEY']?.trim() || undefined
  const words = beforeDoubleDash(argv)
  const flag = words.find((word) => SECRET_FLAG.test(word))
  /* A long key is also found inside a word. */
  const isKey = (text: string) => key !== undefined && (key.length < 12 ? text === key : text.includes(key))
  const isSecret = (text: string) => LOOKS_LIKE_KEY.test(text) || isKey(text)
  const isHidden = argv.some((word) => isSecret(word) || isSecret(word.slice(word.indexOf('=') + 1)))
  if (flag === undefined && !isHidden) return
  throw new CliError(
    flag === undefined
      ? 'a word of the command line looks like a key. Secrets are never taken from the command line.'
      : `a secret is never taken from the command line (${flag.split('=')[0]}).`,
    'Set CERTIFY_API_KEY, or CERTIFY_API_KEY_FILE to the path of a file with the key, or store it: ' +
      '`certify auth login` asks for it, `certify auth login --with-key < file` reads it. If it was real, replace it.',
  )
}

function beforeDoubleDash(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}
