import { pipeline, Readable } from 'node:stream'
import { CsvError, type Info, type Options, parse } from 'csv-parse'
import { unescaped } from './csv.ts'
import { fileError } from './file-error.ts'
import { type Delimiter, type FileRecord, type Format, LONGEST_RECORD, type Records } from './file-record.ts'

/** Reads a table: its header now, its rows as they are asked for. */
export async function delimitedRecords(
  pieces: AsyncIterable<string>,
  start: string,
  asked: Format | undefined,
): Promise<Records> {
  /* Excel's own hint. */
  const hint = /^\s*sep=([,;\t])\n/.exec(start)
  const delimiter = (hint?.[1] as Delimiter | undefined) ?? delimiterOf(start, asked)
  const header: string[] = []
  const rows = recordsOf(pieces, header, delimiter, hint === null ? 1 : 2)
  const first = await rows.next()
  if (first.done !== true) header.push(...first.value.values.map((name) => name.trim()))
  return { format: delimiter === '\t' ? 'tsv' : 'csv', header, delimiter, rows }
}

/* Of the line with the names, outside of quotes, that which there is most of. */
function delimiterOf(start: string, asked: Format | undefined): Delimiter {
  if (asked === 'tsv') return '\t'
  const line =
    start
      .replaceAll(/"[^"]*"/g, '')
      .trimStart()
      .split('\n', 1)[0] ?? ''
  const candidates: readonly Delimiter[] = asked === 'csv' ? [',', ';'] : [',', ';', '\t']
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
  /* When the parser fails, what it has read before may not have come out yet. */
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
  /* Its types know of other records only where columns are named. */
  const parser = parse(options as object as Options)
  /* What goes wrong comes out of the parser. */
  pipeline(Readable.from(pieces), parser, () => {})
  try {
    yield* parser as AsyncIterable<TableRecord>
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const blank = (error['empty_lines'] as number) - last.empty_lines
    throw brokenTable(error, last.lines + blank + 1)
  }
}

/* A row is known by the line that it starts on; the parser says where it ends. */
function linesInside(record: readonly string[]): number {
  return record.reduce((sum, cell) => sum + (cell.includes('\n') ? cell.split('\n').length - 1 : 0), 0)
}

/* The words of the parser repeat what stands in the cells. */
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

const QUOTES = 'A value with quotes in it stands in quotes, and each of its own is doubled: "Ada ""the first"" Byron".'
