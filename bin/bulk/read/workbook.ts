import { type Cell, readXlsx, type Sheet } from 'hucre'
import type { CliError } from '../../cli-error.ts'
import { formatNumber } from '../../terminal/numbers.ts'
import { quotedNames } from './columns.ts'
import { fileError } from './file-error.ts'
import type { CellFault, FileRecord, Records } from './file-record.ts'
import { shownValue } from './sheet-cell.ts'
import type { SheetFacts } from './sheet-facts.ts'
import { inflatedSize } from './zip-size.ts'

/**
 * Reads one sheet of an Excel workbook: its values as they are shown. The first row with a value names the columns.
 *
 * @param bytes the whole file
 * @param name the sheet; default: the first one that is not hidden
 * @throws CliError if it cannot be read, is too large, or has no such sheet
 */
export async function readWorkbook(
  bytes: Buffer,
  name: string | undefined,
): Promise<{ readonly records: Records; readonly sheet: SheetFacts }> {
  refuseOther(bytes)
  const { sheet, names } = await readSheet(bytes, name)
  const width = widthOf(sheet)
  const rows = sheet.rows.map((row, index) =>
    row.slice(0, width).map((value, column) => shownValue(value, cellAt(sheet, index, column))),
  )
  const first = rows.findIndex(hasValue)
  if (first === -1) {
    throw fileError(
      `the sheet ${quotedNames([sheet.name])} is empty.`,
      names.length > 1
        ? `Give another one with --sheet: ${quotedNames(names)}.`
        : 'Its first row has to name the columns.',
    )
  }
  const header = (rows[first] ?? []).map((cell) => String(cell).trim())
  return {
    records: { format: 'xlsx', header, delimiter: ',', rows: recordsOf(rows, first, header) },
    sheet: factsOf(sheet, names.length, rows, first),
  }
}

/** The most bytes of a workbook, packed or unpacked: a sheet has to be in memory as a whole. */
export const MOST_BYTES = 200_000_000

export function tooLarge(when: string): CliError {
  return fileError(
    `the workbook has more than ${formatNumber(MOST_BYTES / 1_000_000)} MB${when}.`,
    'Save the sheet as CSV in UTF-8: a table may have any size.',
  )
}

function refuseOther(bytes: Buffer): void {
  const size = inflatedSize(bytes)
  if (size === undefined)
    throw fileError(
      'the file is an Excel workbook or another zip archive, but it is not complete.',
      'Copy or save it again.',
    )
  if (size > MOST_BYTES) throw tooLarge(' when it is unpacked')
  if (bytes.subarray(0, 200).includes('application/vnd.oasis.opendocument')) {
    throw fileError('the file is an OpenDocument sheet.', 'Save it as .xlsx, or as CSV in UTF-8.')
  }
}

async function readSheet(bytes: Buffer, name: string | undefined) {
  const names: string[] = []
  let chosen: string | undefined
  const workbook = await readXlsx(bytes, {
    readStyles: true,
    sheets: (info) => {
      if (info.hidden !== true && info.veryHidden !== true) names.push(info.name)
      const isWanted = name === undefined ? names.length === 1 : keyOf(info.name) === keyOf(name)
      if (chosen !== undefined || !isWanted) return false
      chosen = info.name
      return true
    },
  }).catch(() => {
    /* The messages of the reader may have content of the file. */
    throw fileError(
      'the file is a zip archive, but no Excel workbook (.xlsx) that can be read.',
      'Open it in a spreadsheet program, and save it as .xlsx or as CSV in UTF-8.',
    )
  })
  const [sheet] = workbook.sheets
  if (sheet !== undefined) return { sheet, names }
  throw fileError(
    name === undefined ? 'the workbook has no sheet that is not hidden.' : `the workbook has no sheet "${name}".`,
    `Give one with --sheet: ${quotedNames(names)}.`,
  )
}

/* Excel allows no two names that differ in case alone. */
function keyOf(name: string): string {
  return name.trim().toLowerCase()
}

/* Without the columns at the end that have formats, but no value. */
function widthOf({ rows }: Sheet): number {
  let width = 0
  for (const row of rows) width = Math.max(width, row.findLastIndex((value) => value !== null && value !== '') + 1)
  return width
}

function cellAt({ cells }: Sheet, row: number, column: number): Cell | undefined {
  return cells?.get(`${row},${column}`)
}

type Shown = readonly (string | CellFault)[]

function hasValue(row: Shown): boolean {
  return row.some((value) => typeof value !== 'string' || value.trim() !== '')
}

async function* recordsOf(rows: readonly Shown[], first: number, names: readonly string[]): AsyncGenerator<FileRecord> {
  for (const [index, values] of rows.entries()) {
    if (index > first && hasValue(values)) yield { row: index + 1, names, values }
  }
}

function factsOf(sheet: Sheet, sheets: number, rows: readonly Shown[], first: number): SheetFacts {
  const { name, merges = [], rowDefs, columns = [], cells } = sheet
  const hidden = [...(rowDefs ?? [])].filter(([index, row]) => row.hidden === true && index > first)
  return {
    name,
    sheets,
    mergedRanges: merges.length,
    hiddenRows: hidden.filter(([index]) => hasValue(rows[index] ?? [])).length,
    hiddenColumns: columns.filter((column, index) => column.hidden === true && (rows[first]?.[index] ?? '') !== '')
      .length,
    formulas: [...(cells?.values() ?? [])].filter(({ formula }) => formula !== undefined).length,
  }
}
