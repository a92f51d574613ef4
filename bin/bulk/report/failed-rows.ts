import { printable } from '../../terminal/printable.ts'
import { ERROR_COLUMN, isErrorColumn } from '../read/columns.ts'
import { csvLine } from '../read/csv.ts'
import { decode } from '../read/decoding.ts'
import { readRecords } from '../read/file-format.ts'
import type { Source } from '../read/input-bytes.ts'
import type { Reading } from '../read/input-file.ts'
import type { AtomicFile } from './atomic-file.ts'
import type { ReportedRow } from './reported-row.ts'

/** The rows of a file that have to be corrected, by their numbers, and why: many rows share few reasons. */
export class FailedRows {
  /* For each number the place of its reason, from 1. */
  #places = new Uint32Array(1024)
  readonly #reasons: string[] = []
  readonly #placeOf = new Map<string, number>()

  /** Takes in what failed, was refused or is rejected. An unknown row must not be fed again before somebody has checked. */
  note(row: ReportedRow): void {
    if (!TO_FIX.has(row.status)) return
    if (row.row >= this.#places.length) {
      const more = new Uint32Array(Math.max(row.row + 1, this.#places.length * 2))
      more.set(this.#places)
      this.#places = more
    }
    this.#places[row.row] = this.#placed(row)
  }

  #placed({ status, code = '', message = '' }: ReportedRow): number {
    const whole = printable(status === 'rejected' ? message : `${code}: ${message}`)
    const text = whole.length > LONGEST_REASON ? `${whole.slice(0, LONGEST_REASON)}…` : whole
    const reason = this.#reasons.length < MOST_REASONS || this.#placeOf.has(text) ? text : `${code}: see --report.`
    const known = this.#placeOf.get(reason)
    if (known !== undefined) return known
    const place = this.#reasons.push(reason)
    this.#placeOf.set(reason, place)
    return place
  }

  /** What is wrong with a row, behind its number; `undefined` for one that is fine. */
  #reasonOf(row: number): string | undefined {
    const place = this.#places[row] ?? 0
    return place === 0 ? undefined : `row ${row}: ${this.#reasons[place - 1]}`
  }

  /** Writes them as they stand in their file, each with its reason as the last column; JSON as one object a line. */
  async writeInto(file: AtomicFile, source: Source, { text, records, format }: Reading): Promise<void> {
    const { header, delimiter } = records
    if (header !== undefined) {
      file.write(`${text.hasMark ? '\uFEFF' : ''}${csvLine(withLast(header, header, ERROR_COLUMN), delimiter)}`)
    }
    if (this.#reasons.length === 0) return
    const { rows } = await readRecords(await decode(source.readAgain()), format)
    for await (const { row, values, original } of rows) {
      const reason = this.#reasonOf(row)
      if (reason === undefined) continue
      file.write(
        header === undefined
          ? `${JSON.stringify(withKey(original, reason))}\n`
          : csvLine(withLast(header, values as readonly string[], reason), delimiter),
      )
    }
  }
}

/** How many bytes a reason may take, about. */
export const REASON_BYTES = 200

const TO_FIX: ReadonlySet<string> = new Set(['failed', 'refused', 'rejected'])

/* The words of a service may be long, and others for each row. */
const LONGEST_REASON = 1000
const MOST_REASONS = 10_000

/* Values that no column has a name for stay behind it: so they stay distinct when the file is read again. */
function withLast(header: readonly string[], cells: readonly string[], last: string): readonly string[] {
  const kept = header.flatMap((name, index) => (isErrorColumn(name) ? [] : [cells[index] ?? '']))
  return [...kept, last, ...cells.slice(header.length)]
}

/* What is no object has no room for a reason. */
function withKey(original: unknown, reason: string): unknown {
  if (typeof original !== 'object' || original === null || Array.isArray(original)) return original
  const kept = Object.entries(original).filter(([name]) => !isErrorColumn(name))
  return Object.fromEntries([...kept, [ERROR_COLUMN, reason]])
}
