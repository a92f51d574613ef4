/** Finds invisible or lost characters in a name or a reference. Returns the rule, without the text. */
export function textFault(text: string, longest = MAX_TEXT_LENGTH): string | undefined {
  /* Checked first, so that no pattern sees a long text. A character has one or two code units. */
  if (text.length > 2 * longest || Array.from(text).length > longest) {
    return `is longer than ${longest} characters`
  }
  for (const [pattern, what, so = ''] of FAULTS) {
    const found = pattern.exec(text)
    if (found === null) continue
    const position = Array.from(text.slice(0, found.index)).length + 1
    return `has ${what}${codePointName(found[0])} at position ${position}${so}`
  }
  return undefined
}

/** The name of a character that cannot be shown, as in U+00A0. */
export function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

const MAX_TEXT_LENGTH = 200
/** For links, and for notes. */
export const MAX_NOTE_LENGTH = 1000

const FAULTS: readonly (readonly [pattern: RegExp, what: string, so?: string])[] = [
  [/\p{Cc}/u, 'a control character, '],
  [/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/, 'a control of the writing direction, '],
  /* Names in some scripts need the joiner and the non-joiner. */
  [/(?![\u200c\u200d])[\p{Cf}\u2028\u2029]/u, 'an invisible character, '],
  [/\p{Cs}/u, 'half of a character, '],
  [/\ufffd/, '', ', where a character was lost'],
]
