import { pipeline, Readable } from 'node:stream'
import { CsvError, type Info, type Options, parse } from 'csv-parse'
import type { Format } from '../options/bulk-options.ts'
import { unescaped } from './csv.ts'
import { fileError } from './file-error.ts'
import { type Delimiter, type FileRecord, LONGEST_RECORD, type Records } from './file-record.ts'

/** Reads the header of a table. Its rows are read later. */
export async function delimitedRecords(
  pieces: AsyncIterable<string>,
  start: string,
  format: Format | undefined,
): Promise<Records> {
  /* Excel's own line for the delimiter. */
  const hint = /^\s*sep=([,;\t])\n/.exec(start)
  const delimiter = (hint?.[1] as Delimiter | undefined) ?? delimiterOf(start, format)
  const header: string[] = []
  const rows = recordsOf(pieces, header, delimiter, hint === null ? 1 : 2)
  const first = await rows.next()
  if (first.done !== true) header.push(...first.value.values.map((name) => name.trim()))
  return { format: delimiter === '\t' ? 'tsv' : 'csv', header, delimiter, rows }
}

/* The most frequent one in the header, outside of quotes. */
function delimiterOf(start: string, format: Format | undefined): Delimiter {
  if (format === 'tsv') return '\t'
  const line =
    start
      .replaceAll(/"[^"]*"/g, '')
      .trimStart()
      .split('\n', 1)[0] ?? ''
  const candidates: readonly Delimiter[] = format === 'csv' ? [',', ';'] : [',', ';', '\t']
  const counts = candidates.map((each) => line.split(each).length)
  return candidates[counts.indexOf(Math.max(...counts))] ?? ','
}

interface TableRecord extends FileRecord {
  readonly values: readonly string[]
}

async function* recordsOf(
  pieces: AsyncIterable<string>,
  names: readonly string[],
  delimiter: Delimiter,
  fromLine: number,
): AsyncGenerator<TableRecord> {
  /* The last row that the parser has read: when it fails, that row may not have been yielded yet. */
  let last: Pick<Info, 'lines' | 'empty_lines'> = { lines: fromLine - 1, empty_lines: 0 }
  const options: Options<TableRecord, string[]> = {
    delimiter,
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    max_record_size: LONGEST_RECORD,
    from_line: fromLine,
    on_record: (record, info) => {
      last = info
      return { row: info.lines - linesInside(record), names, values: record.map(unescaped) }
    },
  }
  /* Its types allow other records only with named columns. */
  const parser = parse(options as object as Options)
  /* The parser throws every error. */
  pipeline(Readable.from(pieces), parser, () => {})
  try {
    yield* parser as AsyncIterable<TableRecord>
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const blank = (error['empty_lines'] as number) - last.empty_lines
    throw brokenTable(error, last.lines + blank + 1)
  }
}

/* A row has the number of its first line; the parser has that of its last one. */
function linesInside(record: readonly string[]): number {
  return record.reduce((sum, cell) => sum + (cell.includes('\n') ? cell.split('\n').length - 1 : 0), 0)
}

/* The messages of the parser repeat the content of cells. */
function brokenTable({ code, lines }: CsvError, start: number) {
  const row = `the row that starts on line ${start}`
  const line = `line ${Number(lines)}`
  if (code === 'CSV_QUOTE_NOT_CLOSED') return fileError(`${row} opens a quote that is never closed.`, QUOTES)
  if (code === 'CSV_MAX_RECORD_SIZE')
    return fileError(`${row} is longer than 1 MiB.`, `Perhaps a quote is not closed. ${QUOTES}`)
  if (code === 'INVALID_OPENING_QUOTE' || code === 'CSV_INVALID_CLOSING_QUOTE') {
    return fileError(`${line} has a quote in the middle of a value.`, QUOTES)
  }
  return fileError(`${line} cannot be read as a row of a table (${code}).`, 'Correct it, or give --format.')
}

const QUOTES = 'Put a value with quotes into quotes, and double its own: "Ada ""the first"" Byron".'
