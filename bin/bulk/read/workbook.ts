import { readXlsx, type Sheet } from 'hucre'
import { formatNumber } from '../../terminal/numbers.ts'
import type { BulkOptions } from '../options/bulk-options.ts'
import { quotedNames } from './columns.ts'
import { fileError } from './file-error.ts'
import type { CellFault, FileRecord, Records } from './file-record.ts'
import { shownValue } from './sheet-cell.ts'
import type { SheetFacts } from './sheet-facts.ts'
import { AS_CSV, unzip } from './unzip.ts'

/** How a sheet of a workbook is read. */
export type SheetOptions = Pick<BulkOptions, 'sheet' | 'includeHidden' | 'skipHidden'>

/**
 * Reads one sheet of an Excel workbook: its values as they are shown. The first row with a value names the columns.
 *
 * @param bytes the whole file
 * @param options `sheet`: its name; default: the first one that is not hidden
 * @throws CliError if it cannot be read, is too large, has no such sheet, or has hidden rows of which nothing is said
 */
export async function readWorkbook(
  bytes: Buffer,
  options: SheetOptions,
): Promise<{ readonly records: Records; readonly sheet: SheetFacts }> {
  refuseUnfit(bytes)
  const { sheet, names } = await readSheet(bytes, options.sheet)
  refuseLongTexts(sheet)
  const shown = shownRowsOf(sheet)
  const first = sheet.rows.findIndex((_row, index) => hasValue(shown(index)))
  if (first === -1) {
    throw fileError(
      `the sheet ${quotedNames([sheet.name])} is empty.`,
      names.length > 1
        ? `Give another one with --sheet: ${quotedNames(names)}.`
        : 'Its first row has to name the columns.',
    )
  }
  const header = shown(first).map((cell) => String(cell).trim())
  const hidden = hiddenRowsOf(sheet, shown, first)
  if (options.includeHidden !== true && options.skipHidden !== true) refuseHidden(sheet, hidden)
  const skipped = new Set(options.skipHidden === true ? hidden : [])
  return {
    records: { format: 'xlsx', header, delimiter: ',', rows: recordsOf(sheet, shown, first, header, skipped) },
    sheet: factsOf(sheet, names.length, header, hidden.length),
  }
}

/* Before anything is expanded: a few packed bytes can stand for gigabytes. */
function refuseUnfit(bytes: Buffer): void {
  let tags = 0
  for (const part of unzip(bytes)) {
    for (let at = part.indexOf(TAG); at !== -1 && tags <= MOST_TAGS; at = part.indexOf(TAG, at + 1)) tags += 1
    if (tags > MOST_TAGS) {
      const most = formatNumber(MOST_TAGS)
      throw fileError(`the workbook has too many cells and texts: more than ${most} tags of XML.`, AS_CSV)
    }
    const text = part.toString('latin1')
    if (BEYOND_COLUMNS.test(text) || (text.match(COLUMN_FORMAT)?.length ?? 0) > MOST_COLUMN_FORMATS) {
      throw fileError(
        `a sheet of the workbook has more than ${MOST_COLUMNS} columns.`,
        `Delete those after ${LAST_COLUMN}, also of the other sheets, or save the sheet as CSV in UTF-8.`,
      )
    }
  }
  if (bytes.subarray(0, 200).includes('application/vnd.oasis.opendocument')) {
    throw fileError('the file is an OpenDocument sheet.', 'Save it as .xlsx, or as CSV in UTF-8.')
  }
}

const TAG = '<'.charCodeAt(0)

/* Of XML that is no sheet, each takes about 300 bytes. 50,000 rows of ten columns have two to three million. */
const MOST_TAGS = 3_000_000

const MOST_COLUMNS = 200
const LAST_COLUMN = 'GR'
/* The reader expands each format to its columns. */
const COLUMN_FORMAT = /<(?:\w+:)?col\s/g
const MOST_COLUMN_FORMATS = 1000
const BEYOND_COLUMNS = /\sr=["'](?:G[S-Z]|[H-Z][A-Z]|[A-Z]{3})/i

/* A shared text takes room once, and in the output as often as it is used. */
function refuseLongTexts({ rows }: Sheet): void {
  let length = 0
  for (const row of rows) for (const value of row) if (typeof value === 'string') length += value.length
  if (length <= MOST_CHARACTERS) return
  throw fileError(`the sheet has texts of more than ${formatNumber(MOST_CHARACTERS)} characters together.`, AS_CSV)
}

const MOST_CHARACTERS = 50_000_000

async function readSheet(bytes: Buffer, name: string | undefined) {
  const names: string[] = []
  let chosen: string | undefined
  const workbook = await readXlsx(bytes, {
    readStyles: true,
    range: `A1:${LAST_COLUMN}1048576`,
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

type Shown = readonly (string | CellFault)[]

/* A row as the sheet shows it, without the columns at the end that have formats, but no value. */
function shownRowsOf({ rows, cells }: Sheet): (index: number) => Shown {
  let width = 0
  for (const row of rows) width = Math.max(width, row.findLastIndex((value) => value !== null && value !== '') + 1)
  return (index) =>
    (rows[index] ?? []).slice(0, width).map((value, column) => shownValue(value, cells?.get(`${index},${column}`)))
}

function hasValue(row: Shown): boolean {
  return row.some((value) => typeof value !== 'string' || value.trim() !== '')
}

/* Also those of a filter. A row without a height is as invisible. */
function hiddenRowsOf({ rowDefs }: Sheet, shown: (index: number) => Shown, first: number): readonly number[] {
  return [...(rowDefs ?? [])]
    .filter(([index, { hidden, height }]) => index > first && (hidden === true || height === 0))
    .map(([index]) => index)
    .filter((index) => hasValue(shown(index)))
    .toSorted((one, other) => one - other)
}

/* Somebody who hides or filters rows may mean that they are not invited, and nobody sees them in the file. */
function refuseHidden({ name }: Sheet, hidden: readonly number[]): void {
  if (hidden.length === 0) return
  const listed = hidden.slice(0, MOST_LISTED).map((index) => formatNumber(index + 1))
  const which = `${listed.join(', ')}${hidden.length > MOST_LISTED ? ' and more' : ''}`
  const are = hidden.length === 1 ? 'row is' : 'rows are'
  throw fileError(
    `${formatNumber(hidden.length)} ${are} hidden in the sheet ${quotedNames([name])}: ${which}.`,
    'Give --include-hidden to invite them too, or --skip-hidden to leave them out.',
  )
}

const MOST_LISTED = 5

async function* recordsOf(
  sheet: Sheet,
  shown: (index: number) => Shown,
  first: number,
  names: readonly string[],
  skipped: ReadonlySet<number>,
): AsyncGenerator<FileRecord> {
  for (let index = first + 1; index < sheet.rows.length; index += 1) {
    const values = shown(index)
    if (hasValue(values) && !skipped.has(index)) yield { row: index + 1, names, values }
  }
}

function factsOf(sheet: Sheet, sheets: number, header: readonly string[], hiddenRows: number): SheetFacts {
  const { name, merges = [], columns = [], cells } = sheet
  return {
    name,
    sheets,
    mergedRanges: merges.length,
    hiddenRows,
    hiddenColumns: columns.filter((column, index) => column.hidden === true && (header[index] ?? '') !== '').length,
    formulas: [...(cells?.values() ?? [])].filter(({ formula }) => formula !== undefined).length,
  }
}
