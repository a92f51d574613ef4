/**
 * Prints a heading and rows of text, in columns.
 *
 * @param {string} title
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
export function print(title, head, rows) {
  const widths = head.map((_name, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (/** @type {readonly string[]} */ row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  console.log(`\n${title}\n\n${[head, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n')}`)
}

/**
 * Prints whether a figure is within its bound.
 *
 * @param {string} what
 * @param {number} figure
 * @param {number} bound its maximum
 * @param {string} [unit]
 */
export function judge(what, figure, bound, unit = '×') {
  console.log(
    `${figure <= bound ? 'held  ' : 'missed'}  ${what}: ${inUnit(figure, unit)}, bound ${inUnit(bound, unit)}`,
  )
}

/**
 * Prints a figure that has no bound.
 *
 * @param {string} what
 * @param {number} figure
 * @param {string} [unit]
 */
export function note(what, figure, unit = '×') {
  console.log(`noted   ${what}: ${inUnit(figure, unit)}`)
}

const inUnit = (/** @type {number} */ value, /** @type {string} */ unit) =>
  unit === '×' ? `${value.toFixed(value < 0.1 ? 3 : 2)} ×` : `${value.toLocaleString('en')} ${unit}`

/**
 * The quantile of the values for this share; the median for a half.
 *
 * @param {readonly number[]} values
 * @param {number} [share]
 */
export function quantile(values, share = 0.5) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
