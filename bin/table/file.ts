import { createReadStream } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { type Choice, systemCode } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { isJsonObject } from '../parsing.ts'
import { readTable } from './delimited.ts'
import { fileError } from './faults.ts'
import { checkLength, readJson } from './json.ts'
import { decode, encodingName } from './text.ts'
import { uniqueNames } from './headings.ts'
import type { SheetFacts } from './workbook.ts'

/** A row of a file: the names of its values, and its values. Any that are not strings come from JSON, or are faults. */
export interface FileRow {
  /** Its row in the sheet, counted from 1, as a spreadsheet numbers it; its line or place in JSON. */
  readonly row: number
  readonly names: readonly string[]
  /** A table may have fewer values than names, or more. */
  readonly values: readonly unknown[]
  /** Of a workbook: the dates among its values, by their place, in ISO 8601. */
  readonly dates?: ReadonlyMap<number, string> | undefined
  /** The value in a JSON file. */
  readonly original?: unknown
}

/** A file of rows, read but not yet interpreted. */
export interface RowFile {
  readonly name: string
  readonly format: 'csv' | 'tsv' | 'xlsx' | 'json' | 'ndjson'
  readonly encoding: string
  readonly hasMark: boolean
  /** For a table. */
  readonly delimiter: string
  /** For a table, with its row. */
  readonly header: readonly string[] | undefined
  readonly headerRow: number
  readonly rows: readonly FileRow[]
  readonly sheet: (SheetFacts & { readonly hiddenRows: readonly number[] }) | undefined
}

export interface ReadOptions {
  /** As {@link readEncoding} returns it. */
  readonly encoding?: string
  /** The name of a sheet. */
  readonly sheet?: string
  /** The row that names the columns. Default: the one that seems to. */
  readonly headerRow?: number
  /** Whether this row is a header, by its names. */
  readonly isHeader: (names: readonly string[]) => boolean
  /** Refuses names beside a JSON list. */
  readonly refuseBeside?: (names: readonly string[]) => void
  /** Whether rows that the sheet hides or strikes through are read. Default: they are. */
  readonly hidden?: 'include' | 'skip'
  /** Whether a person also chooses what has a default. */
  readonly isGuided?: boolean
}

const MAX_BYTES = 400_000_000
/* More columns are usually a mistake. */
const MAX_COLUMNS = 200
const MAX_TITLE_ROWS = 20

/** For the option --encoding. */
export function readEncoding(label: string): string {
  const encoding = encodingName(label)
  if (encoding !== undefined) return encoding
  throw new InvalidArgumentError('It must be a label of the Encoding standard, as in windows-1252 or shift_jis.')
}

