import { CsvError, type Info, type Options } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { withoutStacks } from '../parsing.ts'
import { unescaped } from './csv.ts'
import { fileError } from './faults.ts'

export type Delimiter = ',' | ';' | '\t' | '|'

/** A row of a table: its number, as a spreadsheet shows it, and its values. */
export interface Line {
  readonly row: number
  readonly values: readonly string[]
}

/** The maximum length of a row. A longer one usually has an unclosed quote. */
export const MAX_ROW_LENGTH: number = 2 ** 20

/**
 * Reads the rows of a table. A stray quote stops the file: later values may belong to other rows.
 *
 * @param isHeader whether names may be the header
 * @throws CliError
 */
export function readTable(
  text: string,
  isHeader: (names: readonly string[]) => boolean,
): { readonly lines: readonly Line[]; readonly delimiter: Delimiter } {
  /* Excel's own line for the delimiter, which it does not show. */
  const [hint, named] = /^\s*sep=([,;\t|])\n/.exec(text) ?? []
  const delimiter = (named as Delimiter | undefined) ?? delimiterOf(text, isHeader)
  let extra = hint === undefined ? 0 : breaksIn(hint)
  try {
    /* The parser counts the last line of a record. A spreadsheet shows one row for it. */
    const toLine = (record: string[], { lines: last }: Info): Line => {
      const breaks = record.reduce((sum, cell) => sum + breaksIn(cell), 0)
      if (breaks > 0) refuseSwallowedRows(record, last - breaks, delimiter)
      extra += breaks
      return { row: last - extra, values: record.map(unescaped) }
    }
    const options: Options = {
      delimiter,
      record_delimiter: '\n',
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      max_record_size: MAX_ROW_LENGTH,
      from_line: hint === undefined ? 1 : 2,
      on_record: toLine as unknown as NonNullable<Options['on_record']>,
    }
    return { delimiter, lines: withoutStacks(() => parse(text, options)) as unknown as readonly Line[] }
  } catch (error) {
    throw error instanceof CsvError ? brokenTable(error) : error
  }
}

/* The most frequent one in the first line that has any, outside quotes, of those that make a header of one of the first lines. */
function delimiterOf(text: string, isHeader: (names: readonly string[]) => boolean): Delimiter {
  const start = text.slice(0, MAX_ROW_LENGTH).trimStart()
  const plain = start.replaceAll(/"[^"]*"/g, '').split('\n', MAX_TITLE_ROWS)
  const first = plain.find((line) => /[,;\t|]/.test(line)) ?? ''
  const count = (delimiter: Delimiter) => first.split(delimiter).length
  const candidates = DELIMITERS.toSorted((one, other) => count(other) - count(one))
  const lines = start.split('\n', MAX_TITLE_ROWS)
  const namesOf = (line: string, delimiter: Delimiter) =>
    line.split(delimiter).map((name) => name.trim().replace(/^"(.*)"$/, '$1'))
  const found = candidates.find((each) => lines.some((line) => isHeader(namesOf(line, each))))
  return found ?? candidates[0] ?? ','
}

const DELIMITERS: readonly Delimiter[] = [',', ';', '\t', '|']
const MAX_TITLE_ROWS = 20

function breaksIn(cell: string): number {
  return cell.split('\n').length - 1
}

/* A quoted value that swallows other rows may be a mistake, which the next quote in the file happened to close. */
function refuseSwallowedRows(record: readonly string[], row: number, delimiter: Delimiter): void {
  let line = row
  for (const cell of record) {
    const last = line + breaksIn(cell)
    const fault = last === line ? undefined : swallowedRowsFault(cell, record.length, delimiter)
    if (fault !== undefined) {
      throw fileError(
        `the value in quotes from line ${line} to line ${last} ${fault}.`,
        `One of these two lines probably has a quote too many. ${QUOTES}`,
      )
    }
    line = last
  }
}

const QUOTES = 'Put a value with quotes into quotes, and double its own: "Ada ""the first"" Byron".'
const ADDRESS = /[^\s@<>"']@[^\s@<>"']+\.[^\s@<>"']/
const MAX_NOTE_LENGTH = 1000

function swallowedRowsFault(cell: string, width: number, delimiter: Delimiter): string | undefined {
  const [first = '', ...others] = cell.split('\n')
  /* A single comma is usual in a street address. */
  const delimiters = Math.max(2, width - 1)
  const isLikeRow =
    (first.includes(delimiter) && ADDRESS.test(first)) ||
    others.some((line) => ADDRESS.test(line) || line.split(delimiter).length > delimiters)
  if (isLikeRow) return 'contains what looks like rows'
  return cell.length > MAX_NOTE_LENGTH ? 'is longer than 1,000 characters' : undefined
}

/* The parser's messages repeat the content of cells. */
function brokenTable({ code, ...error }: CsvError) {
  const line = Number(error['lines'])
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return fileError(`the row up to line ${line} opens a quote that is never closed.`, QUOTES)
  if (code === 'CSV_MAX_RECORD_SIZE') {
    return fileError(`the row at line ${line} is longer than 1 MiB.`, `Perhaps a quote is not closed. ${QUOTES}`)
  }
  if (code === 'INVALID_OPENING_QUOTE' || code === 'CSV_INVALID_CLOSING_QUOTE') {
    return fileError(`line ${line} has a stray quote: in the middle of a value, or opened by an earlier line.`, QUOTES)
  }
  return fileError(`line ${line} cannot be read as a row of a table (${code}).`, 'Correct it there.')
}
