import { TextDecoder } from 'node:util'
import { fileError } from './file-error.ts'

/** The encodings that a file may have. */
export type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE'

/** A file as text. */
export interface Text {
  readonly encoding: Encoding
  /** Whether it began with a byte order mark, as files of Excel do. */
  readonly hasMark: boolean
  /** The text in pieces, each line ended by \n alone. */
  readonly pieces: AsyncIterable<string>
}

/** Decodes bytes by their byte order mark, UTF-8 without one. @throws UsageError, while it is read, for what is no text */
export async function decode(bytes: AsyncIterable<Uint8Array>): Promise<Text> {
  const source = bytes[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  while (head.length < LONGEST_SIGN) {
    const { value, done } = await source.next()
    if (done === true) break
    head = Buffer.concat([head, value])
  }
  refuseKnownBinary(head)
  const [mark, encoding] = MARKS.find(([sign]) => head.indexOf(sign) === 0) ?? [Buffer.alloc(0), 'UTF-8' as const]
  return { encoding, hasMark: mark.length > 0, pieces: pieces(head.subarray(mark.length), source, encoding) }
}

const MARKS: readonly (readonly [Buffer, Encoding])[] = [
  [Buffer.of(0xef, 0xbb, 0xbf), 'UTF-8'],
  [Buffer.of(0xff, 0xfe), 'UTF-16LE'],
  [Buffer.of(0xfe, 0xff), 'UTF-16BE'],
]

const BINARIES: readonly (readonly [Buffer, string])[] = [
  [Buffer.of(0x50, 0x4b, 0x03, 0x04), 'an Excel workbook or another zip archive'],
  [Buffer.of(0xd0, 0xcf, 0x11, 0xe0), 'an Excel workbook of an old version'],
  [Buffer.of(0x1f, 0x8b), 'compressed with gzip'],
  [Buffer.from('%PDF'), 'a PDF'],
]

const LONGEST_SIGN = 4

function refuseKnownBinary(head: Buffer): void {
  const [, what] = BINARIES.find(([sign]) => head.indexOf(sign) === 0) ?? []
  if (what !== undefined) throw fileError(`the file is no text: it is ${what}.`, 'Save or unpack it as CSV in UTF-8.')
}

async function* pieces(head: Buffer, source: AsyncIterator<Uint8Array>, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
  let line = 1
  let rest: Buffer = head
  let done = false
  try {
    do {
      const next = await source.next()
      done = next.done === true
      if (next.done !== true) rest = Buffer.concat([rest, next.value])
      const whole = done ? rest.length : wholeCharacters(rest, encoding)
      const block = rest.subarray(0, whole)
      rest = rest.subarray(whole)
      if (block.length === 0) continue
      const text = decoded(decoder, encoding, block, line)
      if (text.includes('\0')) throw notText(line + linesIn(text.slice(0, text.indexOf('\0'))), encoding)
      line += linesIn(text)
      yield text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
    } while (!done)
  } finally {
    await source.return?.()
  }
}

function decoded(decoder: TextDecoder, encoding: Encoding, block: Buffer, line: number): string {
  try {
    return decoder.decode(block)
  } catch {
    throw notText(faultyLine(decoder, encoding, block, line), encoding)
  }
}

function faultyLine(decoder: TextDecoder, encoding: Encoding, block: Buffer, first: number): number {
  let line = first
  try {
    for (let start = 0; start < block.length; ) {
      const end = lineEnd(block, start, encoding)
      line += linesIn(decoder.decode(block.subarray(start, end)))
      start = end
    }
  } catch {
    /* This is the line. */
  }
  return line
}

function lineEnd(block: Buffer, start: number, encoding: Encoding): number {
  const feed = encoding === 'UTF-8' ? [0x0a] : encoding === 'UTF-16LE' ? [0x0a, 0x00] : [0x00, 0x0a]
  let at = start
  do at = block.indexOf(Buffer.from(feed), at) + 1
  while (at > 0 && (at - 1 - start) % feed.length !== 0)
  return at === 0 ? block.length : at - 1 + feed.length
}

/*
 * How many bytes make whole characters. A carriage return at the end waits for what may follow it, so that a line never
 * ends twice.
 */
function wholeCharacters(bytes: Buffer, encoding: Encoding): number {
  if (encoding === 'UTF-8') {
    let start = bytes.length - 1
    while (start > 0 && bytes.length - start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1
    const lead = bytes[start] ?? 0
    const length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
    if (lead === 0x0d || start + length > bytes.length) return Math.max(0, start)
    return bytes.length
  }
  const even = bytes.length - (bytes.length % 2)
  if (even === 0) return 0
  const last = encoding === 'UTF-16LE' ? bytes.readUInt16LE(even - 2) : bytes.readUInt16BE(even - 2)
  return last === 0x0d || (last & 0xfc00) === 0xd800 ? even - 2 : even
}

function linesIn(text: string): number {
  return text.match(/\r\n|[\r\n]/g)?.length ?? 0
}

function notText(line: number, encoding: Encoding) {
  return fileError(
    `line ${line} of the file is no text in ${encoding}.`,
    'Save it as UTF-8: in Excel, "CSV UTF-8"; elsewhere with `iconv -f WINDOWS-1252 -t UTF-8`.',
  )
}
