import { inflateRawSync } from 'node:zlib'
import { type CliError, codeOf } from '../../cli-error.ts'
import { formatNumber } from '../../terminal/numbers.ts'
import { fileError } from './file-error.ts'

/** The most bytes of a workbook, packed or unpacked: a sheet has to be in memory as a whole. */
export const MOST_BYTES = 50_000_000

export function tooLarge(when: string): CliError {
  return fileError(`the workbook has more than ${formatNumber(MOST_BYTES / 1_000_000)} MB${when}.`, AS_CSV)
}

/** A hint: a table is read row by row. */
export const AS_CSV = 'Save the sheet as CSV in UTF-8: a table may have any size.'

/**
 * Unpacks the files of a zip archive, one after another: whatever sizes it says they have, and however often it names one.
 *
 * @throws CliError if they have more than {@link MOST_BYTES} together, or it is no whole archive
 */
export function* unzip(archive: Buffer): Generator<Buffer> {
  let left = MOST_BYTES
  for (const { content, isDeflated } of contentsOf(archive)) {
    const bytes = isDeflated ? inflate(content, left) : content
    left -= bytes.length
    if (left < 0) throw tooLarge(UNPACKED)
    yield bytes
  }
}

const UNPACKED = ' when it is unpacked'

function inflate(content: Buffer, mostBytes: number): Buffer {
  try {
    return inflateRawSync(content, { maxOutputLength: mostBytes + 1 })
  } catch (error) {
    throw codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(UNPACKED) : incomplete()
  }
}

function* contentsOf(archive: Buffer): Generator<{ readonly content: Buffer; readonly isDeflated: boolean }> {
  const end = archive.lastIndexOf(END)
  if (end === -1 || end + END_BYTES > archive.length) throw incomplete()
  const count = archive.readUInt16LE(end + 10)
  const bytes = archive.readUInt32LE(end + 12)
  let at = archive.readUInt32LE(end + 16)
  /* The directory is in another place: no workbook is so large. */
  if (count === MOST_16 || bytes === MOST_32 || at === MOST_32) throw tooLarge(UNPACKED)
  for (let index = 0; index < count; index += 1) {
    if (at + ENTRY_BYTES > archive.length || archive.indexOf(ENTRY, at) !== at) throw incomplete()
    const { packedBytes, start } = placeOf(archive, at)
    if (start + LOCAL_BYTES > archive.length) throw incomplete()
    const from = start + LOCAL_BYTES + archive.readUInt16LE(start + 26) + archive.readUInt16LE(start + 28)
    const sizesFollow = (archive.readUInt16LE(at + 8) & SIZES_FOLLOW) !== 0 && packedBytes === 0
    if (sizesFollow || from + packedBytes > archive.length) throw incomplete()
    const isDeflated = archive.readUInt16LE(at + 10) === DEFLATED && packedBytes > 0
    yield { content: archive.subarray(from, from + packedBytes), isDeflated }
    at += ENTRY_BYTES + [28, 30, 32].reduce((sum, place) => sum + archive.readUInt16LE(at + place), 0)
  }
}

const ENTRY = Buffer.from('PK\u0001\u0002')
const END = Buffer.from('PK\u0005\u0006')
const ENTRY_BYTES = 46
const END_BYTES = 22
const LOCAL_BYTES = 30
const SIZES_FOLLOW = 8
const DEFLATED = 8
const MOST_16 = 2 ** 16 - 1
const MOST_32 = 2 ** 32 - 1

function incomplete(): CliError {
  return fileError(
    'the file is an Excel workbook or another zip archive, but it is not complete.',
    'Copy or save it again.',
  )
}

function placeOf(archive: Buffer, at: number): { readonly packedBytes: number; readonly start: number } {
  const later = [...zip64Values(archive, at)]
  const [, packedBytes, start] = [24, 20, 42].map((place) => {
    const value = archive.readUInt32LE(at + place)
    return value === MOST_32 ? (later.shift() ?? Number.POSITIVE_INFINITY) : value
  }) as [number, number, number]
  return { packedBytes, start }
}

/* The values that 32 bits have no room for. Some writers give every size like this. */
function* zip64Values(archive: Buffer, at: number): Generator<number> {
  let extra = at + ENTRY_BYTES + archive.readUInt16LE(at + 28)
  const end = Math.min(archive.length, extra + archive.readUInt16LE(at + 30))
  while (extra + 4 <= end) {
    const next = extra + 4 + archive.readUInt16LE(extra + 2)
    if (archive.readUInt16LE(extra) === 1) {
      for (let place = extra + 4; place + 8 <= Math.min(next, end); place += 8)
        yield Number(archive.readBigUInt64LE(place))
      return
    }
    extra = next
  }
}
