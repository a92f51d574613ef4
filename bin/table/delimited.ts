import { CsvError, type Info, type Options } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { withoutStacks } from '../without-stacks.ts'
import { unescaped } from './csv.ts'
import { fileError } from './file-error.ts'

export type Delimiter = ',' | ';' | '\t'

/** A line of a table: its first line in the file, and its values. */
export interface Line {
  readonly row: number
  readonly values: readonly string[]
}

/** The maximum length of a row. A longer one usually has an unclosed quote. */
export const LONGEST_ROW: number = 2 ** 20

/** Reads the lines of a table. A stray quote stops the file: later values may belong to other rows. @throws CliError */
export function readTable(text: string): { readonly lines: readonly Line[]; readonly delimiter: Delimiter } {
  /* Excel's own line for the delimiter. */
  const [hint, named] = /^\s*sep=([,;\t])\n/.exec(text) ?? []
  const delimiter = (named as Delimiter | undefined) ?? delimiterOf(text)
  try {
    const toLine = (record: string[], { lines: last }: Info) => lineOf(record, last, delimiter)
    const options: Options = {
      delimiter,
      record_delimiter: '\n',
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      max_record_size: LONGEST_ROW,
      from_line: hint === undefined ? 1 : 2,
      on_record: toLine as unknown as NonNullable<Options['on_record']>,
    }
    return { delimiter, lines: withoutStacks(() => parse(text, options)) as unknown as readonly Line[] }
  } catch (error) {
    throw error instanceof CsvError ? brokenTable(error) : error
  }
}

/* The most frequent one in the first line, outside quotes. */
function delimiterOf(text: string): Delimiter {
  const start = text.slice(0, LONGEST_ROW).replaceAll(/"[^"]*"/g, '')
  const [line = ''] = start.trimStart().split('\n', 1)
  const candidates = [',', ';', '\t'] as const
  const counts = candidates.map((each) => line.split(each).length)
  return candidates[counts.indexOf(Math.max(...counts))] ?? ','
}

/* The parser counts the last line of a record. */
function lineOf(record: readonly string[], lastLine: number, delimiter: Delimiter): Line {
  const breaks = record.reduce((sum, cell) => sum + breaksIn(cell), 0)
  const row = lastLine - breaks
  if (breaks > 0) refuseSwallowedRows(record, row, delimiter)
  return { row, values: record.map(unescaped) }
}

function breaksIn(cell: string): number {
  return cell.split('\n').length - 1
}

/* A quoted value that swallows other rows may be a mistake, which the next quote in the file happened to close. */
function refuseSwallowedRows(record: readonly string[], row: number, delimiter: Delimiter): void {
  let line = row
  for (const cell of record) {
    const last = line + breaksIn(cell)
    const fault = last === line ? undefined : swallowed(cell, record.length, delimiter)
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
const LONGEST_NOTE = 1000

function swallowed(cell: string, width: number, delimiter: Delimiter): string | undefined {
  const [first = '', ...others] = cell.split('\n')
  /* A single comma is usual in a street address. */
  const delimiters = Math.max(2, width - 1)
  const isLikeRow =
    (first.includes(delimiter) && ADDRESS.test(first)) ||
    others.some((line) => ADDRESS.test(line) || line.split(delimiter).length > delimiters)
  if (isLikeRow) return 'contains what looks like rows'
  return cell.length > LONGEST_NOTE ? 'is longer than 1,000 characters' : undefined
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
