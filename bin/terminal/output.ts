import { createColors } from 'picocolors'
import { CliError, codeOf, systemCode } from '../cli-error.ts'
import { wrap, wrapFor } from '../help/wrap.ts'
import type { Io, Stream } from '../io.ts'
import { escapeControls, printable } from './printable.ts'
import { type StreamedData, writeRows } from './row-stream.ts'
import { type Column, drawTable, tabSeparated } from './table.ts'

export type Fields = readonly (readonly [name: string, value: string])[]

/**
 * The output contract: data on stdout, everything else on stderr. With `--json` stdout is one JSON document; on a
 * terminal it is drawn for people; into a pipe the same rows go tab-separated and whole.
 */
export interface Output {
  readonly json: boolean
  /** Prints data that can be fetched again: as JSON, drawn for a terminal, or as rows. */
  data<Row>(what: Data<Row>): Promise<void>
  /** As {@link data}, for rows that may be too many for the memory. The JSON document is the list of them. */
  stream<Row>(what: StreamedData<Row>): Promise<void>
  document(value: unknown, copies: 'only-copy' | 'can-be-fetched-again'): Promise<void>
  text(text: string): Promise<void>
  /**
   * Prints data that exists nowhere else: if stdout or the filter fails, it goes to stderr and the command fails. Resolves
   * with what was printed.
   *
   * @param needed what it must not leave out
   */
  onlyCopy<Row>(what: Data<Row>, needed?: readonly string[]): Promise<string>
  /** Prints a remark for a person, if both streams are a terminal. */
  remark(text: string): Promise<void>
  warn(text: string): Promise<void>
  /** Prints on stderr what a person must see before a question. */
  show(draw: (terminal: Terminal) => string): Promise<void>
}

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

export interface Terminal {
  bold(text: string): string
  dim(text: string): string
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string
  fields(fields: Fields): string
}

export interface OutputStyle {
  readonly json: boolean
  /** The fields of the JSON document. Default: all. */
  readonly fields?: readonly string[] | undefined
  /** What jq makes of the JSON document is printed in its place. */
  readonly jq?: string | undefined
  readonly quiet?: boolean
  readonly color: 'auto' | 'always' | 'never'
}

