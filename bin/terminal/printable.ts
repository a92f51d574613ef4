import { stripVTControlCharacters } from 'node:util'

const PLAIN = /^[ -~]*$/

/* Control characters, and marks that change the direction of text. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * Makes text of the service safe for a terminal, on one line: no escape sequence can change the screen, and no direction
 * mark can reverse a link.
 */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text
  return stripVTControlCharacters(text)
    .replaceAll(/[\t\n\r\v\f\u2028\u2029]+/g, ' ')
    .replaceAll(UNSEEN, '')
}

/** Escapes the characters that are valid in JSON, but control a terminal. The document stays the same. */
export function escapeControls(json: string): string {
  return json.replaceAll(UNSEEN, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
