import { Command, type ErrorOptions, InvalidArgumentError, type Option, type ParseOptionsResult } from 'commander'
import { CliError } from './cli-error.ts'
import { commonOptions, nameOf } from './help/manual.ts'
import { didYouMean, likelyWord } from './spelling.ts'

/** A command of commander with usage errors of our own, by commander's codes. */
export class CheckedCommand extends Command {
  readonly #names: readonly string[]
  /* What commander parses, and the first unknown word. */
  #words: readonly string[] = []
  #unknown = ''

  /** @param names the names of all commands */
  constructor(name: string, names: readonly string[]) {
    super(name)
    this.#names = names
  }

  override createCommand(name: string): CheckedCommand {
    return new CheckedCommand(name, this.#names)
  }

  /* Commander's own message would repeat an invalid value. */
  override addOption(option: Option): this {
    const read = option.parseArg
    if (read !== undefined) {
      option.parseArg = <T>(value: string, previous: T): T => {
        try {
          return read(value, previous)
        } catch (error) {
          if (!(error instanceof InvalidArgumentError)) throw error
          throw this.#usageError(`option '${option.flags}' is invalid. ${error.message}`)
        }
      }
    }
    return super.addOption(option)
  }

  override parseOptions(words: string[]): ParseOptionsResult {
    this.#words = words
    const parsed = super.parseOptions(words)
    this.#unknown = parsed.unknown[0] ?? ''
    return parsed
  }

  override error(_message: string, { code = '' }: ErrorOptions = {}): never {
    switch (code) {
      case 'commander.unknownCommand':
        throw this.#unknownCommand(this.args[0] ?? '')
      case 'commander.unknownOption':
        throw this.#unknownOption(this.#unknown)
      case 'commander.missingArgument': {
        const missing = this.registeredArguments[this.args.length]
        throw this.#usageError(`missing required argument '${missing?.name() ?? ''}'.`, 'Give it after the command. ')
      }
      case 'commander.optionMissingArgument': {
        const last = this.#words.at(-1) ?? ''
        const option = this.#options().find((each) => each.long === last || each.short === `-${last.at(-1)}`)
        throw this.#usageError(`option '${option?.flags ?? last}' argument missing: it needs a value.`)
      }
      case 'commander.excessArguments': {
        const expected = this.registeredArguments.length
        const places = `${expected} argument${expected === 1 ? '' : 's'}`
        throw this.#usageError(
          `too many arguments for '${this.name()}'. Expected ${places} but got ${this.args.length}.`,
          'Put quotes around a value with spaces. ',
        )
      }
      default:
        throw this.#usageError(`the command line is invalid (${code}).`)
    }
  }

  /* Other programs have `login` without a group. */
  #unknownCommand(word: string): CliError {
    const meant = this.#names.filter((path) => path.endsWith(` ${word}`))
    const visible = this.createHelp().visibleCommands(this)
    const suggestion =
      meant.length > 0
        ? ` Did you mean ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(meant)}?`
        : didYouMean(
            word,
            visible.map((each) => each.name()),
          )
    return this.#usageError(`unknown command '${word}'.${suggestion}`)
  }

  /* Without the text after an equals sign or a letter: it may be a secret. */
  #unknownOption(word: string): CliError {
    const [flag = '', ...value] = word.startsWith('--') ? word.split('=') : [word.slice(0, 2)]
    const options = this.#options()
    if (value.length > 0 && options.some(({ long }) => long === flag)) {
      return this.#usageError(`option '${flag}' takes no value.`)
    }
    const names = [...options.flatMap(({ long }) => long?.slice(2) ?? []), 'help']
    const name = flag.startsWith('--') ? likelyWord(flag.slice(2), names) : undefined
    return this.#usageError(`unknown option '${flag}'.${name === undefined ? '' : ` Did you mean --${name}?`}`)
  }

  #options(): readonly Option[] {
    return this.parent === null ? this.options : [...commonOptions(this), ...this.options]
  }

  #usageError(message: string, hint = ''): CliError {
    const path = this.parent === null ? '' : `${nameOf(this)} `
    return new CliError(message, `${hint}See certify ${path}--help.`)
  }
}
