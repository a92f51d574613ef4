import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CliError } from '../../cli-error.ts'
import { NamelessFile } from '../read/nameless-file.ts'
import { AtomicFile } from './atomic-file.ts'
import { type ReportForm, reportForm, type TableForm } from './report-file.ts'
import { type ReportedRow, reportColumns } from './reported-row.ts'

/** The report of a run. Rows are written as they are done, and are put in the order of the input at the end. */
export class OrderedReport {
  readonly #form: ReportForm<ReportedRow>
  readonly #draft: AtomicFile
  readonly #places: Places
  #rows = 0
  #lastRow = 0
  #isInOrder = true

  /** @throws CliError as {@link reportForm} */
  constructor(draft: AtomicFile, includeLinks: boolean, table: TableForm) {
    this.#form = reportForm(draft.path, reportColumns(includeLinks), table)
    this.#draft = draft
    this.#places = new Places()
    draft.write(this.#form.head)
  }

  /** @throws CliError */
  row(row: ReportedRow): void {
    if (this.#rows > 0) this.#draft.write(this.#form.between)
    const at = this.#draft.size
    this.#draft.write(this.#form.row(row))
    this.#places.add(row.row, at, this.#draft.size - at)
    this.#isInOrder &&= row.row > this.#lastRow
    this.#lastRow = row.row
    this.#rows += 1
  }

  /** Completes it. Returns the new name of an earlier report, if there was one. @throws CliError */
  async end(summary: object): Promise<string | undefined> {
    const tail = this.#form.tail(summary, this.#rows)
    const ordered = this.#isInOrder ? undefined : await this.#inOrder(tail)
    if (ordered !== undefined) return ordered.keepBoth()
    this.#draft.write(tail)
    return this.#draft.keepBoth()
  }

  close(): void {
    this.#places.close()
  }

  /* `undefined` if there is no room for it: rows in another order are better than none. */
  async #inOrder(tail: string): Promise<AtomicFile | undefined> {
    const { head, between } = this.#form
    let file: AtomicFile | undefined
    try {
      file = new AtomicFile(this.#draft.flag, this.#draft.path)
      file.write(head)
      let rows = 0
      for await (const [at, length] of this.#places.inOrder()) {
        if (rows > 0) file.write(between)
        file.write(this.#draft.read(at, length))
        rows += 1
      }
      if (rows < this.#rows) throw new CliError('places are missing.', '')
      file.write(tail)
      file.flush()
      this.#draft.discard()
      return file
    } catch (error) {
      file?.discard()
      if (error instanceof CliError) return undefined
      throw error
    }
  }
}

/* Where the text of each row is: on disk, so that memory does not grow with the rows. */
class Places {
  #file: NamelessFile | undefined

  add(row: number, at: number, length: number): void {
    const place = Buffer.alloc(PLACE_BYTES)
    place.writeDoubleLE(at, 0)
    place.writeDoubleLE(length, 8)
    try {
      this.#file ??= new NamelessFile(join(tmpdir(), `certify-${randomUUID()}`))
      this.#file.write(place, row * PLACE_BYTES)
    } catch {
      /* No room. The report then has the order in which its rows were done. */
    }
  }

  async *inOrder(): AsyncGenerator<readonly [at: number, length: number]> {
    for await (const piece of this.#file?.read() ?? []) {
      for (let place = 0; place + PLACE_BYTES <= piece.length; place += PLACE_BYTES) {
        const length = piece.readDoubleLE(place + 8)
        if (length > 0) yield [piece.readDoubleLE(place), length]
      }
    }
  }

  close(): void {
    this.#file?.close()
    this.#file = undefined
  }
}

const PLACE_BYTES = 16
