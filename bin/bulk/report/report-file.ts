import { extname } from 'node:path'
import { CliError } from '../../cli-error.ts'
import { type Column, cellText } from '../../terminal/table.ts'
import { csvLine } from '../read/csv.ts'
import type { AtomicFile } from './atomic-file.ts'

/** Writes rows, and the summary at the end. */
export interface ReportWriter<Row> {
  row(row: Row): void
  end(summary: object): void
}

/** About the bytes of a row in a report. */
export const REPORTED_ROW_BYTES = 400

/** A writer for the format that the name of the file has. @throws CliError as {@link reportFormat} */
export function reportWriter<Row extends object>(file: AtomicFile, columns: readonly Column<Row>[]): ReportWriter<Row> {
  const format = reportFormat(file.path)
  if (format === '.json') return jsonWriter(file)
  if (format === '.ndjson') {
    const line = (value: object) => file.write(`${JSON.stringify(value)}\n`)
    return { row: line, end: line }
  }
  file.write(csvLine(columns.map(({ title }) => title)))
  return { row: (row) => file.write(csvLine(columns.map((column) => cellText(column, row)))), end: () => {} }
}

/** @throws CliError if the name has no known format */
export function reportFormat(path: string): string {
  const format = extname(path).toLowerCase().replace('.jsonl', '.ndjson')
  if (['.csv', '.ndjson', '.json'].includes(format)) return format
  throw new CliError(
    '--report has to be the name of a file that ends in .csv, .ndjson or .json.',
    'Its ending is the format, as in --report out.csv.',
  )
}

function jsonWriter(file: AtomicFile): ReportWriter<object> {
  let before = '{"rows":[\n'
  return {
    row(row) {
      file.write(before + JSON.stringify(row))
      before = ',\n'
    },
    end(summary) {
      file.write(`${before.startsWith('{') ? before : '\n'}],"summary":${JSON.stringify(summary)}}\n`)
    },
  }
}
