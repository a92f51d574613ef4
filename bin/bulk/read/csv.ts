/*
 * A spreadsheet runs a cell with such a beginning as a formula. A quote before it prevents that, and spreadsheets hide it.
 * A cell that already has a quote gets another: so reading removes exactly what writing added.
 */
const FORMULA = /^'*[=+\-@\t\r\n\0＝＋－＠]/
const ESCAPED = /^'+[=+\-@\t\r\n\0＝＋－＠]/

/** A row of a CSV file that is safe in a spreadsheet. */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  return `${cells.map((cell) => quoted(escaped(cell), delimiter)).join(delimiter)}\r\n`
}

/** The value of a cell that {@link csvLine} wrote. */
export function unescaped(cell: string): string {
  return ESCAPED.test(cell) ? cell.slice(1) : cell
}

function escaped(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell
}

function quoted(cell: string, delimiter: string): string {
  return /["\r\n]/.test(cell) || cell.includes(delimiter) || cell !== cell.trim()
    ? `"${cell.replaceAll('"', '""')}"`
    : cell
}
