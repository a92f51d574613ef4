/** The formats that a file may have; by itself it is found out which one it has. */
export const FORMATS = ['csv', 'tsv', 'ndjson', 'json'] as const

export type Format = (typeof FORMATS)[number]

export type Delimiter = ',' | ';' | '\t'

/** One row of a file, whatever its format. */
export interface FileRecord {
  /** The line that it starts on, from 1; in a JSON array its place there. */
  readonly row: number
  /** The names of its values: of a table the same list for every row. */
  readonly names: readonly string[]
  /** In a table there may be fewer than names, or more. */
  readonly values: readonly unknown[]
  /** What stands in a file of JSON. */
  readonly original?: unknown
}

/** What a file holds. */
export interface Records {
  readonly format: Format
  /** Of a table. */
  readonly header: readonly string[] | undefined
  readonly delimiter: Delimiter | undefined
  readonly rows: AsyncIterable<FileRecord>
}

/** The most that one record may take, in characters. Longer ones are what a quote leaves that is never closed. */
export const LONGEST_RECORD = 2 ** 20
