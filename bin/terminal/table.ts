import measure from 'fast-string-truncated-width'
import { printable } from './printable.ts'

/** One column of a table. */
export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string
  /** Whether the text may be cut to fit the terminal: at its end, or in the middle where its end tells it apart. Links never are. */
  readonly cut?: boolean | 'middle'
  /** How narrow it may become by that, in cells. Default: 8. */
  readonly narrowest?: number
  /** Whether it may be left out to fit, the last before the others. Default: where it may be cut at its end. */
  readonly spare?: boolean
  /** What goes without saying: a column that has it in every row is left out before any other gives way. */
  readonly usual?: string
  /** What stands in its place where there is too little room for all that is whole. */
  readonly short?: Column<Row>
}

const GAP = '  '
const NARROWEST = 8

/** Draws rows for a terminal: aligned, with a heading, made to fit its width where the columns allow it. What is empty in every row is left out. */
export function drawTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string {
  const shown = layOut(columns.map((column) => measured(column, rows)).filter(isTelling), rows, width)
  const lines = [undefined, ...rows].map((_row, line) =>
    shown.map(({ texts, cut, whole }) => pad(texts[line] ?? '', whole, cut)),
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

/* A column with its texts, the title before the others, and how wide it is. */
interface Measured<Row> extends Column<Row> {
  readonly texts: readonly string[]
  readonly whole: number
  readonly narrowest: number
  readonly spare: boolean
}

function measured<Row>(column: Column<Row>, rows: readonly Row[]): Measured<Row> {
  const { title, cut, narrowest = NARROWEST, spare = cut === true } = column
  const texts = [title, ...rows.map((row) => cell(column, row))]
  const whole = Math.max(...texts.map((text) => measure(text).width))
  const least = cut === undefined || cut === false ? whole : Math.min(whole, Math.max(narrowest, title.length))
  return { ...column, texts, whole, narrowest: least, spare }
}

function isTelling<Row>({ texts: [, ...values] }: Measured<Row>): boolean {
  return values.length === 0 || values.some((value) => value !== '')
}

/*
 * Which columns are shown, and how wide. While there is too little room, the last before the others: what goes without
 * saying is left out, and what has a shorter form is shown in it; where cutting would not do, what may be is left out; the
 * rest is cut.
 */
function layOut<Row>(columns: readonly Measured<Row>[], rows: readonly Row[], width: number): readonly Measured<Row>[] {
  let shown = columns
  const excess = (size: 'whole' | 'narrowest') =>
    shown.reduce((sum, column) => sum + column[size] + GAP.length, -GAP.length) - width
  const replace = (column: Measured<Row>, ...by: readonly Measured<Row>[]) => {
    shown = shown.flatMap((each) => (each === column ? by : [each]))
  }
  for (const column of shown.toReversed()) {
    const { usual, texts } = column
    if (excess('whole') > 0 && texts.slice(1).every((text) => text === usual)) replace(column)
  }
  for (const column of shown.toReversed()) {
    if (excess('whole') > 0 && column.short !== undefined) replace(column, measured(column.short, rows))
  }
  for (const column of shown.toReversed()) if (excess('narrowest') > 0 && column.spare) replace(column)
  for (const column of shown.toReversed()) {
    const taken = Math.min(Math.max(0, excess('whole')), column.whole - column.narrowest)
    if (taken > 0) replace(column, { ...column, whole: column.whole - taken })
  }
  return shown
}

function pad(text: string, width: number, cut: Column<unknown>['cut']): string {
  const shown = measure(text).width > width ? shortened(text, width, cut === 'middle' ? (width - 1) >> 1 : 0) : text
  return shown + ' '.repeat(Math.max(0, width - measure(shown).width))
}

/* With so many cells of its end, at most. */
function shortened(text: string, width: number, endWidth: number): string {
  let end = ''
  for (const { segment } of [...new Intl.Segmenter().segment(text)].toReversed()) {
    if (measure(segment + end).width > endWidth) break
    end = segment + end
  }
  const { index } = measure(text, { limit: width - measure(end).width, ellipsis: '…' })
  return `${text.slice(0, index)}…${end}`
}
