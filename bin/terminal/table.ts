import measure from 'fast-string-truncated-width'
import { printable } from './text.ts'

/** One column of a table. */
export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string
  /** Whether the text may be cut, or left out, to fit the terminal. Identifiers and links never are. */
  readonly cut?: boolean
}

const GAP = '  '
const NARROWEST = 8

/** Draws rows for a terminal: aligned, with a heading, made to fit its width where the columns allow it. */
export function drawTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string {
  const drawn = columns.map((column) => [column.title, ...rows.map((row) => cell(column, row))])
  const widths = drawn.map((texts) => Math.max(...texts.map((text) => measure(text).width)))
  const narrowest = columns.map(({ title, cut }) => (cut === true ? Math.max(NARROWEST, title.length) : undefined))
  const shown = layOut(widths, narrowest, width)
  const lines = [undefined, ...rows].map((_row, line) =>
    drawn.flatMap((texts, index) => (shown.has(index) ? [pad(texts[line] ?? '', shown.get(index) ?? 0)] : [])),
  )
  return lines.map((texts) => `${texts.join(GAP).trimEnd()}\n`).join('')
}

/** Writes rows for a program: tabs between whole values, no heading. */
export function tabSeparated<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return rows.map((row) => `${columns.map((column) => cell(column, row)).join('\t')}\n`).join('')
}

function cell<Row>(column: Column<Row>, row: Row): string {
  return printable(column.value(row))
}

/*
 * Which columns are shown, and how wide: what is too much is taken from the last that may be cut, then from the one
 * before it; when all are at their narrowest, the last of them is left out, and so on.
 */
function layOut(
  widths: readonly number[],
  narrowest: readonly (number | undefined)[],
  width: number,
): Map<number, number> {
  const shown = new Map(widths.entries())
  const excess = () => [...shown.values()].reduce((sum, each) => sum + each + GAP.length, -GAP.length) - width
  const cuttable = () => [...shown.keys()].filter((index) => narrowest[index] !== undefined).toReversed()
  for (const index of cuttable()) {
    const own = shown.get(index) ?? 0
    if (excess() > 0) shown.set(index, Math.min(own, Math.max(own - excess(), narrowest[index] ?? own)))
  }
  for (const index of cuttable()) if (excess() > 0) shown.delete(index)
  return shown
}

function pad(text: string, width: number): string {
  const { index, ellipsed } = measure(text, { limit: width, ellipsis: '…' })
  const shown = ellipsed ? `${text.slice(0, index)}…` : text
  return shown + ' '.repeat(Math.max(0, width - measure(shown).width))
}
