import type { CommanderError, Option } from 'commander'
import type { Io } from './io.ts'
import { likelyWord } from './spelling.ts'
import { CliError } from './cli-error.ts'

/*
 * A process list shows argv to everybody on the machine, and shells keep it: no secret is taken from there. Flags that
 * ask for one, words that look like one, and the key itself, wherever it stands.
 */
const SECRET_FLAG = /^--?(x-)?(api-?key|key|token|secret|password)(=|$)/i
const LOOKS_LIKE_KEY = /^(?:Bearer\s+\S+|(?:ck|sk)_[\w-]{12,}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]*)$/i

/** Refuses a command line that holds a secret, without repeating it. @throws CliError */
export function refuseSecrets({ argv, env }: Io): void {
  const key = env['CERTIFY_API_KEY']?.trim() || undefined
  const words = beforeDoubleDash(argv)
  const flag = words.find((word) => SECRET_FLAG.test(word))
  const isSecret = (text: string) => LOOKS_LIKE_KEY.test(text) || isKey(text, key)
  const isHidden = argv.some((word) => isSecret(word) || isSecret(word.slice(word.indexOf('=') + 1)))
  if (flag === undefined && !isHidden) return
  throw new CliError({
    message:
      flag === undefined
        ? 'a word of the command line looks like a key, and a secret is never taken from there.'
        : `a secret is never taken from the command line (${flag.split('=')[0]}).`,
    hint:
      'Set CERTIFY_API_KEY, or CERTIFY_API_KEY_FILE to the path of a file that holds the key, or store it: ' +
      '`certify auth login` asks for it, `certify auth login --with-key < file` reads it. If it was real, replace it.',
  })
}

/* Inside of a word a key is found from the length on at which no ordinary word is one. */
function isKey(text: string, key: string | undefined): boolean {
  return key !== undefined && (key.length < 12 ? text === key : text.includes(key))
}

/** What commander complains of, in two parts. `path` is the command that was found so far. */
export function asCliError(
  { code, message }: CommanderError,
  path: string,
  options: readonly Option[],
  names: readonly string[],
): CliError {
  const help = `See certify ${path === '' ? '' : `${path} `}--help.`
  const told = sentence(message, options)
  switch (code) {
    case 'commander.unknownCommand':
      return new CliError({ message: `${told}${verbMeant(told, names)}`, hint: help })
    case 'commander.help':
      return new CliError({ message: 'a command is missing.', hint: help })
    case 'commander.excessArguments':
      return new CliError({ message: told, hint: `Put quotes around a value with spaces. ${help}` })
    case 'commander.missingArgument':
      return new CliError({ message: told, hint: `Give it after the command. ${help}` })
    default:
      return new CliError({ message: told, hint: help })
  }
}

/* `certify login` is how others call it. */
function verbMeant(told: string, names: readonly string[]): string {
  const word = /^unknown command '(\S+)'\.$/.exec(told)?.[1]
  const meant = names.filter((path) => path.endsWith(` ${word}`))
  return meant.length === 0 ? '' : ` Did you mean ${meant.join(', ').replace(/, ([^,]+)$/, ' or $1')}?`
}

/* Without what stood behind an equals sign: it may be a secret in the wrong place. */
function sentence(message: string, options: readonly Option[]): string {
  const [, flag = '', equals] = /unknown option '(--[^=']+)(=)?/.exec(message) ?? []
  const known = options.find(({ long }) => long === flag)
  if (known !== undefined && equals !== undefined) return `option '${flag}' takes no value.`
  if (flag !== '') return `unknown option '${flag}'.${flagMeant(flag, options)}`
  const text = message
    .replace(/^error: /, '')
    .replace(/ argument '[\s\S]*' is invalid/, ' is invalid')
    .replace(/unknown option '(-[^-])[^']*'/, "unknown option '$1'")
    .replace(/option '([^']+)' argument missing/, "option '$1' argument missing: it needs a value")
    .replace(/\n\(Did you mean (.+)\?\)/, '. Did you mean $1?')
    .replaceAll('\n', ' ')
  return /[.?]$/.test(text) ? text : `${text}.`
}

function flagMeant(flag: string, options: readonly Option[]): string {
  const names = [...options.flatMap(({ long }) => long?.replace(/^--/, '') ?? []), 'help']
  const name = likelyWord(flag.replace(/^--/, ''), names)
  return name === undefined ? '' : ` Did you mean --${name}?`
}

export function beforeDoubleDash(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}
