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

/** Finds invisible or lost characters in a name or a reference. Returns the rule, without the text. */
export function textFault(text: string, longest = LONGEST_TEXT): string | undefined {
  /* Checked first, so that no pattern sees a long text. A character has one or two code units. */
  if (text.length > 2 * longest || Array.from(text).length > longest) {
    return `is longer than ${longest} characters`
  }
  for (const [pattern, describe] of FAULTS) {
    const found = pattern.exec(text)
    if (found === null) continue
    const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return describe(`U+${code}`, Array.from(text.slice(0, found.index)).length + 1)
  }
  return undefined
}

const LONGEST_TEXT = 200
/** For links, and for notes. */
export const LONGEST_NOTE = 1000

const FAULTS: readonly (readonly [RegExp, (code: string, position: number) => string])[] = [
  [/\p{Cc}/u, (code, position) => `has a control character, ${code} at position ${position}`],
  [
    /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
    (code, position) => `has a control of the writing direction, ${code} at position ${position}`,
  ],
  /* Names in some scripts need the joiner and the non-joiner. */
  [
    /(?![\u200c\u200d])[\p{Cf}\u2028\u2029]/u,
    (code, position) => `has an invisible character, ${code} at position ${position}`,
  ],
  [/\p{Cs}/u, (code, position) => `has half of a character, ${code} at position ${position}`],
  [/\ufffd/, (code, position) => `has ${code} at position ${position}, where a character was lost`],
]

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
  return new CliError(`the file has ${faults.length} faults. Nothing was sent.`, 'Answer each as it says.', facts)
}
