import measure from 'fast-string-truncated-width'
import type { Stream } from '../io.ts'

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
  return json.replaceAll(UNSEEN, (character) => (character === '\n' ? character : escaped(character)))
}

/** Text that somebody else chose, in quotation marks. It cannot end them, and characters that show nothing are escaped. */
export function quoted(text: string): string {
  return JSON.stringify(printable(text)).replaceAll(BLANK, escaped)
}

/* All but the space. Two are drawn without ink, although they are symbols. */
const BLANK = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]/gu

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  }).join('')
}

const WIDTH = 80

/** The width for text: the terminal's, but never too wide to read. */
export function widthOf({ isTTY, columns }: Stream): number {
  return isTTY ? Math.min(columns, WIDTH) : WIDTH
}

/** Wraps a message for a terminal, which would break lines inside words. */
export function wrapFor(text: string, stream: Stream): string {
  return stream.isTTY ? wrap(text, '', stream.columns) : text
}

/** Wraps text at its spaces, by its width in cells; longer words are not broken. */
export function wrap(text: string, indent = '', width = WIDTH): string {
  const lines: string[] = []
  let cells = 0
  for (const word of text.split(' ')) {
    const size = measure(word).width
    if (lines.length > 0 && cells + 1 + size <= width) {
      lines.push(`${lines.pop()} ${word}`)
      cells += 1 + size
    } else {
      lines.push(lines.length === 0 ? word : indent + word)
      cells = lines.length === 1 ? size : indent.length + size
    }
  }
  return lines.join('\n')
}

/* In a shorter secret, showing the end would reveal too much. */
const LONG_ENOUGH = 16

/** A link as listings show it: its host and its end, enough for people to compare links, but not to open one. */
export function maskLink(link: string): string {
  if (!/^https?:/i.test(link) || !URL.canParse(link)) return '…'
  const { origin, pathname, search, hash } = new URL(link)
  const secret = pathname + search + hash
  return `${origin}/…${secret.length >= LONG_ENOUGH ? secret.slice(-4) : ''}`
}

/** The end of a key, for people to compare, if enough of it stays hidden. */
export function maskKey(key: string): string {
  return key.length >= LONG_ENOUGH ? `…${key.slice(-4)}` : '…'
}

export function formatNumber(count: number): string {
  return count.toLocaleString('en')
}

export function rowCount(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'row' : 'rows'}`
}

export function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

export function formatAge(durationMs: number): string {
  const minutes = Math.floor(durationMs / 60_000)
  if (minutes === 0) return 'just now'
  if (minutes < 120) return `${minutes} min ago`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`
}

/** A value as a line of JSON. */
export function jsonLine(value: unknown): string {
  return `${escapeControls(JSON.stringify(value))}\n`
}

/** How many invalid rows are listed one by one at most. */
export const MAX_SHOWN = 20

/** Rows with what is wrong with them. */
export function rowLines<Row extends { readonly row: number }>(rows: readonly Row[], of: (row: Row) => string): string {
  const lines = rows.slice(0, MAX_SHOWN).map((each) => wrap(`  row ${each.row}: ${of(each)}`, '    '))
  const more = rows.length > MAX_SHOWN ? [`  and ${formatNumber(rows.length - MAX_SHOWN)} more`] : []
  return [...lines, ...more].map((line) => `${line}\n`).join('')
}
