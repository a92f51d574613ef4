import { stripVTControlCharacters } from 'node:util'

const PLAIN = /^[ -~]*$/

/* Control characters, and the marks that turn the direction of text around. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * Makes text of the service safe for a terminal: no escape sequence can colour, hide or rewrite what stands on the
 * screen, and no direction mark can turn a link around. It stays on one line.
 */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text
  return stripVTControlCharacters(text)
    .replaceAll(/[\t\n\r\v\f\u2028\u2029]+/g, ' ')
    .replaceAll(UNSEEN, '')
}

/** Writes what JSON leaves as it is, but a terminal would obey, as escapes: the document stays the same. */
export function escapeControls(json: string): string {
  return json.replaceAll(UNSEEN, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
