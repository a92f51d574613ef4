import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import { type Cell, type CellValue, formatValue, readXlsx, type Sheet } from 'hucre'
import { CliError } from '../cli-error.ts'
import { formatNumber } from '../terminal/text.ts'
import { CellFault, fileError } from './faults.ts'
import { MAX_ROW_LENGTH } from './delimited.ts'

/** Facts about a sheet that its values alone do not show. */
export interface SheetFacts {
  readonly name: string
  /** The names of the sheets that are not hidden. */
  readonly sheets: readonly string[]
  /** Merged ranges of cells: only the first cell has the value. */
  readonly mergedRanges: number
  readonly hiddenColumns: number
  readonly formulas: number
}

type Shown = readonly (string | CellFault)[]

/** A row of a sheet, with its number in the sheet. */
export interface SheetRow {
  readonly row: number
  readonly values: Shown
  /** The dates among them, by their place, in ISO 8601. */
  readonly dates: ReadonlyMap<number, string>
  /** Whether the sheet hides it, or strikes most of it through. */
  readonly isHidden: boolean
}

const MAX_BYTES = 50_000_000
/* One more than the maximum, so that a wider header is refused rather than cut. */
const LAST_COLUMN = 'GS'
/* Excel's limit for text in a cell. */
const MAX_TEXT_LENGTH = 32_767

/**
 * Reads one sheet of an Excel workbook: its values as they are shown.
 *
 * @param wanted its name; default: the first one that is not hidden
 * @throws CliError if it cannot be read, is too large, or has no such sheet
 */
export async function readWorkbook(
  bytes: Buffer,
  wanted: string | undefined,
): Promise<{ readonly rows: readonly SheetRow[]; readonly facts: SheetFacts }> {
  const { sheet, names } = await readSheet(bytes, wanted)
  const hidden = hiddenRowsOf(sheet)
  let width = 0
  for (const row of sheet.rows)
    width = Math.max(width, row.findLastIndex((value) => value !== null && value !== '') + 1)
  let left = MAX_BYTES
  const rows = sheet.rows.flatMap((row, index) => {
    const values = row.slice(0, width).map((value, column) => shownValue(value, sheet.cells?.get(`${index},${column}`)))
    /* Cells may share a text, so what they show can be longer than the file. */
    const length = values.join('').length
    left -= length
    if (length > MAX_ROW_LENGTH) throw fileError(`row ${index + 1} of the sheet is longer than 1 MiB.`, AS_CSV)
    if (left < 0) throw tooLarge()
    const hasValue = values.some((value) => typeof value !== 'string' || value.trim() !== '')
    if (!hasValue) return []
    const isHidden = hidden.has(index) || isStruck(sheet, index, values)
    return [{ row: index + 1, values, dates: datesIn(row), isHidden }]
  })
  return { rows, facts: factsOf(sheet, names, rows) }
}

/* A sheet shows them in many orders of day and month. */
function datesIn(row: readonly CellValue[]): ReadonlyMap<number, string> {
  return new Map(
    row.flatMap((value, at) =>
      value instanceof Date && !Number.isNaN(value.getTime()) ? [[at, value.toISOString()] as const] : [],
    ),
  )
}

/* Whether more than half of the cells with a value are struck through: as a whole, or in each of their parts. */
function isStruck({ cells }: Sheet, index: number, values: Shown): boolean {
  const filled = values.flatMap((value, column) => (String(value).trim() === '' ? [] : [column]))
  const struck = filled.filter((column) => {
    const { style, richText } = cells?.get(`${index},${column}`) ?? {}
    if (richText !== undefined) {
      return richText.every(({ text, font }) => text.trim() === '' || (font ?? style?.font)?.strikethrough === true)
    }
    return style?.font?.strikethrough === true
  })
  return struck.length * 2 > filled.length
}

function tooLarge() {
  return fileError(`the workbook has more than ${formatNumber(MAX_BYTES / 1_000_000)} MB when it is unpacked.`, AS_CSV)
}

const AS_CSV = 'Save the sheet as CSV in UTF-8.'

/*
 * Checks the parts of the archive, and hides the ones that are not needed. The reader unpacks a part up to its size in the directory, and
 * again for each reference to it; it makes an object for each column of each range, and reads a format again for each cell. It takes the
 * phonetic guide of a text in a cell for a part of the text.
 */
function checkParts(bytes: Buffer): void {
  const end = bytes.lastIndexOf('PK\u0005\u0006', -22)
  if (end === -1) return
  let at = bytes.readUInt32LE(end + 16)
  let sum = 0
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count -= 1) {
    const [packedSize, start] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 42)]
    const size = bytes.readUInt32LE(at + 24) || packedSize * MAX_COMPRESSION_RATIO
    sum += size
    if (Math.max(sum, bytes.length) > MAX_BYTES) throw tooLarge()
    const from = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28)
    const packed = bytes.subarray(from, from + packedSize)
    const isDeflated = size > 0 && bytes.readUInt16LE(at + 10) !== 0
    const part = (isDeflated ? inflateRawSync(packed, { maxOutputLength: size }) : packed).toString('latin1')
    const nameLength = bytes.readUInt16LE(at + 28)
    if (!NEEDED.test(part)) bytes.fill(0, at + 46, at + 46 + nameLength)
    else if (part.split(COLUMN_RANGE, MAX_RANGES + 2).length > MAX_RANGES + 1 || LONG_FORMAT.test(part))
      throw fileError(COSTLY, AS_CSV)
    else if (PHONETIC.test(part)) {
      const plain = Buffer.from(
        part.replaceAll(PHONETIC, (guide) => ' '.repeat(guide.length)),
        'latin1',
      )
      const repacked = isDeflated ? deflateRawSync(plain, { level: 9 }) : plain
      if (repacked.length > packedSize)
        throw fileError('the workbook has phonetic guides that cannot be left out.', AS_CSV)
      bytes.set(repacked, from)
      bytes.writeUInt32LE(crc32(plain), at + 16)
      bytes.writeUInt32LE(repacked.length, at + 20)
    }
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
}

