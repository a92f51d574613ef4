/** Finds invisible or lost characters in a name or a reference. Returns the rule, without the text. */
export function textFault(text: string, longest = MAX_TEXT_LENGTH): string | undefined {
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

const MAX_TEXT_LENGTH = 200
/** For links, and for notes. */
export const MAX_NOTE_LENGTH = 1000

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
