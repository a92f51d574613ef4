import { StrictDecoder } from '../options/encoding.ts'
import { fileError } from './file-error.ts'
import { notText } from './not-text.ts'

export interface Text {
  readonly encoding: string
  /** Whether a file of its rows needs a byte order mark: Excel, and a reader with `--encoding`, look for it. */
  readonly hasMark: boolean
  /** The text in pieces. Each line ends with \n. */
  readonly pieces: AsyncIterable<string>
  /** Whether line ends so far were those of old Macs, and whether others were. */
  readonly lineEnds: { mac: boolean; others: boolean }
}

export interface DecodeOptions {
  /** Default: by the byte order mark, or UTF-8. */
  readonly encoding?: string | undefined
  /** Whether an error may show data of the file. Default: no. */
  readonly showsData?: () => boolean
}

/** Decodes bytes. @throws CliError, also while the pieces are read */
export async function decode(
  bytes: AsyncIterable<Uint8Array>,
  { encoding: given, showsData = () => false }: DecodeOptions = {},
): Promise<Text> {
  const source = bytes[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  while (head.length < LONGEST_SIGN) {
    const { value, done } = await source.next()
    if (done === true) break
    head = Buffer.concat([head, value])
  }
  refuseKnownBinary(head)
  const [mark, marked] = MARKS.find(([sign]) => head.indexOf(sign) === 0) ?? [Buffer.alloc(0), undefined]
  if (marked !== undefined && given !== undefined && marked !== given) {
    const message = `the file begins with the byte order mark of ${marked}, so it is not in ${given}.`
    throw fileError(message, 'Leave out --encoding.')
  }
  const encoding = marked ?? given ?? 'UTF-8'
  const lineEnds = { mac: false, others: false }
  return {
    encoding,
    hasMark: marked !== undefined || encoding !== 'UTF-8',
    pieces: pieces(head.subarray(mark.length), source, { encoding, showsData, lineEnds }),
    lineEnds,
  }
}

const MARKS: readonly (readonly [Buffer, string])[] = [
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

async function* pieces(
  head: Buffer,
  source: AsyncIterator<Uint8Array>,
  { encoding, showsData, lineEnds }: Pick<Text, 'encoding' | 'lineEnds'> & Required<Pick<DecodeOptions, 'showsData'>>,
): AsyncGenerator<string> {
  const decoder = new StrictDecoder(encoding)
  const utf8 = encoding.startsWith('UTF-') ? undefined : new Utf8Check()
  let line = 1
  /* A carriage return at the end waits for the next piece: a line feed may follow. */
  let waiting = ''
  let before: Buffer = Buffer.alloc(0)
  let block: Uint8Array | undefined = head
  let [bytesRead, charactersRead] = [0, 0]
  const fault = async (good: string, isNul: boolean) => {
    const within = linesIn(good)
    const hadOthers = charactersRead !== bytesRead || /[^\p{ASCII}]/u.test(good)
    const where = { line: line + within, lineInBytes: 1 + within, isStart: bytesRead === 0 }
    return notText({
      encoding,
      ...where,
      bytes: await joined(block ?? before, source),
      isNul,
      hadOthers,
      showsData: showsData(),
    })
  }
  try {
    for (;;) {
      let text = waiting
      try {
        text += decoder.decode(block)
      } catch {
        throw await fault(waiting + textBeforeFault(before, block, encoding), false)
      }
      if (text.includes('\0')) throw await fault(text.slice(0, text.indexOf('\0')), true)
      utf8?.add(block)
      bytesRead += block?.length ?? 0
      charactersRead += text.length - waiting.length
      waiting = block !== undefined && text.endsWith('\r') ? '\r' : ''
      text = text.slice(0, text.length - waiting.length)
      line += linesIn(text)
      if (text !== '') yield withLineFeeds(text, lineEnds)
      if (block === undefined) {
        if (utf8?.isUtf8 === true) throw isUtf8(encoding)
        return
      }
      before = lastBytes(Buffer.concat([before, block]))
      const next = await source.next()
      block = next.done === true ? undefined : next.value
    }
  } finally {
    await source.return?.()
  }
}

function withLineFeeds(text: string, lineEnds: Text['lineEnds']): string {
  lineEnds.others ||= text.includes('\n')
  if (!text.includes('\r')) return text
  lineEnds.mac ||= /\r(?!\n)/.test(text)
  return text.replaceAll(/\r\n?/g, '\n')
}

/* Whether bytes beyond ASCII are UTF-8: text of another encoding almost never is. */
class Utf8Check {
  readonly #decoder = new StrictDecoder('UTF-8')
  #isPossible = true
  #hasOthers = false

  add(bytes: Uint8Array | undefined): void {
    if (!this.#isPossible) return
    try {
      this.#hasOthers ||= /[^\p{ASCII}]/u.test(this.#decoder.decode(bytes))
    } catch {
      this.#isPossible = false
    }
  }

  get isUtf8(): boolean {
    return this.#isPossible && this.#hasOthers
  }
}

function isUtf8(encoding: string) {
  return fileError(`the file is text in UTF-8, so it is not in ${encoding}.`, 'Leave out --encoding.')
}

/* Enough of the file for a guess. */
async function joined(block: Uint8Array, source: AsyncIterator<Uint8Array>): Promise<Buffer> {
  const blocks = [block]
  for (let size = block.length; size < GUESS_BYTES; ) {
    const { value, done } = await source.next()
    if (done === true) break
    blocks.push(value)
    size += value.length
  }
  return Buffer.concat(blocks)
}

const GUESS_BYTES = 2 ** 20

/* As many as a character may have, from the start of a UTF-16 unit. */
function lastBytes(bytes: Buffer): Buffer {
  return bytes.subarray(Math.max(0, bytes.length - 4 - (bytes.length % 2)))
}

/* Byte by byte: a decoder that fails does not return the text before the fault. */
function textBeforeFault(before: Buffer, block: Uint8Array | undefined, encoding: string): string {
  const decoder = decoderAfter(before, encoding)
  let text = ''
  try {
    for (const byte of block ?? []) text += decoder.decode(Uint8Array.of(byte))
  } catch {
    /* The text ends before the fault. */
  }
  return text
}

/* A decoder after the bytes before, which may begin inside of a character. */
function decoderAfter(before: Buffer, encoding: string): StrictDecoder {
  const decoder = new StrictDecoder(encoding)
  try {
    decoder.decode(before)
    return decoder
  } catch {
    return decoderAfter(before.subarray(encoding.startsWith('UTF-16') ? 2 : 1), encoding)
  }
}

function linesIn(text: string): number {
  return text.match(/\r\n|[\r\n]/g)?.length ?? 0
}
