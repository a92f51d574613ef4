import measure from 'fast-string-truncated-width'
import { printable } from './printable.ts'

/** A value of a table. `null` and `undefined` are an empty cell, a list has commas. */
export type Cell = string | number | boolean | null | undefined | readonly string[]

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => Cell
  /** Whether the text may be cut to fit the terminal: at its end, or in the middle if its end matters. Links never are. */
  readonly cut?: boolean | 'middle'
  /** The least width after a cut, in cells. Default: 8. */
  readonly narrowest?: number
  /** Whether it may be left out to fit; the last column first. Default: if it may be cut at its end. */
  readonly spare?: boolean
  /** What a terminal shows in place of `null`. Default: nothing. */
  readonly absent?: string
  /** The ordinary value. A column that has it in every row is the first to be left out. */
  readonly usual?: string
  /** The column to show instead if there is too little room. */
  readonly short?: Column<Row>
}

export function fieldColumns<Row>(
  fields: Readonly<Record<string, keyof { [Key in keyof Row as Row[Key] extends Cell ? Key : never]: Key }>>,
): readonly Column<Row>[] {
  return Object.entries(fields).map(([title, field]) => ({ title, value: (row) => row[field as keyof Row] as Cell }))
}

/** The columns of names with their values. */
export function namedValues(title: string): readonly Column<readonly [name: string, value: Cell]>[] {
  return [
    { title, value: ([name]) => name },
    { title: 'VALUE', value: ([, value]) => value },
  ]
}

const GAP = '  '
const NARROWEST = 8

/** Draws rows for a terminal: aligned, with a heading, cut to its width if the columns allow it. Empty columns are left out. */
export function drawTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string {
  const shown = layOut(columns.map((column) => measured(column, rows)).filter(hasValues), rows, width)
  const lines = [undefined, ...rows].map((_row, line) =>
    shown.map(({ texts, cut, whole }) => pad(texts[line] ?? '', whole, cut)),
  )
  return lines.map((texts) => `${texts.join(GAP).trimEnd()}\n`).join('')
}

/** Draws a row for a terminal as lines of a title and a value, and a blank line. Empty values are left out. */
export function drawLines<Row>(columns: readonly Column<Row>[], row: Row): string {
  const width = Math.max(...columns.map(({ title }) => title.length))
  const lines = columns.flatMap((column) => {
    const text = cell(column, row)
    return text === '' ? [] : [`${column.title.padEnd(width)}${GAP}${text}\n`]
  })
  return `${lines.join('')}\n`
}

/** Rows for a program: whole values with tabs between them, no heading. */
export function tabSeparated<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return rows.map((row) => `${columns.map((column) => cell(column, row)).join('\t')}\n`).join('')
}

function cell<Row>(column: Column<Row>, row: Row): string {
  return printable(cellText(column, row))
}

/** The text of a value, with its control characters. */
export function cellText<Row>({ value }: Column<Row>, row: Row): string {
  return String(value(row) ?? '')
}

/* A column with its texts, the title first, and its width. */
interface Measured<Row> extends Column<Row> {
  readonly texts: readonly string[]
  readonly whole: number
  readonly narrowest: number
  readonly spare: boolean
}

function measured<Row>(column: Column<Row>, rows: readonly Row[]): Measured<Row> {
  const { title, cut, narrowest = NARROWEST, spare = cut === true } = column
  const texts = [title, ...rows.map((row) => (column.value(row) === null ? (column.absent ?? '') : cell(column, row)))]
  const whole = Math.max(...texts.map((text) => measure(text).width))
  const least = cut === undefined || cut === false ? whole : Math.min(whole, Math.max(narrowest, title.length))
  return { ...column, texts, whole, narrowest: least, spare }
}

function hasValues<Row>({ texts: [, ...values] }: Measured<Row>): boolean {
  return values.length === 0 || values.some((value) => value !== '')
}

/*
 * Chooses the columns and their widths. While there is too little room, from the last column to the first: columns with
 * ordinary values go, short forms replace long ones, spare columns go if cutting is not enough, and the rest is cut.
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

/* Keeps at most `endWidth` cells of its end. */
function shortened(text: string, width: number, endWidth: number): string {
  let end = ''
  /* Only the end is divided: some versions of Node copy the text for each of its characters. */
  const last = text.slice(-LONGEST_CHARACTER * (endWidth + 1))
  for (const { segment } of [...new Intl.Segmenter().segment(last)].toReversed()) {
    if (measure(segment + end).width > endWidth) break
    end = segment + end
  }
  const { index } = measure(text, { limit: width - measure(end).width, ellipsis: '…' })
  return `${text.slice(0, index)}…${end}`
}

/* In UTF-16 units: an emoji of a family has 11. */
const LONGEST_CHARACTER = 16
