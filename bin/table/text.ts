import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import type { Choice } from '../cli-error.ts'
import { fileError } from './faults.ts'

export interface Text {
  readonly text: string
  readonly encoding: string
  /** Whether a file with its rows needs a byte order mark, which Excel looks for. */
  readonly hasMark: boolean
}

/**
 * Decodes a file by its byte order mark, in the given encoding, or as UTF-8. Nothing is replaced: otherwise a name with
 * a lost letter would be e-mailed. Each line of the text ends with \n.
 *
 * @throws CliError
 */
export function decode(bytes: Buffer, given: string | undefined): Text {
  const [, what] = BINARIES.find(([sign]) => bytes.indexOf(sign) === 0) ?? []
  if (what !== undefined) throw fileError(`the file is not text: it is ${what}.`, 'Save or unpack it as CSV in UTF-8.')
  const [mark, marked] = MARKS.find(([sign]) => bytes.indexOf(sign) === 0) ?? [Buffer.alloc(0), undefined]
  if (marked !== undefined && given !== undefined && marked !== given) {
    const message = `the file begins with the byte order mark of ${marked}, so it is not in ${given}.`
    throw fileError(message, 'Leave out --encoding.')
  }
  const encoding = marked ?? given ?? 'UTF-8'
  const content = bytes.subarray(mark.length)
  if (!encoding.startsWith('UTF-') && isUtf8(content) && content.some((byte) => byte > 0x7f)) {
    throw fileError(`the file is text in UTF-8, so it is not in ${encoding}.`, 'Leave out --encoding.')
  }
  const text = decoded(content, encoding)
  if (text === undefined || text.includes('\0')) throw notText(content, encoding, text)
  refuseHtml(text)
  return { text: text.replaceAll(/\r\n?/g, '\n'), encoding, hasMark: marked !== undefined || encoding !== 'UTF-8' }
}

/** The name of an encoding from its label; `undefined` if there is none. */
export function encodingName(label: string): string | undefined {
  try {
    const { encoding } = new TextDecoder(label, { fatal: true })
    return encoding.startsWith('utf-') ? encoding.toUpperCase() : encoding
  } catch {
    return undefined
  }
}

const MARKS: readonly (readonly [Buffer, string])[] = [
  [Buffer.of(0xef, 0xbb, 0xbf), 'UTF-8'],
  [Buffer.of(0xff, 0xfe), 'UTF-16LE'],
  [Buffer.of(0xfe, 0xff), 'UTF-16BE'],
]

const BINARIES: readonly (readonly [Buffer, string])[] = [
  [Buffer.of(0x50, 0x4b, 0x03, 0x04), 'an Excel workbook or another zip archive'],
  [Buffer.of(0xd0, 0xcf, 0x11, 0xe0), 'an Excel workbook of an old version (.xls), or one with a password'],
  [Buffer.of(0x1f, 0x8b), 'compressed with gzip'],
  [Buffer.from('%PDF'), 'a PDF'],
]

/* Some systems export a web page named like a workbook. */
function refuseHtml(text: string): void {
  if (!/^\s*<(!doctype|html|table|\?xml)/i.test(text)) return
  throw fileError(
    'the file is HTML or XML, as some programs save it under the name .xls.',
    'Open it in a spreadsheet program, and save it as .xlsx or as CSV in UTF-8.',
  )
}

/* The text, if all bytes are of this encoding. */
function decoded(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
    const text = decoder.decode(bytes)
    return decoder.encoding === 'windows-1252'
      ? text.replaceAll(/[\u0080-\u009f]/g, (each) => WINDOWS_1252.charAt(each.charCodeAt(0) - 0x80))
      : text
  } catch {
    return undefined
  }
}

/* Some versions of Node decode windows-1252 as ISO 8859-1, so these characters become control characters. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

function notText(bytes: Buffer, encoding: string, text: string | undefined) {
  if (encoding === 'UTF-8' && bytes.indexOf(0) !== -1 && bytes.indexOf(0) <= 1) {
    const guess = bytes[0] === 0 ? 'UTF-16BE' : 'UTF-16LE'
    return fileError(`the file seems to be ${guess} without a byte order mark.`, `Give --encoding ${guess}.`)
  }
  if (text !== undefined) {
    const line = text.slice(0, text.indexOf('\0')).split('\n').length
    return fileError(`line ${line} of the file has a NUL byte.`, 'Find out which program wrote it, and write it again.')
  }
  const message = `the file is not valid ${encoding}`
  if (encoding !== 'UTF-8') return fileError(`${message}.`, 'Give another --encoding, or save the file as UTF-8.')
  const { line, start } = faultyLine(bytes)
  const before = bytes.subarray(0, start)
  if (before.some((byte) => byte > 0x7f)) {
    return fileError(
      `line ${line} of the file is not valid UTF-8, but lines before it have characters in UTF-8: the file mixes encodings.`,
      `Correct it from line ${line} on: two files may have been joined.`,
    )
  }
  const sample = bytes.subarray(start, start + MAX_LINE_LENGTH)
  const cell = sample
    .toString('latin1')
    .split(/[\n,;\t"]/)
    .find((each) => /[^\0-\x7f]/.test(each))
  const choices = ENCODINGS.flatMap(([label, where]): readonly Choice[] => {
    const shown = decoded(Buffer.from(cell ?? '', 'latin1'), label)
      ?.trim()
      .slice(0, MAX_SHOWN_LENGTH)
    return shown === undefined ? [] : [[`${shown} (${where}, ${label})`, '--encoding', label]]
  })
  return fileError(
    `line ${line} of the file is not valid UTF-8.`,
    'Save it as UTF-8: in Excel, "CSV UTF-8". Or give its encoding: --encoding windows-1252 is usual in Western Europe, ' +
      'windows-1250 in Eastern Europe, windows-1251 for Cyrillic, shift_jis in Japan, macintosh on old Macs.',
    choices,
  )
}

const MAX_LINE_LENGTH = 10_000
const MAX_SHOWN_LENGTH = 40
/* Only a person sees which one gives the right letters. */
const ENCODINGS = [
  ['windows-1252', 'Western Europe'],
  ['windows-1250', 'Eastern Europe'],
  ['windows-1251', 'Cyrillic'],
  ['shift_jis', 'Japan'],
  ['macintosh', 'an old Mac'],
] as const

function faultyLine(bytes: Buffer): { readonly line: number; readonly start: number } {
  let [line, start] = [1, 0]
  for (;;) {
    const found = bytes.indexOf(0x0a, start)
    const end = found === -1 ? bytes.length : found
    if (found === -1 || !isUtf8(bytes.subarray(start, end))) return { line, start }
    line += 1
    start = end + 1
  }
}
