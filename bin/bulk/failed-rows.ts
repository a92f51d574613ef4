import type { RowEvent } from '../../src/campaign/index.ts'
import { csvLine } from './csv.ts'
import { decode } from './decoding.ts'
import type { Format } from './record.ts'
import { readRecords } from './records.ts'
import type { Source } from './source.ts'
import type { WholeFile } from './whole-file.ts'

/** The rows of a file that have to be mended, by their numbers: a bit for each. */
export class FailedRows {
  #bits = new Uint8Array(1024)
  count = 0

  /** Takes in what failed, was refused or is rejected. An unknown row must not be fed again before somebody has checked. */
  note({ row, status }: Pick<RowEvent, 'row'> & { readonly status: string }): void {
    if (!TO_MEND.has(status)) return
    const index = row >> 3
    if (index >= this.#bits.length) {
      const more = new Uint8Array(Math.max(index + 1, this.#bits.length * 2))
      more.set(this.#bits)
      this.#bits = more
    }
    this.#bits[index] = (this.#bits[index] ?? 0) | (1 << (row & 7))
    this.count += 1
  }

  has(row: number): boolean {
    return ((this.#bits[row >> 3] ?? 0) & (1 << (row & 7))) !== 0
  }

  /** Writes them as they stand in their file, with its columns; JSON as one object a line. */
  async writeInto(file: WholeFile, source: Source, asked: Format | undefined): Promise<void> {
    const text = await decode(source.read())
    const { header, delimiter, rows } = await readRecords(text, asked)
    if (header !== undefined) file.write(`${text.hasMark ? '\uFEFF' : ''}${csvLine(header, delimiter)}`)
    for await (const { row, values, original } of rows) {
      if (!this.has(row)) continue
      file.write(
        header === undefined ? `${JSON.stringify(original)}\n` : csvLine(values as readonly string[], delimiter),
      )
    }
  }
}

const TO_MEND: ReadonlySet<string> = new Set(['failed', 'refused', 'rejected'])
