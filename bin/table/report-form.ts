import { existsSync, realpathSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { CliError } from '../cli-error.ts'
import { type Column, cellText } from '../terminal/table.ts'
import { csvLine } from './csv.ts'

/** What a table takes over from its input. */
export interface TableForm {
  readonly delimiter?: string
  /** Whether a byte order mark comes first. */
  readonly hasMark?: boolean
}

/** The text of a report, in the format that the name of its file has. @throws CliError as {@link reportFormat} */
export function reportText<Row extends object>(
  path: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  summary: object,
  { delimiter, hasMark = false }: TableForm = {},
): string {
  const format = reportFormat(path)
  if (format === '.ndjson') return [...rows, summary].map((each) => `${JSON.stringify(each)}\n`).join('')
  if (format === '.json') {
    const lines = rows.map((row) => JSON.stringify(row)).join(',\n')
    return `{"rows":[\n${lines}${rows.length > 0 ? '\n' : ''}],"summary":${JSON.stringify(summary)}}\n`
  }
  const titles = columns.map(({ title }) => title)
  const lines = rows.map((row) => columns.map((column) => cellText(column, row)))
  return (hasMark ? '\uFEFF' : '') + [titles, ...lines].map((cells) => csvLine(cells, delimiter)).join('')
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

/** One file would overwrite another. @throws CliError */
export function refuseSame(files: readonly (readonly [name: string, path: string | undefined])[]): void {
  const places = new Map<string, string>()
  for (const [name, path] of files) {
    if (path === undefined || path === '-') continue
    const place = existsSync(path) ? realpathSync(path) : resolve(path)
    const other = places.get(place)
    if (other !== undefined) {
      throw new CliError(`${name} is the same file as ${other}.`, 'Give each a name of its own.')
    }
    places.set(place, name)
  }
}
