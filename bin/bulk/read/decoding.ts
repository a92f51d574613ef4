import { TextDecoder } from 'node:util'
import { fileError } from './file-error.ts'

export type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE'

export interface Text {
  readonly encoding: Encoding
  /** Whether it began with a byte order mark, as files of Excel do. */
  readonly hasMark: boolean
  /** The text in pieces, each line ended by \n alone. */
  readonly pieces: AsyncIterable<string>
}

/** Decodes bytes by their byte order mark, UTF-8 without one. @throws CliError, while it is read, for what is no text */
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
  /* A carriage return at the end waits for what may follow it, so that a line never ends twice. */
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

/* Enough of them for any character, from the beginning of a unit of UTF-16. */
function lastBytes(bytes: Buffer): Buffer {
  return bytes.subarray(Math.max(0, bytes.length - 4 - (bytes.length % 2)))
}

/* Byte by byte: what a decoder found before the fault is lost with it. */
function textBeforeFault(before: Buffer, block: Uint8Array | undefined, encoding: Encoding): string {
  const decoder = decoderAfter(before, encoding)
  let text = ''
  try {
    for (const byte of block ?? []) text += decoder.decode(Uint8Array.of(byte), { stream: true })
  } catch {}
  return text
}

/* A decoder that has read what came before, which may begin inside of a character. */
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
