/*
 * A spreadsheet runs a cell with such a beginning as a formula. A leading apostrophe prevents that, and spreadsheets
 * hide it. Excel takes its separator from the computer's locale, and a quote counts only at the beginning of a cell, so
 * text after a separator or line break inside a value may become a cell too. An existing apostrophe gets another one in
 * front, so that reading removes exactly what writing added.
 */
const CELL_START = String.raw`(^|[,;\t\r\n])("*)`
const FORMULA = '[=+\\-@\0＝＋－＠]'
const UNESCAPED = new RegExp(`${CELL_START}(?='*${FORMULA})`, 'g')
const ESCAPED = new RegExp(`${CELL_START}'(?='*${FORMULA})`, 'g')

/* White space that a spreadsheet may skip at the start of a value. */
const BLANK_START = /^'*[\t\r\n]/
const ESCAPED_BLANK_START = /^'+[\t\r\n]/

/** A row of a CSV file that is safe in a spreadsheet. */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  return `${cells.map((cell) => quoted(escaped(cell), delimiter)).join(delimiter)}\r\n`
}

/** The value of a cell that {@link csvLine} wrote. */
export function unescaped(cell: string): string {
  const inner = ESCAPED_BLANK_START.test(cell) ? cell.slice(1) : cell
  return inner.replaceAll(ESCAPED, '$1$2')
}

function escaped(cell: string): string {
  const inner = cell.replaceAll(UNESCAPED, "$1$2'")
  return BLANK_START.test(cell) ? `'${inner}` : inner
}

function quoted(cell: string, delimiter: string): string {
  return /["\r\n]/.test(cell) || cell.includes(delimiter) || cell !== cell.trim()
    ? `"${cell.replaceAll('"', '""')}"`
    : cell
}
