import { type Command, Option } from 'commander'
import { CliError } from '../cli-error.ts'
import { durationMs, filled, once } from '../flags.ts'
import type { Env } from '../io.ts'

/** A value and its origin: a flag, a variable, a profile or `default`. */
export interface Setting<T> {
  readonly value: T
  readonly origin: string
}

export const UNSET: Setting<undefined> = { value: undefined, origin: 'default' }

/** Adds the options that every command takes. */
export function addCommonOptions(root: Command): Command {
  return root
    .addOption(
      new Option('--profile <name>', 'the profile to use; sandbox is for certify mock')
        .env('CERTIFY_PROFILE')
        .argParser(once),
    )
    .addOption(new Option('--base-url <url>', 'the address of the service').env('CERTIFY_BASE_URL').argParser(once))
    .option('--json', 'print one JSON document; errors as one JSON object')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--no-input', 'never ask; fail if an answer is needed')
    .option('--timeout <duration>', 'the time limit of one attempt; default: 30s', durationMs)
    .option('--deadline <duration>', 'the time limit of a whole call; default: 90s', durationMs)
    .option('--debug', 'trace each request on stderr, without keys and data')
}

/** The options of a command that uses the ledger. */
export function addLedgerOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--ledger <path>', 'the ledger: a file, or postgres://…').env('CERTIFY_LEDGER').argParser(once),
    )
    .addOption(
      new Option('--account <name>', 'your name for the account of the key; default: default')
        .env('CERTIFY_ACCOUNT')
        .argParser(filled),
    )
}

/** The settings that have nothing to do with the service. */
export type Preferences = ReturnType<typeof readPreferences>

/* In milliseconds: `timeout` and `deadline`. */
type PreferenceFlags = Partial<
  Record<'json' | 'quiet' | 'yes' | 'dryRun' | 'input' | 'debug', boolean> & Record<'timeout' | 'deadline', number>
>

/** @param command the command that runs @throws CliError */
export function readPreferences(command: Command, env: Env) {
  const flags = command.optsWithGlobals<PreferenceFlags>()
  const { json = false, quiet = false, yes = false, dryRun = false, debug = false, timeout, deadline } = flags
  /* One is an option of the command, the other of the program: commander checks conflicts only within one command. */
  if (json && quiet) {
    throw new CliError(
      '--json and --quiet cannot be used together.',
      'Give one of them: --quiet prints identifiers only.',
    )
  }
  const noInput = flags.input === false || isOn(env['CI'])
  return { json, quiet, yes, dryRun, debug, timeout, deadline, noInput }
}

/** An option of the command line or its variable; an empty variable counts as not set. */
export function readOption(command: Command, name: string): Setting<string> | undefined {
  const option = command.options.find((each) => each.attributeName() === name)
  const value: unknown = command.getOptionValue(name)
  if (option === undefined || typeof value !== 'string' || value.trim() === '') return undefined
  const isVariable = command.getOptionValueSource(name) === 'env'
  return { value: isVariable ? value.trim() : value, origin: isVariable ? (option.envVar ?? '') : (option.long ?? '') }
}

/** Whether an agent drives the shell. Agents set one of these variables. */
export function isAgent(env: Env): boolean {
  return AGENTS.some((name) => isOn(env[name]))
}

const AGENTS = ['AI_AGENT', 'AGENT', 'CLAUDECODE', 'CODEX_SANDBOX', 'CURSOR_AGENT', 'GEMINI_CLI', 'OPENCODE']

/** Whether a variable is on. CI services set theirs to any text, or to a negative word. */
export function isOn(text: string | undefined): boolean {
  return text !== undefined && !/^(|0|false|no|off)$/i.test(text)
}
