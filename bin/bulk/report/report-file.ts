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

/** The text of a report, in parts. */
export interface ReportForm<Row> {
  readonly head: string
  readonly row: (row: Row) => string
  readonly between: string
  readonly tail: (summary: object, rows: number) => string
}

/** What a table takes over from its input. */
export interface TableForm {
  readonly delimiter?: string | undefined
  /** Whether a byte order mark comes first. */
  readonly hasMark?: boolean
}

/** About the bytes of a row in a report. */
export const REPORTED_ROW_BYTES = 400

/** A writer for the format that the name of the file has. @throws CliError as {@link reportFormat} */
export function reportWriter<Row extends object>(file: AtomicFile, columns: readonly Column<Row>[]): ReportWriter<Row> {
  const form = reportForm(file.path, columns)
  let rows = 0
  file.write(form.head)
  return {
    row(row) {
      file.write((rows > 0 ? form.between : '') + form.row(row))
      rows += 1
    },
    end: (summary) => file.write(form.tail(summary, rows)),
  }
}

/** The form that belongs to the name of a file. @throws CliError as {@link reportFormat} */
export function reportForm<Row extends object>(
  path: string,
  columns: readonly Column<Row>[],
  { delimiter, hasMark = false }: TableForm = {},
): ReportForm<Row> {
  const format = reportFormat(path)
  if (format === '.ndjson') return { head: '', row: line, between: '', tail: line }
  if (format === '.json') {
    return {
      head: '{"rows":[\n',
      row: (row) => JSON.stringify(row),
      between: ',\n',
      tail: (summary, rows) => `${rows > 0 ? '\n' : ''}],"summary":${JSON.stringify(summary)}}\n`,
    }
  }
  const titles = columns.map(({ title }) => title)
  return {
    head: `${hasMark ? '\uFEFF' : ''}${csvLine(titles, delimiter)}`,
    row: (row) =>
      csvLine(
        columns.map((column) => cellText(column, row)),
        delimiter,
      ),
    between: '',
    tail: () => '',
  }
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`
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
