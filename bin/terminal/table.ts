import measure from 'fast-string-truncated-width'
import { printable } from './text.ts'

/** A value of a table. `null` and `undefined` are an empty cell, a list has commas. */
export type Cell = string | number | boolean | null | undefined | readonly string[]

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => Cell
  /** What the reference calls it. Default: the title. */
  readonly note?: string | undefined
  /**
   * What happens if the terminal is too narrow: `end` and `middle` cut the text, but not below `narrowest`; `drop`
   * leaves the column out, the last one first. Default: it is never cut, as for links and identifiers.
   */
  readonly fit?: 'end' | 'middle' | 'drop'
  /** In cells. Default: 8. */
  readonly narrowest?: number
  /** What a terminal shows for `null`. Default: nothing. */
  readonly absent?: string
  /** The color of a cell on a terminal. */
  readonly color?: (row: Row) => Emphasis | undefined
}

/** What a terminal may do to a text. */
export type Emphasis = 'bold' | 'dim' | 'red' | 'yellow' | 'green'
export type Styling = (style: Emphasis, text: string) => string

type Field<Row> = keyof { [Key in keyof Row as Row[Key] extends Cell ? Key : never]: Key }

/** Columns of fields: by their titles, or with titles that say the names of the fields. */
export function fieldColumns<Row>(
  fields: Readonly<Record<string, Field<Row>>> | readonly Field<Row>[],
  notes: Readonly<Record<string, string>> = {},
): readonly Column<Row>[] {
  const titled = Array.isArray(fields) ? fields.map((field) => [titleOf(String(field)), field] as const) : undefined
  return (titled ?? Object.entries(fields)).map(([title, field]) => ({
    title,
    value: (row) => row[field as keyof Row] as Cell,
    note: notes[title],
  }))
}

function titleOf(field: string): string {
  return field === 'email' ? 'E-MAIL' : field.replaceAll(/[A-Z]/g, ' $&').toUpperCase()
}

/** The columns in words, as the reference lists them. */
export function columnNames(columns: readonly Column<never>[]): string {
  return columns.map(({ title, note = title.toLowerCase() }) => note).join(', ')
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
export function drawTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
  styled: Styling,
): string {
  const all = columns.map((column) => measured(column, rows))
  const filled = all.filter(({ texts: [, ...values] }) => rows.length === 0 || values.some((value) => value !== ''))
  const shown = fitted(filled, width)
  const lines = [undefined, ...rows].map((row, line) =>
    shown.map(({ texts, column, width: cells }) => {
      const text = pad(texts[line] ?? '', cells, column.fit)
      const color = row === undefined ? undefined : column.color?.(row)
      return color === undefined ? text : styled(color, text)
    }),
  )
  return lines.map((texts) => `${texts.join(GAP).trimEnd()}\n`).join('')
}

/** Rows for a program: uncut, tab-separated values without a heading. */
export function tabSeparated<Row>(columns: readonly Column<Row>[], rows: readonly Row[], separator = '\t'): string {
  return rows.map((row) => `${columns.map((column) => cell(column, row)).join(separator)}\n`).join('')
}

function cell<Row>(column: Column<Row>, row: Row): string {
  return printable(cellText(column, row))
}

/** The text of a value, with its control characters. */
export function cellText<Row>({ value }: Column<Row>, row: Row): string {
  return String(value(row) ?? '')
}

/* A column with its texts, the title first, and its width. */
interface Measured<Row> {
  readonly column: Column<Row>
  readonly texts: readonly string[]
  readonly width: number
  readonly least: number
}

function measured<Row>(column: Column<Row>, rows: readonly Row[]): Measured<Row> {
  const { title, fit, narrowest = NARROWEST, absent = '' } = column
  const texts = [title, ...rows.map((row) => (column.value(row) === null ? absent : cell(column, row)))]
  const width = Math.max(...texts.map((text) => measure(text).width))
  const isCut = fit === 'end' || fit === 'middle'
  return { column, texts, width, least: isCut ? Math.min(width, Math.max(narrowest, title.length)) : width }
}

/* From the last column to the first: columns are dropped until cutting is enough, then the rest are cut. */
function fitted<Row>(columns: readonly Measured<Row>[], width: number): readonly Measured<Row>[] {
  let shown = columns
  const excess = (size: 'width' | 'least') =>
    shown.reduce((sum, each) => sum + each[size] + GAP.length, -GAP.length) - width
  for (const each of columns.toReversed()) {
    if (excess('least') > 0 && each.column.fit === 'drop') shown = shown.filter((other) => other !== each)
  }
  for (const each of shown.toReversed()) {
    const taken = Math.min(Math.max(0, excess('width')), each.width - each.least)
    shown = shown.map((other) => (other === each ? { ...each, width: each.width - taken } : other))
  }
  return shown
}

function pad(text: string, width: number, fit: Column<unknown>['fit']): string {
  const shown = measure(text).width > width ? shortened(text, width, fit === 'middle' ? (width - 1) >> 1 : 0) : text
  return shown + ' '.repeat(Math.max(0, width - measure(shown).width))
}

/* Keeps at most `endWidth` cells of its end. */
function shortened(text: string, width: number, endWidth: number): string {
  let end = ''
  /* Only the end is split: some versions of Node copy the text for each of its characters. */
  const last = text.slice(-MAX_CHARACTER_LENGTH * (endWidth + 1))
  for (const { segment } of [...new Intl.Segmenter().segment(last)].toReversed()) {
    if (measure(segment + end).width > endWidth) break
    end = segment + end
  }
  const { index } = measure(text, { limit: width - measure(end).width, ellipsis: '…' })
  return `${text.slice(0, index)}…${end}`
}

/* In UTF-16 code units: a family emoji has 11. */
const MAX_CHARACTER_LENGTH = 16