/* The maximum compression ratio of Deflate. */
const MAX_COMPRESSION_RATIO = 1032
/* By the root element. Drawings, pivot tables and the like have no values. */
const NEEDED =
  /^(?:[^<]*<[?!][^>]*>)*[^<]*<(?:[^\s<>/:]*:)?(?:Types|Relationships|workbook|worksheet|sst|styleSheet)[\s/>]/
/* Without nested elements other than the text of a guide, and linear in the length of the part. */
const PHONETIC = /<(?:\w+:)?rPh\b[^<>]*>\s*<(?:\w+:)?t\b[^<>]*>[^<]*<\/(?:\w+:)?t\s*>\s*<\/(?:\w+:)?rPh\s*>/g
const COLUMN_RANGE = /<(?:[^\s<>/:]*:)?col\s/
const MAX_RANGES = 1000
const LONG_FORMAT = /\bformatCode\s*=\s*(?:"[^"]{500}|'[^']{500})/
const COSTLY = 'the workbook has more than 1,000 ranges of columns, or a number format of more than 500 characters.'

async function readSheet(bytes: Buffer, wanted: string | undefined) {
  const names: string[] = []
  let chosen: string | undefined
  const read = async () => {
    checkParts(bytes)
    return readXlsx(bytes, {
      readStyles: true,
      range: `A1:${LAST_COLUMN}1048576`,
      sheets: (info) => {
        if (info.hidden !== true && info.veryHidden !== true) names.push(info.name)
        const isWanted = wanted === undefined ? names.length === 1 : keyOf(info.name) === keyOf(wanted)
        if (chosen !== undefined || !isWanted) return false
        chosen = info.name
        return true
      },
    })
  }
  const workbook = await read().catch((error: unknown) => {
    /* The reader's messages may quote the file. */
    throw error instanceof CliError
      ? error
      : fileError(
          'the file is a zip archive, but not an Excel workbook (.xlsx) that can be read.',
          'Open it in a spreadsheet program, and save it as .xlsx or as CSV in UTF-8.',
        )
  })
  const [sheet] = workbook.sheets
  if (sheet !== undefined) return { sheet, names }
  throw fileError(
    wanted === undefined ? 'the workbook has no sheet that is not hidden.' : `the workbook has no sheet "${wanted}".`,
    `Give one with --sheet: ${names.map((name) => `"${name}"`).join(', ')}.`,
  )
}

/* In Excel, two names cannot differ in case alone. */
function keyOf(name: string): string {
  return name.trim().toLowerCase()
}

/* Including filtered rows, and rows of height zero. */
function hiddenRowsOf({ rowDefs }: Sheet): ReadonlySet<number> {
  const hidden = [...(rowDefs ?? [])].filter(([, row]) => row.hidden === true || row.height === 0)
  return new Set(hidden.map(([index]) => index))
}

function factsOf(
  { name, merges = [], columns = [], cells }: Sheet,
  sheets: readonly string[],
  rows: readonly SheetRow[],
): SheetFacts {
  const header = rows[0]?.values ?? []
  return {
    name,
    sheets,
    mergedRanges: merges.length,
    hiddenColumns: columns.filter((column, index) => column.hidden === true && (header[index] ?? '') !== '').length,
    formulas: [...(cells?.values() ?? [])].filter(({ formula }) => formula !== undefined).length,
  }
}

/* The value of a cell as the sheet shows it. */
function shownValue(value: CellValue, cell: Cell | undefined): string | CellFault {
  if (value === null) return cell?.formula === undefined ? '' : new CellFault('', NO_RESULT)
  if (cell?.type === 'error') return new CellFault(String(value), 'is an error of the sheet, such as #N/A')
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  const { numFmt: format = GENERAL } = cell?.style ?? {}
  const isPlain = format === GENERAL || format === '@'
  if (typeof value === 'string' && value.length > MAX_TEXT_LENGTH) return new CellFault('', TOO_LONG)
  /* Six times as fast as replacing them. */
  if (typeof value === 'string') return (isPlain ? value : formatValue(value, format)).split(/\r\n?/).join('\n')
  if (value instanceof Date) return isPlain ? value.toISOString() : formatValue(value, format)
  const text = isPlain ? String(value) : formatValue(value, format)
  if (Math.abs(value) >= FIRST_ROUNDED) return new CellFault(text, ROUNDED)
  return /\dE[+-]?\d/i.test(text) ? new CellFault(text, SCIENTIFIC) : text
}

const GENERAL = 'General'
/* Excel keeps 15 digits. */
const FIRST_ROUNDED = 1e15
const NO_RESULT = 'is a formula without a result: open the sheet and save it again'
const TOO_LONG = 'is longer than 32,767 characters'
const ROUNDED = 'is a number of more than 15 digits, which the sheet has rounded: enter it as text'
const SCIENTIFIC = 'is shown with an exponent, not with all its digits: enter it as text in the sheet'
