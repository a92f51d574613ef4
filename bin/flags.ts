import { InvalidArgumentError, Option } from 'commander'

/**
 * Reads a flag that may occur only once, so that none of two addresses is invited by accident. A value that looks like
 * a flag is refused: the real value was forgotten.
 */
export function once(value: string, previous: string | undefined): string {
  if (previous !== undefined) throw new InvalidArgumentError('It may be given only once.')
  if (/^--([a-z]|$)/.test(value)) throw new InvalidArgumentError('Its value is missing: what follows is a flag.')
  return value
}

/** Like {@link once}, for a text that must not be blank. */
export function filled(value: string, previous: string | undefined): string {
  if (once(value, previous).trim() === '') throw new InvalidArgumentError('It must not be blank.')
  return value.trim()
}

export function wholeNumber(least: number, most = Number.POSITIVE_INFINITY): (text: string) => number {
  return (text) => {
    const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (count >= least && count <= most) return count
    const range = most === Number.POSITIVE_INFINITY ? `, ${least} or more` : ` from ${least} to ${most}`
    throw new InvalidArgumentError(`It must be a whole number${range}.`)
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
