import measure from 'fast-string-truncated-width'
import { printable } from './text.ts'

/** One column of a table. */
export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string
  /** Whether the text may be cut to fit the terminal. Identifiers and links never are. */
  readonly cut?: boolean
}

const GAP = '  '
const NARROWEST = 12

/** Draws rows for a terminal: aligned, with a heading, cut to its width where a column allows it. */
export function drawTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string {
  const cells = [columns.map(({ title }) => title), ...rows.map((row) => columns.map((column) => cell(column, row)))]
  const widths = columns.map((_column, index) => Math.max(...cells.map((line) => measure(line[index] ?? '').width)))
  narrow(columns, widths, width)
  return cells
    .map(
      (line) =>
        `${line
          .map((text, index) => pad(text, widths[index] ?? 0))
          .join(GAP)
          .trimEnd()}\n`,
    )
    .join('')
}

/** Writes rows for a program: tabs between whole values, no heading. */
export function tabSeparated<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return rows.map((row) => `${columns.map((column) => cell(column, row)).join('\t')}\n`).join('')
}

function cell<Row>(column: Column<Row>, row: Row): string {
  return printable(column.value(row))
}

/* Takes what is missing from the last column that may be cut, then from the one before it. */
function narrow<Row>(columns: readonly Column<Row>[], widths: number[], width: number): void {
  for (let index = columns.length - 1; index >= 0; index -= 1) {
    const excess = widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1)) - width
    const own = widths[index] ?? 0
    if (excess > 0 && columns[index]?.cut === true) widths[index] = Math.min(own, Math.max(own - excess, NARROWEST))
  }
}

function pad(text: string, width: number): string {
  const { index, ellipsed, width: shown } = measure(text, { limit: width, ellipsis: '…' })
  return `${text.slice(0, index)}${ellipsed ? '…' : ''}${' '.repeat(Math.max(0, width - shown))}`
}