/** @param file a path, or `-` for stdin @throws CliError if it cannot be read */
export async function readRowFile(io: Io, file: string, options: ReadOptions): Promise<RowFile> {
  const name = file === '-' ? 'stdin' : file
  const bytes = await bytesOf(io, file, name)
  if (bytes.indexOf(OPEN_DOCUMENT) === MIMETYPE_AT) {
    throw fileError('the file is an OpenDocument spreadsheet (.ods).', 'Save it as .xlsx, or as CSV in UTF-8.')
  }
  if (bytes.indexOf(ZIP) === 0) return { name, ...(await sheetOf(bytes, options)) }
  if (options.sheet !== undefined) throw fileError('the file is not an Excel workbook (.xlsx).', 'Leave out --sheet.')
  const { text, encoding, hasMark } = decode(bytes, options.encoding)
  if (text.trim() === '') throw fileError('the file is empty.', 'Its first line must name the columns.')
  if (/^\s*[[{]/.test(text)) return { name, encoding, hasMark, ...jsonOf(text, options) }
  const { lines, delimiter } = readTable(text, options.isHeader)
  const table = tableOf(lines, options)
  const format = delimiter === '\t' ? 'tsv' : 'csv'
  return { name, format, encoding, hasMark, delimiter, sheet: undefined, ...table }
}

const ZIP = Buffer.of(0x50, 0x4b, 0x03, 0x04)
/* It must be the first part of the archive, and not compressed. */
const OPEN_DOCUMENT = Buffer.from('mimetypeapplication/vnd.oasis.opendocument.')
const MIMETYPE_AT = 30

async function bytesOf({ stdin, interruption }: Io, file: string, name: string): Promise<Buffer> {
  try {
    const input: AsyncIterable<Uint8Array> =
      file === '-' ? stdin.bytes(interruption) : createReadStream(file, { signal: interruption })
    const pieces: Uint8Array[] = []
    let size = 0
    /* Counted as it arrives: a pipe has no size, and a file may grow. */
    for await (const piece of input) {
      size += piece.length
      if (size > MAX_BYTES) throw fileError(`${name} has more than 400 MB.`, 'Divide it into smaller files.')
      pieces.push(piece)
    }
    return Buffer.concat(pieces)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    const reason = systemCode(error) === 'EISDIR' ? 'it is a folder' : systemCode(error)
    throw fileError(`${name} cannot be read (${reason}).`, 'Give the path of a file that you may read, or - for stdin.')
  }
}

async function sheetOf(bytes: Buffer, options: ReadOptions): Promise<Omit<RowFile, 'name'>> {
  if (options.encoding !== undefined) throw fileError('the file is an Excel workbook.', 'Leave out --encoding.')
  /* Loaded on demand: the workbook reader is large. */
  const { readWorkbook } = await import('./workbook.ts')
  const { rows, facts } = await readWorkbook(bytes, options.sheet)
  if (options.isGuided === true && options.sheet === undefined && facts.sheets.length > 1) {
    throw fileError(
      `the workbook has ${facts.sheets.length} sheets.`,
      'Give one with --sheet.',
      sheetChoices(facts.sheets),
    )
  }
  const others = facts.sheets.filter((each) => each !== facts.name)
  const table = tableOf(rows, options, others)
  const hidden = rows.filter(({ row, isHidden }) => isHidden && row > table.headerRow).map(({ row }) => row)
  const skipped = new Set(options.hidden === 'skip' ? hidden : [])
  return {
    ...table,
    rows: table.rows.filter(({ row }) => !skipped.has(row)),
    format: 'xlsx',
    encoding: 'UTF-8',
    /* Its outputs are CSV, in which Excel recognises UTF-8 only by a byte order mark. */
    hasMark: true,
    delimiter: ',',
    sheet: { ...facts, hiddenRows: hidden },
  }
}

function sheetChoices(names: readonly string[]): readonly Choice[] {
  return names.map((name) => [`the sheet "${name}"`, '--sheet', name])
}

type Line = Pick<FileRow, 'row' | 'values' | 'dates'>

function tableOf(
  lines: readonly Line[],
  { headerRow, isHeader, sheet }: ReadOptions,
  otherSheets: readonly string[] = [],
): Pick<RowFile, 'header' | 'headerRow' | 'rows'> {
  const sheets =
    otherSheets.length === 0 ? '' : ` Other sheets: ${otherSheets.map((each) => `"${each}"`).join(', ')} (--sheet).`
  const isKnown = (line: Line) => isHeader(namesIn(line))
  const at = headerRow === undefined ? headerIn(lines, isKnown) : lines.findIndex(({ row }) => row === headerRow)
  const first = lines[at]
  if (first === undefined) {
    throw fileError(
      headerRow === undefined ? 'the sheet is empty.' : `the file has no values in row ${headerRow}.`,
      `Its first row must name the columns.${sheets}`,
    )
  }
  const header = uniqueNames(namesIn(first))
  if (header.length > MAX_COLUMNS) {
    throw fileError(`the header has more than ${MAX_COLUMNS} columns.`, 'Leave out the ones that are not needed here.')
  }
  if (headerRow === undefined && !isKnown(first))
    refuseOtherTables(lines, isHeader, sheets, sheet === undefined ? otherSheets : [])
  return {
    header,
    headerRow: first.row,
    rows: lines.slice(at + 1).map(({ values, ...line }) => ({ ...line, names: header, values })),
  }
}

function namesIn({ values }: Line): readonly string[] {
  return values.map((name) => String(name).trim())
}

/*
 * Some exports begin with titles. The header is the first row with a known heading, else the last one with text above the first
 * address, in its column. No row above the header has an address, because that may be a candidate.
 */
function headerIn(lines: readonly Line[], isKnown: (line: Line) => boolean): number {
  const address = lines.findIndex(hasAddress)
  const above = address === -1 ? lines : lines.slice(0, address)
  const known = above.slice(0, MAX_TITLE_ROWS).findIndex(isKnown)
  if (known !== -1) return known
  const column = lines[address]?.values.findIndex(isAddress) ?? -1
  const last = above.findLastIndex((line) => /\p{L}/u.test(namesIn(line)[column] ?? ''))
  return Math.max(0, last)
}

const hasAddress = ({ values }: Line) => values.some(isAddress)
const MAX_ADDRESS_LENGTH = 320

/** Whether a value is nothing but an address. */
export function isAddress(value: unknown): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(String(value).trim().slice(0, MAX_ADDRESS_LENGTH))
}

/* Other faults of a header are reported later. */
function refuseOtherTables(
  lines: readonly Line[],
  isHeader: ReadOptions['isHeader'],
  sheets: string,
  otherSheets: readonly string[],
): void {
  const [only, ...more] = lines[0]?.values ?? []
  if (more.length === 0 && /[,;\t|]/.test(String(only)) && isHeader(String(only).split(/[,;\t|]/))) {
    throw fileError(
      'each line is quoted as a whole: "a,b" instead of a,b.',
      'Export it again without these quotes, or remove the first and the last quote of each line.',
    )
  }
  if (sheets !== '' && !lines.some(hasAddress))
    throw fileError(
      `the first row of this sheet names no column for the e-mail address.${sheets}`,
      'Give the sheet that has the candidates with --sheet, or name the column with --map "Heading=email".',
      [...sheetChoices(otherSheets), ...columnChoices(lines[0]?.values.map(String) ?? [], 'email')],
    )
}

/** Columns that may be a field. */
export function columnChoices(names: readonly string[], field: string): readonly Choice[] {
  const shown = [...new Set(names)].filter((name) => name.trim() !== '')
  return shown.map((name) => [`the column "${name}"`, '--map', `${name}=${field}`])
}

function jsonOf(text: string, { headerRow, refuseBeside = () => {} }: ReadOptions) {
  if (headerRow !== undefined) throw fileError('the file is JSON, and has no header.', 'Leave out --header-row.')
  const { format, rows } = readJson(text, refuseBeside)
  rows.forEach(checkLength)
  return { format, delimiter: ',', header: undefined, headerRow: 0, rows: rows.map(jsonRow), sheet: undefined }
}

/* A candidate may be a nested object, as in the API. */
function jsonRow({ row, value: original }: { readonly row: number; readonly value: unknown }): FileRow {
  if (!isJsonObject(original)) return { row, names: [], values: [original], original }
  const fields = Object.entries(original).flatMap(([name, value]) =>
    name === 'candidate' && isJsonObject(value)
      ? Object.entries(value).map(([inner, each]) => [`candidate.${inner}`, each] as const)
      : [[name, value] as const],
  )
  return { row, names: fields.map(([name]) => name), values: fields.map(([, value]) => value), original }
}
