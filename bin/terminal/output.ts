import { createColors } from 'picocolors'
import type { Io, Stream } from '../io.ts'
import { type Column, drawTable, tabSeparated } from './table.ts'
import { printable } from './text.ts'

/** A list of names and values about one thing. */
export type Fields = readonly (readonly [name: string, value: string])[]

/**
 * The output contract: data on stdout, everything else on stderr. With `--json` stdout is one JSON document; on a
 * terminal it is drawn for people; into a pipe the same rows go tab-separated and whole.
 */
export interface Output {
  readonly json: boolean
  /** Data on stdout: as JSON, drawn for a terminal, or as rows. */
  data<Row>(what: Data<Row>): void
  /** A remark for whoever is at the terminal; nobody else hears it. */
  remark(text: string): void
  /** A warning on stderr, whatever stdout is. */
  warn(text: string): void
}

/** The same data in its three forms. */
export interface Data<Row> {
  readonly value: unknown
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** What a person gets instead of a table of all the rows. */
  readonly draw?: (terminal: Terminal) => string
}

/** How to draw on a terminal. */
export interface Terminal {
  bold(text: string): string
  dim(text: string): string
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string
  fields(fields: Fields): string
}

export function createOutput({ stdout, stderr, env }: Pick<Io, 'stdout' | 'stderr' | 'env'>, json: boolean): Output {
  return {
    json,
    data({ value, columns, rows, draw }) {
      if (json) stdout.write(`${JSON.stringify(value, null, stdout.isTTY ? 2 : 0)}\n`)
      else if (!stdout.isTTY) stdout.write(tabSeparated(columns, rows))
      else stdout.write(draw?.(terminalOn(stdout, env)) ?? drawTable(columns, rows, stdout.columns))
    },
    remark: (text) => {
      if (!json && stdout.isTTY && stderr.isTTY) stderr.write(`${text}\n`)
    },
    warn: (text) => stderr.write(`${paint(stderr, env).yellow('warning:')} ${printable(text)}\n`),
  }
}

/** Colours for a stream: none unless it is a terminal, by the conventions NO_COLOR and FORCE_COLOR. */
export function paint(stream: Stream, env: Io['env']): ReturnType<typeof createColors> {
  const set = (name: string) => env[name] !== undefined && env[name] !== ''
  const forced = set('FORCE_COLOR') && env['FORCE_COLOR'] !== '0'
  return createColors(!set('NO_COLOR') && (forced || (stream.isTTY && env['TERM'] !== 'dumb')))
}

function terminalOn(stream: Stream, env: Io['env']): Terminal {
  const colors = paint(stream, env)
  return {
    bold: (text) => colors.bold(printable(text)),
    dim: (text) => colors.dim(printable(text)),
    table: (columns, rows) => drawTable(columns, rows, stream.columns),
    fields: (fields) => {
      const width = Math.max(...fields.map(([name]) => name.length))
      return fields.map(([name, value]) => `  ${colors.dim(name.padEnd(width))}  ${printable(value)}\n`).join('')
    },
  }
}
