import type { Format } from '../options/bulk-options.ts'

export type Delimiter = ',' | ';' | '\t'

export interface FileRecord {
  /** Its first line, counted from 1; in a JSON array its place. */
  readonly row: number
  /** The names of its values; in a table the same list for every row. */
  readonly names: readonly string[]
  /** A table may have fewer values than names, or more. */
  readonly values: readonly unknown[]
  /** The number of values with line breaks, in a table. */
  readonly spanning?: number
  /** Why a table has no values for it: they are then its line alone. */
  readonly broken?: string
  /** The value in a JSON file. */
  readonly original?: unknown
}

/** A value of a sheet that must not be used. */
export class CellFault {
  readonly #text: string
  readonly rule: string

  /** @param text the value as it is shown */
  constructor(text: string, rule: string) {
    this.#text = text
    this.rule = rule
  }

  toString(): string {
    return this.#text
  }
}

export interface Records {
  readonly format: Format | 'xlsx'
  readonly header: readonly string[] | undefined
  readonly delimiter: Delimiter | undefined
  readonly rows: AsyncIterable<FileRecord>
}

/** The most characters of a record. A longer one usually has a quote that is not closed. */
export const LONGEST_RECORD = 2 ** 20

/** The most columns of a table. More are usually a mistake, and comparing their names would take long. */
export const MOST_COLUMNS = 200
