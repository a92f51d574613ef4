import type { Stream } from '../io.ts'
import { escapeControls, printable } from './printable.ts'
import { type Column, drawTable, tabSeparated } from './table.ts'

/** Rows that may be too many to hold: written as they come. */
export interface StreamedData<Row> {
  readonly rows: AsyncIterable<Row>
  /** For a pipe. */
  readonly columns: readonly Column<Row>[]
  /** For a terminal. */
  readonly drawn: readonly Column<Row>[]
  /** What --quiet prints of a row. */
  readonly id: (row: Row) => string
}

/** How rows are written. */
export interface StreamForm {
  readonly json: boolean
  readonly quiet: boolean
  readonly stdout: Pick<Stream, 'isTTY' | 'columns'>
  /** What a JSON document shows of a row. */
  readonly chosen: (row: unknown) => unknown
}

/* So much is written at once. */
const CHUNK_LENGTH = 65_536
/* A table needs its rows at once to be aligned; after so many the next one begins. */
const TABLE_ROWS = 1_000

/**
 * Writes rows in the form that is asked for: identifiers, one JSON array, tables, or tab-separated.
 *
 * @param write gives whether anybody still reads
 */
export async function writeRows<Row>(
  form: StreamForm,
  data: StreamedData<Row>,
  write: (text: string) => Promise<boolean>,
): Promise<void> {
  let chunk = ''
  for await (const text of textOf(form, data)) {
    chunk += text
    if (chunk.length < CHUNK_LENGTH) continue
    if (!(await write(chunk))) return
    chunk = ''
  }
  if (chunk !== '') await write(chunk)
}

async function* textOf<Row>({ json, quiet, stdout, chosen }: StreamForm, data: StreamedData<Row>) {
  const { rows, columns, drawn, id } = data
  if (quiet) for await (const row of rows) yield `${printable(id(row))}\n`
  else if (json) yield* arrayOf(rows, chosen, stdout.isTTY)
  else if (stdout.isTTY) for await (const page of pagesOf(rows)) yield drawTable(drawn, page, stdout.columns)
  else for await (const row of rows) yield tabSeparated(columns, [row])
}

/* What JSON.stringify makes of the whole list, a row at a time. */
async function* arrayOf<Row>(rows: AsyncIterable<Row>, chosen: StreamForm['chosen'], indented: boolean) {
  const [between, end] = indented ? [',\n  ', '\n]\n'] : [',', ']\n']
  let before = indented ? '[\n  ' : '['
  let isEmpty = true
  for await (const row of rows) {
    const text = escapeControls(JSON.stringify(chosen(row), null, indented ? 2 : 0))
    yield before + text.replaceAll('\n', '\n  ')
    before = between
    isEmpty = false
  }
  yield isEmpty ? '[]\n' : end
}

async function* pagesOf<Row>(rows: AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
  let page: Row[] = []
  for await (const row of rows) {
    page.push(row)
    if (page.length < TABLE_ROWS) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
