import type { CampaignRow } from '../../../src/campaign/index.ts'
import type { Io } from '../../io.ts'
import type { BulkOptions } from '../options/bulk-options.ts'
import type { Field } from '../options/fields.ts'
import { isInShard, toCampaignRow } from './campaign-row.ts'
import {
  type Columns,
  columnsOf,
  nearField,
  quotedNames,
  refuseHeader,
  refuseMissing,
  refuseNearMisses,
} from './columns.ts'
import { type Content, readContent } from './content.ts'
import type { Text } from './decoding.ts'
import { fileError } from './file-error.ts'
import type { FileRecord, Records } from './file-record.ts'
import { InputBytes } from './input-bytes.ts'
import type { SheetFacts } from './sheet-facts.ts'

/** The file of candidates, and what reading it has shown. */
export class InputFile {
  readonly name: string
  readonly text: Omit<Text, 'pieces'>
  readonly records: Records
  /** The sheet of a workbook. */
  readonly sheet: SheetFacts | undefined
  readonly #bytes: InputBytes
  readonly #options: BulkOptions
  /** The fields that the names in the file mean: the first hundred. */
  readonly meanings = new Map<string, Field>()
  /** Unknown names, each with the field that it may be meant for. */
  readonly #ignored = new Map<string, Field | undefined>()
  /** The rows so far, and those of them that belong to other shards. */
  rows = 0
  otherShards = 0
  /** The values with line breaks so far. */
  spanning = 0

  private constructor(name: string, bytes: InputBytes, { text, records, sheet }: Content, options: BulkOptions) {
    this.name = name
    this.text = text
    this.records = records
    this.sheet = sheet
    this.#bytes = bytes
    this.#options = options
  }

  /** @throws CliError if it cannot be read, or has an unusable header */
  static async open(io: Io, file: string, options: BulkOptions): Promise<InputFile> {
    const bytes = new InputBytes(io, file, options.failedOut !== undefined)
    try {
      const content = await readContent(bytes.read(), options, () => io.stderr.isTTY)
      if (content.records.header !== undefined) refuseHeader(content.records.header, options)
      return new InputFile(file === '-' ? 'stdin' : file, bytes, content, options)
    } catch (error) {
      await bytes.close()
      throw error
    }
  }

  get sizeBytes(): number {
    return this.#bytes.size
  }

  /** The rows, once. @throws CliError if one cannot be read */
  async *campaignRows(): AsyncGenerator<CampaignRow> {
    const { shard, strictHeaders } = this.#options
    let names: readonly string[] = []
    let columns: Columns = columnsOf(names, this.#options)
    const mapped = new Set<string>()
    for await (const record of this.records.rows) {
      if (record.names !== names) {
        const isOther = record.names.join('\n') !== names.join('\n') || this.rows === 0
        names = record.names
        if (isOther) {
          columns = columnsOf(names, this.#options)
          this.#learn(names, columns)
          if (strictHeaders === true && columns.unknown.length > 0) {
            const message = `--strict-headers: row ${record.row} has an unknown field.`
            throw fileError(message, 'Leave it out, or the flag.')
          }
          refuseNearMisses(columns, `row ${record.row}`)
          for (const place of Object.values(columns.places)) mapped.add(names[place] ?? '')
        }
      }
      this.rows += 1
      this.spanning += record.spanning ?? 0
      const row = toCampaignRow(record, columns, this.#options)
      if (shard === undefined || isInShard(shard, row)) yield row
      else this.otherShards += 1
    }
    if (this.rows > 0) refuseMissing(mapped, this.#options)
  }

  /** The records once more, from a copy: with --failed-out, after all rows were read. */
  async recordsAgain(): Promise<AsyncIterable<FileRecord>> {
    const { records } = await readContent(this.#bytes.readAgain(), this.#options)
    return records.rows
  }

  /** The names that are ignored, for a message. */
  get ignoredNames(): string {
    return quotedNames([...this.#ignored.keys()], (name) => this.#ignored.get(name))
  }

  async close(): Promise<void> {
    await this.#bytes.close()
  }

  #learn(names: readonly string[], { places, ignored }: Columns): void {
    for (const [field, place] of Object.entries(places)) {
      if (this.meanings.size < MOST_NAMES) this.meanings.set(names[place] ?? '', field as Field)
    }
    for (const name of ignored) {
      if (this.#ignored.size < MOST_NAMES && !this.#ignored.has(name)) this.#ignored.set(name, nearField(name, places))
    }
  }
}

const MOST_NAMES = 100
