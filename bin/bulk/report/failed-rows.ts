import { isJsonObject } from '../../json-object.ts'
import { printable } from '../../terminal/printable.ts'
import { ERROR_COLUMN, isErrorColumn } from '../read/columns.ts'
import { csvLine } from '../read/csv.ts'
import type { InputFile } from '../read/input-file.ts'
import type { AtomicFile } from './atomic-file.ts'
import type { ReportedRow } from './reported-row.ts'

/** The rows to fix, by their numbers, with their reasons: many rows share few reasons. */
export class FailedRows {
  readonly #reasonOf = new Map<number, string>()
  readonly #reasons = new Map<string, string>()

  /** Takes a failed, refused or rejected row. An unknown row must not be sent again before it is resolved. */
  note({ row, status, code = '', message = '' }: ReportedRow): void {
    if (status !== 'failed' && status !== 'refused' && status !== 'rejected') return
    const whole = printable(status === 'rejected' ? message : `${code}: ${message}`)
    const text = whole.length > LONGEST_REASON ? `${whole.slice(0, LONGEST_REASON)}…` : whole
    const reason = this.#reasons.size < MOST_REASONS || this.#reasons.has(text) ? text : `${code}: see --report.`
    /* The first string of each reason: equal strings would each take memory. */
    const shared = this.#reasons.get(reason) ?? reason
    this.#reasons.set(shared, shared)
    this.#reasonOf.set(row, shared)
  }

  /** Writes them as in the input, each with its reason as the last column; JSON as one object a line. */
  async writeInto(file: AtomicFile, input: InputFile): Promise<void> {
    const { header, delimiter } = input.records
    if (header !== undefined) {
      const mark = input.text.hasMark ? '\uFEFF' : ''
      file.write(`${mark}${csvLine(withLast(header, header, ERROR_COLUMN), delimiter)}`)
    }
    if (this.#reasonOf.size === 0) return
    for await (const { row, values, original } of await input.recordsAgain()) {
      const reason = this.#reasonOf.get(row)
      if (reason === undefined) continue
      const text = `row ${row}: ${reason}`
      file.write(
        header === undefined
          ? `${JSON.stringify(withReason(original, text))}\n`
          : csvLine(withLast(header, values.map(String), text), delimiter),
      )
    }
  }
}

/** About the bytes of a reason. */
export const REASON_BYTES = 200

/* The messages of a service may be long, and different for each row. */
const LONGEST_REASON = 1000
const MOST_REASONS = 10_000

/*
 * The last value is the reason, also after values without a column name: they keep their places, and such a row is still
 * recognised when the file is read again.
 */
function withLast(header: readonly string[], cells: readonly string[], last: string): readonly string[] {
  const surplus = cells.slice(header.length, cells.findLastIndex((cell) => cell !== '') + 1)
  const hadReason = isErrorColumn(header.at(-1) ?? '')
  /* A reason that was written like this: the value before it is of no other column. */
  if (surplus.length > 0 && hadReason) return [...cells.slice(0, header.length), ...surplus.slice(0, -1), last]
  const kept = header.flatMap((name, index) => (isErrorColumn(name) ? [] : [cells[index] ?? '']))
  return [...kept, ...surplus, last]
}

function withReason(original: unknown, reason: string): unknown {
  if (!isJsonObject(original)) return original
  const kept = Object.entries(original).filter(([name]) => !isErrorColumn(name))
  return Object.fromEntries([...kept, [ERROR_COLUMN, reason]])
}
