import { TextDecoder } from 'node:util'
import { fileError } from './file-error.ts'

export type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE'

export interface Text {
  readonly encoding: Encoding
  /** Whether it began with a byte order mark, as a file of Excel. */
  readonly hasMark: boolean
  /** The text in pieces. Each line ends with \n. */
  readonly pieces: AsyncIterable<string>
}

/** Decodes bytes by their byte order mark; without one as UTF-8. @throws CliError, also while the pieces are read */
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
  const decoder = new TextDecoder(encoding, FATAL)
  let line = 1
  /* A carriage return at the end waits for the next piece: a line feed may follow. */
  let waiting = ''
  let before: Buffer = Buffer.alloc(0)
  let block: Uint8Array | undefined = head
  try {
    for (;;) {
      let text = waiting
      try {
        text += decoder.decode(block, { stream: block !== undefined })
      } catch {
        throw notText(line + linesIn(waiting + textBeforeFault(before, block, encoding)), encoding)
      }
      if (text.includes('\0')) throw notText(line + linesIn(text.slice(0, text.indexOf('\0'))), encoding)
      waiting = block !== undefined && text.endsWith('\r') ? '\r' : ''
      text = text.slice(0, text.length - waiting.length)
      line += linesIn(text)
      if (text !== '') yield text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
      if (block === undefined) return
      before = lastBytes(Buffer.concat([before, block]))
      const next = await source.next()
      block = next.done === true ? undefined : next.value
    }
  } finally {
    await source.return?.()
  }
}

const FATAL = { fatal: true, ignoreBOM: true }

/* As many as a character may have, from the start of a UTF-16 unit. */
function lastBytes(bytes: Buffer): Buffer {
  return bytes.subarray(Math.max(0, bytes.length - 4 - (bytes.length % 2)))
}

/* Byte by byte: a decoder that fails does not return the text before the fault. */
function textBeforeFault(before: Buffer, block: Uint8Array | undefined, encoding: Encoding): string {
  const decoder = decoderAfter(before, encoding)
  let text = ''
  try {
    for (const byte of block ?? []) text += decoder.decode(Uint8Array.of(byte), { stream: true })
  } catch {
    /* The text ends before the fault. */
  }
  return text
}

/* A decoder after the bytes before, which may begin inside of a character. */
function decoderAfter(before: Buffer, encoding: Encoding): TextDecoder {
  const decoder = new TextDecoder(encoding, FATAL)
  try {
    decoder.decode(before, { stream: true })
    return decoder
  } catch {
    return decoderAfter(before.subarray(encoding === 'UTF-8' ? 1 : 2), encoding)
  }
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
