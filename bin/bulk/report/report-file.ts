import { extname } from 'node:path'
import { CliError } from '../../cli-error.ts'
import { csvLine } from '../read/csv.ts'
import type { AtomicFile } from './atomic-file.ts'
import { type ReportedRow, reportColumns } from './reported-row.ts'

/** Writes rows, and in the end what they came to. */
export interface Report {
  row(row: ReportedRow): void
  end(summary: object): void
}

/** How many bytes a row may take in a report, about. */
export const REPORTED_ROW_BYTES = 400

/** A report in the format that the name of its file says. @throws CliError for another one */
export function reportInto(file: AtomicFile, includeLinks: boolean): Report {
  const format = reportFormat(file.path)
  if (format === '.json') return jsonReport(file)
  if (format === '.ndjson') {
    const line = (value: object) => file.write(`${JSON.stringify(value)}\n`)
    return { row: line, end: line }
  }
  const columns = reportColumns(includeLinks)
  file.write(csvLine(columns.map(({ title }) => title)))
  return { row: (row) => file.write(csvLine(columns.map(({ value }) => value(row)))), end: () => {} }
}

/** @throws CliError for a name that says no format */
export function reportFormat(path: string): string {
  const format = extname(path).toLowerCase().replace('.jsonl', '.ndjson')
  if (['.csv', '.ndjson', '.json'].includes(format)) return format
  throw new CliError(
    '--report has to be the name of a file that ends in .csv, .ndjson or .json.',
    'Its ending says the format, as in --report out.csv.',
  )
}

function jsonReport(file: AtomicFile): Report {
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
