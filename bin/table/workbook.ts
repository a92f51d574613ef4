import { type Cell, type CellValue, formatValue, readXlsx, type Sheet } from 'hucre'
import { formatNumber } from '../terminal/numbers.ts'
import { CellFault } from './cell-fault.ts'
import { fileError } from './file-error.ts'

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
  readonly isHidden: boolean
}

const MOST_BYTES = 50_000_000
/* One more than the maximum, so that a wider header is refused rather than cut. */
const LAST_COLUMN = 'GS'
/* Excel's limit for text in a cell. */
const LONGEST_TEXT = 32_767

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
  if (unpackedBytes(bytes) > MOST_BYTES) {
    const hint = 'Save the sheet as CSV in UTF-8.'
    throw fileError(`the workbook has more than ${formatNumber(MOST_BYTES / 1_000_000)} MB when it is unpacked.`, hint)
  }
  const { sheet, names } = await readSheet(bytes, wanted)
  const hidden = hiddenRowsOf(sheet)
  let width = 0
  for (const row of sheet.rows)
    width = Math.max(width, row.findLastIndex((value) => value !== null && value !== '') + 1)
  const rows = sheet.rows.flatMap((row, index) => {
    const values = row.slice(0, width).map((value, column) => shownValue(value, sheet.cells?.get(`${index},${column}`)))
    const hasValue = values.some((value) => typeof value !== 'string' || value.trim() !== '')
    return hasValue ? [{ row: index + 1, values, isHidden: hidden.has(index) }] : []
  })
  return { rows, facts: factsOf(sheet, names, rows) }
}

/* The sum of the sizes in the archive's directory. The reader never unpacks more of a file than stated there. */
function unpackedBytes(bytes: Buffer): number {
  const end = bytes.lastIndexOf('PK\u0005\u0006')
  let sum = 0
  let at = end === -1 || end + 20 > bytes.length ? bytes.length : bytes.readUInt32LE(end + 16)
  while (at + 46 <= end && bytes.readUInt32BE(at) === DIRECTORY_ENTRY) {
    const packed = bytes.readUInt32LE(at + 20)
    sum += bytes.readUInt32LE(at + 24) || packed * MOST_PACKED
    at += 46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return Math.max(sum, bytes.length)
}

const DIRECTORY_ENTRY = 0x504b0102
/* The maximum compression ratio of Deflate. */
const MOST_PACKED = 1032

async function readSheet(bytes: Buffer, wanted: string | undefined) {
  const names: string[] = []
  let chosen: string | undefined
  const workbook = await readXlsx(bytes, {
    readStyles: true,
    range: `A1:${LAST_COLUMN}1048576`,
    sheets: (info) => {
      if (info.hidden !== true && info.veryHidden !== true) names.push(info.name)
      const isWanted = wanted === undefined ? names.length === 1 : keyOf(info.name) === keyOf(wanted)
      if (chosen !== undefined || !isWanted) return false
      chosen = info.name
      return true
    },
  }).catch(() => {
    /* The reader's messages may quote the file. */
    throw fileError(
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
  if (typeof value === 'string' && value.length > LONGEST_TEXT) return new CellFault('', TOO_LONG)
  if (typeof value === 'string') return (isPlain ? value : formatValue(value, format)).replaceAll(/\r\n?/g, '\n')
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
