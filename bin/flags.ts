import { type Command, InvalidArgumentError, Option } from 'commander'
import { CliError } from './cli-error.ts'

/**
 * A flag that may stand once: of two addresses, none is invited by accident. What looks like a flag is not taken for
 * its value: the value was forgotten.
 */
export function once(value: string, previous: string | undefined): string {
  if (previous !== undefined) throw new InvalidArgumentError('It may be given only once.')
  if (/^--([a-z]|$)/.test(value)) throw new InvalidArgumentError('Its value is missing: what follows is a flag.')
  return value
}

/** A flag that may stand several times; its value is the list of what was read. */
export class RepeatedOption<T = string> extends Option {
  /** @param read reads one value; it gets those that came before, too */
  constructor(
    flags: string,
    description: string,
    read: (text: string, previous: readonly T[]) => T = (text) => text as T,
  ) {
    super(flags, `${description}; may be repeated`)
    this.argParser((text, previous: readonly T[] | undefined) => {
      const before = previous ?? []
      return [...before, read(text, before)]
    })
  }
}

/** Refuses a command that lacks flags, all of them at once. Unknown flags are reported first. */
export function requireFlags(command: Command, ...flags: readonly string[]): void {
  command.hook('preAction', () => {
    const given: Readonly<Record<string, unknown>> = command.opts()
    const missing = flags.filter((flag) => given[camelCase(flag)] === undefined)
    if (missing.length === 0) return
    throw new CliError(
      `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
      `${ORIGINS.find(([flag]) => missing.includes(flag))?.[1] ?? ''}See certify ${command.parent?.name()} ${command.name()} --help.`,
    )
  })
}

/* Where the ids come from. */
const ORIGINS = [
  ['--quiz-id', '`certify tracks view <slug>` shows the ids of quizzes. '],
  ['--package-id', '`certify tracks view <slug>` shows the ids of packages. '],
] as const

function camelCase(flag: string): string {
  return flag.replace(/^--/, '').replaceAll(/-(\w)/g, (_match, letter: string) => letter.toUpperCase())
}
