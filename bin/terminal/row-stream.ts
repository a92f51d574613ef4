import type { Stream } from '../io.ts'
import { escapeControls, printable } from './printable.ts'
import { type Column, drawTable, type Styling, tabSeparated } from './table.ts'

/** Rows that may not fit in memory. */
export interface StreamedData<Row> {
  readonly rows: AsyncIterable<Row>
  readonly columns: readonly Column<Row>[]
  /** For a terminal. */
  readonly table: readonly Column<Row>[]
  readonly id: (row: Row) => string
  /** The lines of a file, instead of the table and of tab-separated values. */
  readonly file?: { readonly header: string; readonly line: (row: Row) => string }
}

export interface StreamForm {
  readonly json: boolean
  readonly quiet: boolean
  readonly stdout: Pick<Stream, 'isTTY' | 'columns'>
  readonly styled: Styling
}

/** Rows as identifiers, one JSON array, tables, or tab-separated; in pieces. */
export async function* textOf<Row>({ json, quiet, stdout, styled }: StreamForm, data: StreamedData<Row>) {
  const { rows, columns, table, id, file } = data
  if (quiet) for await (const row of rows) yield `${printable(id(row))}\n`
  else if (json) yield* arrayOf(rows, stdout.isTTY)
  else if (file !== undefined) {
    yield file.header
    for await (const row of rows) yield file.line(row)
  } else if (stdout.isTTY) {
    const all: Row[] = []
    for await (const row of rows) all.push(row)
    if (all.length > 0) yield drawTable(table, all, stdout.columns, styled)
  } else for await (const row of rows) yield tabSeparated(columns, [row])
}

/* The text that JSON.stringify would give for the list, row by row. */
async function* arrayOf<Row>(rows: AsyncIterable<Row>, indented: boolean) {
  const [between, end] = indented ? [',\n  ', '\n]\n'] : [',', ']\n']
  let before = indented ? '[\n  ' : '['
  let isEmpty = true
  for await (const row of rows) {
    const text = escapeControls(JSON.stringify(row, null, indented ? 2 : 0))
    yield before + text.replaceAll('\n', '\n  ')
    before = between
    isEmpty = false
  }
  yield isEmpty ? '[]\n' : end
}
