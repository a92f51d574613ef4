import type { BulkOptions } from '../options/bulk-options.ts'
import { decode, type Text } from './decoding.ts'
import { fileError } from './file-error.ts'
import { readRecords } from './file-format.ts'
import type { Records } from './file-record.ts'
import type { SheetFacts } from './sheet-facts.ts'
import { MOST_BYTES, tooLarge } from './unzip.ts'
import type { SheetOptions } from './workbook.ts'

/** The content of a file: a text, or a sheet of a workbook. */
export interface Content {
  readonly text: Omit<Text, 'pieces'>
  readonly records: Records
  readonly sheet: SheetFacts | undefined
}

type ContentOptions = Pick<BulkOptions, 'encoding' | 'format' | 'skipInvalid'> & SheetOptions

/** Reads a file of any kind up to its rows. @throws CliError, also while the rows are read */
export async function readContent(
  bytes: AsyncIterable<Uint8Array>,
  options: ContentOptions,
  showsData: () => boolean = () => false,
): Promise<Content> {
  const source = bytes[Symbol.asyncIterator]()
  const start: Uint8Array[] = []
  while (sizeOf(start) < SIGN_BYTES) {
    const { value, done } = await source.next()
    if (done === true) break
    start.push(value)
  }
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield* start
    yield* { [Symbol.asyncIterator]: () => source }
  }
  const head = Buffer.concat(start)
  if (head.indexOf(ZIP) === 0) return readSheet(whole(), options)
  if (head.indexOf(COMPOUND) === 0) throw await oldWorkbook(whole())
  if (options.sheet !== undefined) throw fileError('the file is no Excel workbook (.xlsx).', 'Leave out --sheet.')
  const text = await decode(whole(), { encoding: options.encoding, showsData })
  return { text, records: await readRecords(text, options), sheet: undefined }
}

const ZIP = Buffer.of(0x50, 0x4b, 0x03, 0x04)
const COMPOUND = Buffer.of(0xd0, 0xcf, 0x11, 0xe0)
const SIGN_BYTES = 4

async function readSheet(bytes: AsyncIterable<Uint8Array>, options: ContentOptions): Promise<Content> {
  const flags = [options.format && '--format', options.encoding && '--encoding'].filter(Boolean)
  if (flags.length > 0) throw fileError('the file is an Excel workbook.', `Leave out ${flags.join(' and ')}.`)
  const { readWorkbook } = await import('./workbook.ts')
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of bytes) {
    pieces.push(piece)
    size += piece.length
    if (size > MOST_BYTES) throw tooLarge('')
  }
  const { records, sheet } = await readWorkbook(Buffer.concat(pieces), options)
  /* What is written for it is a table: Excel reads UTF-8 in one only with a mark. */
  const text = { encoding: 'UTF-8', hasMark: true, lineEnds: { mac: false, others: false } }
  return { text, records, sheet }
}

/* Both kinds begin alike. */
async function oldWorkbook(bytes: AsyncIterable<Uint8Array>) {
  let last = Buffer.alloc(0)
  for await (const piece of bytes) {
    last = Buffer.concat([last.subarray(-ENCRYPTED.length), piece])
    if (!last.includes(ENCRYPTED)) continue
    return fileError(
      'the file is an Excel workbook with a password.',
      'Save it without the password, or as CSV in UTF-8.',
    )
  }
  return fileError('the file is an Excel workbook of an old version (.xls).', 'Save it as .xlsx, or as CSV in UTF-8.')
}

const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le')

function sizeOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}