export function createOutput(
  io: Pick<Io, 'stdout' | 'stderr' | 'env' | 'pipe' | 'interruption'>,
  { json, fields, jq, quiet = false, color }: OutputStyle,
): Output {
  const { stdout, stderr, env } = io
  const asDocument = (value: unknown) => `${escapeControls(JSON.stringify(value, null, stdout.isTTY ? 2 : 0))}\n`
  const chosen = (value: unknown) => (fields === undefined ? value : choose(value, fields))
  const render = <Row>({ value, columns, rows, ids = [], draw }: Data<Row>): string => {
    if (quiet) return ids.map((id) => `${printable(id)}\n`).join('')
    if (json) return asDocument(chosen(value))
    if (!stdout.isTTY) return tabSeparated(columns, rows)
    return draw?.(terminalOn(stdout, env, color)) ?? drawTable(columns, rows, stdout.columns)
  }
  const filtered = async (document: string): Promise<string> => {
    if (jq === undefined) return document
    const { applyFilter } = await import('../children/jq.ts')
    const made = await applyFilter(io, jq, document, stdout.isTTY)
    return stdout.isTTY ? made.replaceAll(/[^\n\t]+/g, printable) : made
  }
  /* Resolves with whether the reader is still there. */
  const write = async (data: string) => {
    try {
      await stdout.write(data)
      return true
    } catch (error) {
      /* The reader has gone, as in `certify … | head`: that is no failure. */
      if (codeOf(error) === 'EPIPE') return false
      throw outputError(`the output could not be written (${systemCode(error)}).`, CHECK_STDOUT)
    }
  }
  const again = async (data: string): Promise<void> => {
    const printed = await filtered(data).catch((error: Error) => {
      throw error instanceof CliError ? error : outputError(error.message, CHECK_FILTER, 2)
    })
    await write(printed)
  }
  const only = async (data: string, value: unknown, needed: readonly string[] = []): Promise<string> => {
    const failed = (what: string) =>
      new CliError(`it was created, but ${what}`, SAVE_COPY, { code: 'OUTPUT_FAILED', exitCode: 6, partial: value })
    const printed = await filtered(data).catch((error: Error) => {
      throw failed(error.message)
    })
    if (needed.length > 0 && stdout.lost !== undefined) throw failed('stdout is discarded, and this is the only copy.')
    if (!needed.every((text) => printed.includes(text))) {
      throw failed('the output leaves out the link, and this is the only copy.')
    }
    await stdout.write(printed).catch((error: unknown) => {
      throw failed(`stdout did not take it (${systemCode(error)}).`)
    })
    return printed
  }
  const stream = async <Row>(what: StreamedData<Row>): Promise<void> => {
    if (jq === undefined) return writeRows({ json, quiet, stdout, chosen }, what, write)
    /* jq reads all of the document before its filter sees any of it. */
    const parts: string[] = []
    await writeRows({ json, quiet, stdout, chosen }, what, async (part) => parts.push(part) > 0)
    await again(parts.join(''))
  }
  return {
    json,
    text: async (data) => void (await write(data)),
    data: (what) => again(render(what)),
    stream,
    document: async (value, copies) =>
      copies === 'only-copy' ? void (await only(asDocument(value), value)) : again(asDocument(value)),
    onlyCopy: (what, needed) => only(render(what), what.value, needed),
    remark: async (text) => {
      if (!json && !quiet && stdout.isTTY && stderr.isTTY) await say(stderr, `${wrapFor(text, stderr)}\n`)
    },
    warn: (text) =>
      say(stderr, `${wrapFor(`${colorsFor(stderr, env, color).yellow('warning:')} ${printable(text)}`, stderr)}\n`),
    show: async (draw) => say(stderr, draw(terminalOn(stderr, env, color))),
  }
}

/** Writes to stderr. A failure does not change the exit code. */
export function say(stderr: Stream, text: string): Promise<void> {
  return stderr.write(text).catch(() => {})
}

/** Colours for a stream: by --color, else by NO_COLOR and FORCE_COLOR, else only for a terminal. */
export function colorsFor(
  stream: Stream,
  env: Io['env'],
  color: OutputStyle['color'],
): ReturnType<typeof createColors> {
  if (color !== 'auto') return createColors(color === 'always')
  const set = (name: string) => env[name] !== undefined && env[name] !== ''
  if (set('NO_COLOR')) return createColors(false)
  if (set('FORCE_COLOR')) return createColors(env['FORCE_COLOR'] !== '0')
  return createColors(stream.isTTY && env['TERM'] !== 'dumb')
}

function choose(value: unknown, fields: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => choose(each, fields))
  return Object.fromEntries(fields.map((field) => [field, (value as Record<string, unknown>)[field]]))
}

function terminalOn(stream: Stream, env: Io['env'], color: OutputStyle['color']): Terminal {
  const colors = colorsFor(stream, env, color)
  return {
    bold: (text) => colors.bold(printable(text)),
    dim: (text) => colors.dim(printable(text)),
    table: (columns, rows) => drawTable(columns, rows, stream.columns),
    fields: (fields) => {
      const width = Math.max(...fields.map(([name]) => name.length))
      const indent = ' '.repeat(width + 4)
      const indented = (value: string) => wrap(indent + printable(value), indent, stream.columns).trimStart()
      return fields.map(([name, value]) => `  ${colors.dim(name.padEnd(width))}  ${indented(value)}\n`).join('')
    },
  }
}

export function outputError(message: string, hint: string, exitCode: 1 | 2 = 1): CliError {
  return new CliError(message, hint, { code: 'OUTPUT_FAILED', exitCode })
}

const CHECK_FILTER = 'Correct the filter. To see the whole document, give --json in place of --jq.'
const CHECK_STDOUT = 'Check where stdout goes, then run the command again.'
const SAVE_COPY = 'Do not run the command again. Save the printed data: it may be the only copy.'
