import type { CsvError } from 'csv-parse'
import type { BulkOptions } from '../options/bulk-options.ts'
import { fileError } from './file-error.ts'
import { type Delimiter, MOST_COLUMNS, type Records } from './file-record.ts'
import { KeptLines } from './kept-lines.ts'
import { QUOTES } from './spanning-values.ts'
import { TableParser, type TableRecord } from './table-parser.ts'

/** Reads the header of a table. Its rows are read later. */
export async function delimitedRecords(
  pieces: AsyncIterable<string>,
  start: string,
  { format, skipInvalid = false }: Pick<BulkOptions, 'format' | 'skipInvalid'>,
): Promise<Records> {
  /* Excel's own line for the delimiter. */
  const hint = /^\s*sep=([,;\t])\n/.exec(start)
  const delimiter = (hint?.[1] as Delimiter | undefined) ?? delimiterOf(start, format)
  const header: string[] = []
  const rows = recordsOf(pieces, header, delimiter, hint === null ? 0 : 1, skipInvalid)
  const first = await rows.next()
  if (first.done !== true) header.push(...first.value.values.map((name) => name.trim()))
  if (header.length > MOST_COLUMNS) {
    throw fileError(`the header has more than ${MOST_COLUMNS} columns.`, 'Leave out those that are of no use here.')
  }
  return { format: delimiter === '\t' ? 'tsv' : 'csv', header, delimiter, rows }
}

/* The most frequent one in the header, outside of quotes. */
function delimiterOf(start: string, format: BulkOptions['format']): Delimiter {
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

async function* recordsOf(
  pieces: AsyncIterable<string>,
  names: readonly string[],
  delimiter: Delimiter,
  skipped: number,
  skipsBroken: boolean,
): AsyncGenerator<TableRecord> {
  const kept = new KeptLines(pieces)
  let parser = new TableParser(names, delimiter, 0, skipped)
  let broken = 0
  try {
    for (let text = await kept.next(); ; ) {
      const error = await parser.write(text)
      yield* parser.rows()
      if (error === undefined) {
        if (text === undefined) return
        kept.forgetBefore(parser.lastLine + 1)
        text = await kept.next()
        continue
      }
      const line = await kept.firstLineAfter(parser.lastLine, delimiter)
      const fault = faultOf(error, line)
      if (!skipsBroken || broken === MOST_BROKEN || fault === undefined || !(await kept.isFollowed(names, delimiter))) {
        throw brokenTable(error, line)
      }
      broken += 1
      yield { row: line, names, values: [kept.takeLine()], spanning: 0, broken: fault }
      parser = new TableParser(names, delimiter, line)
      text = kept.text
    }
  } finally {
    parser.close()
    await kept.close()
  }
}

/* Each one may read a megabyte again. */
const MOST_BROKEN = 1000

/* The faults that may be those of one line. */
function faultOf({ code, ...error }: CsvError, start: number): string | undefined {
  const isMiddle = code === 'INVALID_OPENING_QUOTE' || code === 'CSV_INVALID_CLOSING_QUOTE'
  const isLater = isMiddle && Number(error['lines']) > start
  if (code === 'CSV_QUOTE_NOT_CLOSED' || isLater) return 'opens a quote that is not closed'
  return isMiddle ? 'has a quote in the middle of a value' : undefined
}

/* The messages of the parser repeat the content of cells. */
function brokenTable(error: CsvError, start: number) {
  const row = `the row that starts on line ${start}`
  const line = Number(error['lines'])
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return fileError(`${row} opens a quote that is never closed.`, QUOTES)
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return fileError(`${row} is longer than 1 MiB.`, `Perhaps a quote is not closed. ${QUOTES}`)
  const fault = faultOf(error, line)
  if (fault !== undefined) {
    const opened = line > start ? `; it belongs to ${row}, where a quote opens` : ''
    return fileError(`line ${line} ${fault}${opened}.`, QUOTES)
  }
  return fileError(`line ${line} cannot be read as a row of a table (${error.code}).`, 'Correct it, or give --format.')
}
