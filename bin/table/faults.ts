import { type Ask, CliError } from '../cli-error.ts'

/** A value in a sheet that must not be used. */
export class CellFault {
  readonly #text: string
  readonly rule: string

  /** @param text the value as it is shown */
  constructor(text: string, rule: string) {
    this.#text = text
    this.rule = rule
  }

  toString(): string {
    return this.#text
  }
}

/** Something in a file that a person must correct or decide. */
export interface Fault {
  readonly message: string
  readonly hint: string
  /** The options that mend it, for a question. */
  readonly choices?: Ask['choices']
  /** Default: `FILE_INVALID`. */
  readonly code?: 'SHEET_SAYS_NO'
}

/** A sheet says not to invite somebody, or may say it. @param choices the options that decide it */
export function saysNo(message: string, hint: string, choices: Ask['choices'] = []): Fault {
  return { message, hint, choices, code: 'SHEET_SAYS_NO' }
}

/** The error of an unreadable file. @param choices the options that mend it, for a question */
export function fileError(message: string, hint: string, choices: Ask['choices'] = []): CliError {
  return errorOf([{ message, hint, choices }])
}

/** Refuses a file that has faults, with all of them. @throws CliError */
export function refuse(faults: readonly Fault[]): void {
  if (faults.length > 0) throw errorOf(faults)
}

/* A question is about the first one; the next follows when that is answered. */
function errorOf(faults: readonly Fault[]): CliError {
  const [first = { message: '', hint: '' }, ...others] = faults
  const asked = faults.find(({ choices = [] }) => choices.length > 0)
  const ask = asked?.choices === undefined ? undefined : { text: asked.message, choices: asked.choices }
  const code = faults.some((each) => each.code !== undefined) ? 'SHEET_SAYS_NO' : 'FILE_INVALID'
  if (others.length === 0) return new CliError(`${first.message} Nothing was sent.`, first.hint, { code, ask })
  const lines = faults.flatMap(({ message, hint }) => [`- ${message}`, `  ${hint}`])
  const details = { faults: faults.map(({ message, hint }) => ({ message, hint })) }
  const facts = { code, ask, lines, details }
  return new CliError(
    `the file leaves ${faults.length} questions open. Nothing was sent.`,
    'Below each are the flags that answer it.',
    facts,
  )
}
