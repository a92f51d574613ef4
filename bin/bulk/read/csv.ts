/*
 * A spreadsheet takes a cell that begins like this for a formula, whoever wrote it. The mark in front of it is one that
 * spreadsheets hide; a mark that was there before gets another, so that reading takes away exactly what writing put.
 */
const FORMULA = /^'*[=+\-@\t\r\n\0＝＋－＠]/
const ESCAPED = /^'+[=+\-@\t\r\n\0＝＋－＠]/

/** A row of a CSV file, safe to be opened in a spreadsheet. */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  return `${cells.map((cell) => quoted(escaped(cell), delimiter)).join(delimiter)}\r\n`
}

/** What a cell meant before {@link csvLine} wrote it. */
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
