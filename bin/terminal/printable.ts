const PLAIN = /^[ -~]*$/

const [BEL, ESC, CSI] = ['\u0007', '\u001b', '\u009b']

/*
 * By ECMA-48: control strings such as links, control sequences such as colours, and other escape sequences. No part can
 * match the beginning of another one, so this takes linear time, unlike Node's stripVTControlCharacters.
 */
const ESCAPES = new RegExp(
  [
    `${ESC}[PX\\]^_]\\P{Cc}*(?:${BEL}|${ESC}\\\\)`,
    `(?:${ESC}\\[|${CSI})[0-?]*[ -\\/]*[@-~]`,
    `${ESC}[ -\\/]*[0-~]`,
  ].join('|'),
  'gu',
)

/* Control characters, and marks that change the direction of text. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * Makes the service's text safe for a terminal, on one line: no escape sequence can change the screen, and no direction
 * mark can reverse a link.
 */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text
  return text
    .replaceAll(ESCAPES, '')
    .replaceAll(/[\t\n\r\v\f\u2028\u2029]+/g, ' ')
    .replaceAll(UNSEEN, '')
}

/** Escapes the characters that are valid in JSON, but control a terminal. The document stays the same. */
export function escapeControls(json: string): string {
  return json.replaceAll(UNSEEN, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
