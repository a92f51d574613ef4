import { type Command, InvalidArgumentError, Option } from 'commander'
import { CliError } from './cli-error.ts'

/**
 * Reads a flag that may occur once: of two addresses, none is invited by accident. A value that looks like a flag is
 * refused: the real value was forgotten.
 */
export function once(value: string, previous: string | undefined): string {
  if (previous !== undefined) throw new InvalidArgumentError('It may be given only once.')
  if (/^--([a-z]|$)/.test(value)) throw new InvalidArgumentError('Its value is missing: what follows is a flag.')
  return value
}

export function choice<Value extends string>(values: readonly Value[]): (text: string) => Value {
  return (text) => {
    const value = values.find((each) => each === text)
    if (value === undefined) throw new InvalidArgumentError(`It has to be one of ${values.join(', ')}.`)
    return value
  }
}

export function wholeNumber(least: number, most = Number.POSITIVE_INFINITY): (text: string) => number {
  return (text) => {
    const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (count >= least && count <= most) return count
    const range = most === Number.POSITIVE_INFINITY ? `, ${least} or more` : ` from ${least} to ${most}`
    throw new InvalidArgumentError(`It has to be a whole number${range}.`)
  }
}

/** A flag that may occur several times. Its value is the list of what `read` returned. */
export class RepeatedOption<T = string> extends Option {
  constructor(
    flags: string,
    description: string,
    read: (text: string, previous: readonly T[]) => T = (text) => text as T,
  ) {
    super(flags, `${description}; may be repeated`)
    this.argParser((text, previous: readonly T[] | undefined) => [...(previous ?? []), read(text, previous ?? [])])
  }
}

/** Refuses a command line that lacks these flags, all of them at once. Unknown flags are reported first. */
export function requireFlags(command: Command, ...flags: readonly string[]): void {
  command.hook('preAction', () => {
    const missing = flags.filter((flag) => {
      const option = command.options.find(({ long }) => long === flag)
      return option === undefined || command.getOptionValue(option.attributeName()) === undefined
    })
    if (missing.length === 0) return
    throw new CliError(
      `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
      `${ID_HINTS.find(([flag]) => missing.includes(flag))?.[1] ?? ''}See certify ${command.parent?.name()} ${command.name()} --help.`,
    )
  })
}

const ID_HINTS = [
  ['--quiz-id', '`certify tracks view <slug>` shows the ids of quizzes. '],
  ['--package-id', '`certify tracks view <slug>` shows the ids of packages. '],
] as const
