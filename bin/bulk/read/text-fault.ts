/** What a name or a reference must not have: it is not visible, or was lost. Returns the rule, without the text. */
export function textFault(text: string): string | undefined {
  for (const [pattern, describe] of FAULTS) {
    const found = pattern.exec(text)
    if (found === null) continue
    const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return describe(`U+${code}`, Array.from(text.slice(0, found.index)).length + 1)
  }
  return Array.from(text).length > LONGEST_TEXT ? `is longer than ${LONGEST_TEXT} characters` : undefined
}

const LONGEST_TEXT = 200

const FAULTS: readonly (readonly [RegExp, (code: string, position: number) => string])[] = [
  [/\p{Cc}/u, (code, position) => `has a control character, ${code} at position ${position}`],
  [
    /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
    (code, position) => `has a control of the writing direction, ${code} at position ${position}`,
  ],
  [/\p{Cs}/u, (code, position) => `has half of a character, ${code} at position ${position}`],
  [/\ufffd/, (code, position) => `has ${code} at position ${position}, where a character was lost`],
]
