import type { CampaignRow } from '../../../src/campaign/index.ts'
import { isIn, type RowOptions, rowOf } from './campaign-row.ts'
import { type Columns, columnsOf, type Field, named, nearField, refuseHeader } from './columns.ts'
import { decode, type Text } from './decoding.ts'
import { fileError } from './file-error.ts'
import { readRecords } from './file-format.ts'
import type { Format, Records } from './file-record.ts'
import type { Source } from './input-bytes.ts'

/** How a file is to be read. */
export interface InputFileOptions extends RowOptions {
  readonly format?: Format
  readonly strictHeaders: boolean
}

/** A file on its way to the rows of a campaign, and what was found out about it meanwhile. */
export class Reading {
  readonly text: Text
  readonly records: Records
  /** The format that was asked for. */
  readonly format: Format | undefined
  readonly #options: InputFileOptions
  /** What the names of the file stand for, so far: the first hundred of each. */
  readonly meanings = new Map<string, Field>()
  readonly ignored = new Set<string>()
  readonly #near = new Map<string, Field>()
  /** Rows that were read, and those of them that belong to another part. */
  rows = 0
  elsewhere = 0

  private constructor(text: Text, records: Records, options: InputFileOptions) {
    this.text = text
    this.records = records
    this.format = options.format
    this.#options = options
  }

  /** @throws CliError for what is no such file, or has a header that cannot be meant */
  static async open(source: Source, options: InputFileOptions): Promise<Reading> {
    const text = await decode(source.read())
    const records = await readRecords(text, options.format)
    const { quizId, packageId, strictHeaders: strict } = options
    const given = { hasTarget: (quizId ?? packageId) !== undefined, strict }
    if (records.header !== undefined) refuseHeader(records.header, columnsOf(records.header), given)
    return new Reading(text, records, options)
  }

  /** The rows, once. @throws CliError for what cannot be read as one */
  async *campaignRows(): AsyncGenerator<CampaignRow> {
    const { shard, strictHeaders } = this.#options
    let names: readonly string[] = []
    let columns: Columns = columnsOf(names)
    for await (const record of this.records.rows) {
      if (record.names !== names) {
        const isOther = record.names.join('\n') !== names.join('\n') || this.rows === 0
        names = record.names
        if (isOther) {
          columns = columnsOf(names)
          this.#learn(names, columns)
          if (strictHeaders && columns.ignored.length > 0) throw unknownField(record.row)
        }
      }
      this.rows += 1
      const row = rowOf(record, columns, this.#options)
      if (shard === undefined || isIn(shard, row)) yield row
      else this.elsewhere += 1
    }
  }

  /** The names that are ignored, each with what it was perhaps meant for. */
  get ignoredNames(): string {
    return named([...this.ignored], (name) => this.#near.get(name))
  }

  #learn(names: readonly string[], { places, ignored }: Columns): void {
    for (const [field, place] of Object.entries(places)) {
      if (this.meanings.size < MOST_NAMES) this.meanings.set(names[place] ?? '', field as Field)
    }
    for (const name of ignored) {
      if (this.ignored.size >= MOST_NAMES || this.ignored.has(name)) continue
      this.ignored.add(name)
      const field = nearField(name, places)
      if (field !== undefined) this.#near.set(name, field)
    }
  }
}

const MOST_NAMES = 100

function unknownField(row: number) {
  return fileError(`--strict-headers: row ${row} has a field that is not known.`, 'Leave it out, or the flag.')
}
