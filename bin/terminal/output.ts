import { styleText } from 'node:util'
import { CliError, codeOf, systemCode } from '../cli-error.ts'
import type { Io, Stream } from '../io.ts'
import { escapeControls, printable, wrap, wrapFor } from './text.ts'
import { type Column, drawTable, type Styling, tabSeparated } from './table.ts'

export type Fields = readonly (readonly [name: string, value: string])[]

/** The same data in all its forms. */
export interface Data<Row> {
  readonly value: unknown
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** For --quiet. */
  readonly ids?: readonly string[]
  /** For a terminal. Default: a table of the rows. */
  readonly draw?: (terminal: Terminal) => string
}

/** Draws for a person. */
export type Terminal = ReturnType<typeof terminalOn>

export type Output = ReturnType<typeof createOutput>

interface Style {
  readonly json: boolean
  readonly quiet?: boolean
}

const CHUNK_LENGTH = 65_536

/**
 * The output contract: data on stdout, everything else on stderr. With `--json` stdout is one JSON document; on a
 * terminal it is drawn for people; into a pipe, the same rows are tab-separated and uncut.
 */
export function createOutput(
  { stdout, stderr, env }: Pick<Io, 'stdout' | 'stderr' | 'env'>,
  { json, quiet = false }: Style,
) {
  const asDocument = (value: unknown) => `${escapeControls(JSON.stringify(value, null, stdout.isTTY ? 2 : 0))}\n`
  const render = <Row>({ value, columns, rows, ids = [], draw }: Data<Row>): string => {
    if (quiet) return ids.map((id) => `${printable(id)}\n`).join('')
    if (json) return asDocument(value)
    if (!stdout.isTTY) return tabSeparated(columns, rows)
    return draw === undefined ? terminalOn(stdout, env).table(columns, rows) : draw(terminalOn(stdout, env))
  }
  /* Resolves with whether the reader is still there. */
  const write = async (data: string, isOnlyCopy = false) => {
    try {
      await stdout.write(data)
      return true
    } catch (error) {
      /* The reader has gone, as in `certify … | head`, which is not a failure. */
      if (codeOf(error) === 'EPIPE' && !isOnlyCopy) return false
      const message = `the output could not be written (${systemCode(error)}).`
      throw outputError(message, 'Check where stdout goes, then run the command again.')
    }
  }
  const stream = async <Row>(what: StreamedData<Row>): Promise<void> => {
    let chunk = ''
    for await (const text of textOf(what, { json, quiet }, stdout, styling(stdout, env))) {
      chunk += text
      if (chunk.length < CHUNK_LENGTH) continue
      if (!(await write(chunk))) return
      chunk = ''
    }
    if (chunk !== '') await write(chunk)
  }
  return {
    json,
    /** Prints data: as JSON, drawn for a terminal, or as rows. */
    data: async <Row>(what: Data<Row>) => void (await write(render(what))),
    /** The same for rows that may not fit in memory. The JSON document is a list of them. */
    stream,
    /** Prints a JSON document. If it is the only copy, a reader that has gone is a failure too. */
    document: async (value: unknown, isOnlyCopy?: boolean) => void (await write(asDocument(value), isOnlyCopy)),
    text: async (text: string) => void (await write(text)),
    /** Prints a remark for a person, if both streams are a terminal. */
    remark: async (text: string) => {
      if (!json && !quiet && stdout.isTTY && stderr.isTTY) await say(stderr, `${wrapFor(text, stderr)}\n`)
    },
    warn: (text: string) =>
      say(stderr, `${wrapFor(`${styling(stderr, env)('yellow', 'warning:')} ${printable(text)}`, stderr)}\n`),
    /** Prints on stderr what a person must see before a question. */
    show: async (draw: (terminal: Terminal) => string) => say(stderr, draw(terminalOn(stderr, env))),
  }
}

/** Writes to stderr. A failure does not change the exit code. */
export function say(stderr: Stream, text: string): Promise<void> {
  return stderr.write(text).catch(() => {})
}

/** Styles text for a stream: by NO_COLOR and FORCE_COLOR, else if it is a terminal. */
export function styling(stream: Stream, env: Io['env']): Styling {
  const styled = hasColors(stream, env)
  return (style, text) => (styled ? styleText(style, text, { validateStream: false }) : text)
}

function hasColors(stream: Stream, env: Io['env']): boolean {
  const set = (name: string) => env[name] !== undefined && env[name] !== ''
  if (set('NO_COLOR')) return false
  if (set('FORCE_COLOR')) return env['FORCE_COLOR'] !== '0'
  return stream.isTTY && env['TERM'] !== 'dumb'
}

function terminalOn(stream: Stream, env: Io['env']) {
  const styled = styling(stream, env)
  return {
    styled,
    bold: (text: string) => styled('bold', printable(text)),
    dim: (text: string) => styled('dim', printable(text)),
    table: <Row>(columns: readonly Column<Row>[], rows: readonly Row[]) =>
      drawTable(columns, rows, stream.columns, styled),
    fields: (fields: Fields) => {
      const width = Math.max(...fields.map(([name]) => name.length))
      const indent = ' '.repeat(width + 4)
      const indented = (value: string) => wrap(indent + printable(value), indent, stream.columns).trimStart()
      return fields.map(([name, value]) => `  ${styled('dim', name.padEnd(width))}  ${indented(value)}\n`).join('')
    },
  }
}

export function outputError(message: string, hint: string, exitCode: 1 | 2 | 6 = 1): CliError {
  return new CliError(message, hint, { code: 'OUTPUT_FAILED', exitCode })
}

/** Rows that may not fit in memory. */
interface StreamedData<Row> {
  readonly rows: AsyncIterable<Row>
  readonly columns: readonly Column<Row>[]
  /** For a terminal. */
  readonly table: readonly Column<Row>[]
  readonly id: (row: Row) => string
  /** The lines of a file, instead of the table and of tab-separated values. */
  readonly file?: { readonly header: string; readonly line: (row: Row) => string }
}

/** Rows as identifiers, one JSON array, tables, or tab-separated; in pieces. */
async function* textOf<Row>(
  { rows, columns, table, id, file }: StreamedData<Row>,
  { json, quiet }: Style,
  stdout: Stream,
  styled: Styling,
) {
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
