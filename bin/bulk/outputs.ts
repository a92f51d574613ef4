import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { extname, resolve } from 'node:path'
import type { PlannedRow, RowEvent } from '../../src/campaign/index.ts'
import { CliError, codeOf, systemCode } from '../cli-error.ts'
import { fileOf } from '../config/ledger-place.ts'
import type { Context } from '../context.ts'
import { refuseSpecialFile } from '../files.ts'
import { isJsonObject } from '../parsing.ts'
import { csvLine } from '../table/csv.ts'
import type { FileRow } from '../table/file.ts'
import { exactJson } from '../table/json.ts'
import { outputError } from '../terminal/output.ts'
import { type Column, cellText, tabSeparated } from '../terminal/table.ts'
import { jsonLine, printable } from '../terminal/text.ts'
import { ERROR_COLUMN } from './columns.ts'
import type { CandidateFile } from './read.ts'
import { IS_TO_FIX, reportColumns, type ReportedRow, type ReportedStatus, toReportedRow } from './report.ts'

export interface OutputOptions {
  readonly report?: string
  readonly showLinks?: boolean
  readonly failedOut?: string
}

/** The outputs of a run: stdout, the report, and the file of rows to fix. */
export class Outputs {
  readonly #context: Context
  readonly #showLinks: boolean
  readonly #columns: readonly Column<ReportedRow>[]
  readonly #report: OutputFile | undefined
  readonly #failed: OutputFile | undefined
  /* Kept only if a file is written: a large sheet takes much memory. */
  readonly #rows = new Map<number, ReportedRow>()
  readonly #done = new Set<number>()
  /** The first failure to write. Nothing more goes to that output. */
  error: CliError | undefined
  #stdoutIsGone = false
  /** The paths of the files that were written completely. */
  readonly written: { report?: string; earlierReport?: string | undefined; failedOut?: string } = {}

  /** Opens the files, so that an unwritable one is found before anything is created. @throws CliError */
  constructor(context: Context, input: string, { report, failedOut, showLinks = false }: OutputOptions) {
    this.#context = context
    this.#showLinks = showLinks
    this.#columns = reportColumns(showLinks)
    refuseSame([
      ['the input', input],
      ['the ledger', fileOf(context.place())],
      ['--report', report],
      ['--failed-out', failedOut],
    ])
    this.#report = report === undefined ? undefined : new OutputFile('--report', report)
    try {
      this.#failed = failedOut === undefined ? undefined : new OutputFile('--failed-out', failedOut)
    } catch (error) {
      this.#report?.discard()
      throw error
    }
  }

  /** Reserves the disk space that the rows may need. @throws CliError if there is not enough */
  reserve(rows: number): void {
    this.#report?.reserve((rows + 10) * ROW_BYTES)
    this.#failed?.reserve((rows + 10) * ROW_BYTES)
  }

  /** Takes a row, and prints it for a program. Does not throw: see {@link error}. */
  async row(row: RowEvent | PlannedRow, status?: ReportedStatus): Promise<void> {
    const reported = this.note(row, status)
    const { json, quiet } = this.#context.preferences
    const ids = reported.status === 'created' ? reported.invites.map(({ inviteId }) => `${printable(inviteId)}\n`) : []
    if (json) await this.#print(jsonLine(reported))
    else if (quiet) await this.#print(ids.join(''))
    else if (!this.#context.io.stdout.isTTY) await this.#print(tabSeparated(this.#columns, [reported]))
  }

  /** Takes a row without printing it. */
  note(row: RowEvent | PlannedRow, status?: ReportedStatus): ReportedRow {
    const reported = toReportedRow(row, this.#showLinks, status)
    this.#done.add(row.row)
    if ((this.#report ?? this.#failed) !== undefined) this.#rows.set(row.row, reported)
    return reported
  }

  has(row: number): boolean {
    return this.#done.has(row)
  }

  /** Prints the summary, and writes the files, in the order of the input. */
  async end(summary: object, candidates: CandidateFile, isPrinted: boolean): Promise<void> {
    if (isPrinted && this.#context.preferences.json) await this.#print(jsonLine(summary))
    const { hasMark, delimiter } = candidates.file
    const mark = hasMark ? '\uFEFF' : ''
    if (this.#report !== undefined) {
      const rows = [...this.#rows.values()].toSorted((one, other) => one.row - other.row)
      const lines = rows.map((row) =>
        csvLine(
          this.#columns.map((column) => cellText(column, row)),
          delimiter,
        ),
      )
      const header = csvLine(
        this.#columns.map(({ title }) => title),
        delimiter,
      )
      this.#writing(() => {
        this.written.earlierReport = this.#report?.finish(mark + header + lines.join(''), true)
        this.written.report = this.#report?.path ?? ''
      })
    }
    if (this.#failed === undefined) return
    this.#writing(() => {
      this.#failed?.finish(mark + this.#rowsToFix(candidates), false)
      this.written.failedOut = this.#failed?.path ?? ''
    })
  }

  close(): void {
    this.#report?.discard()
    this.#failed?.discard()
  }

  /* As in the input, with the reason in the last column; JSON as one object per line. Never with unknown rows. */
  #rowsToFix({ file: { header, delimiter }, originals }: CandidateFile): string {
    const head = header === undefined ? '' : csvLine(withReason(header, header, ERROR_COLUMN), delimiter)
    const lines = originals.flatMap((original: FileRow) => {
      const { row, status, code = '', message = '' } = this.#rows.get(original.row) ?? {}
      if (status === undefined || !IS_TO_FIX[status]) return []
      const start = status === 'failed' || status === 'refused' ? `${code}: ` : ''
      const reason = printable(`row ${row}: ${start}${message}`)
      if (header !== undefined) return [csvLine(withReason(header, original.values.map(String), reason), delimiter)]
      const { original: value } = original
      return [`${exactJson(isJsonObject(value) ? { ...value, [ERROR_COLUMN]: reason } : value)}\n`]
    })
    return head + lines.join('')
  }

  async #print(text: string): Promise<void> {
    if (this.#stdoutIsGone || text === '') return
    try {
      await this.#context.io.stdout.write(text)
    } catch (error) {
      this.#stdoutIsGone = true
      const message = `stdout no longer accepts rows (${systemCode(error)}): no further row was started.`
      this.error ??= outputError(message, 'Run the same command again to resume.')
    }
  }

  #writing(write: () => void): void {
    try {
      write()
    } catch (error) {
      if (!(error instanceof CliError)) throw error
      this.error ??= error
    }
  }
}

/* The approximate size of a row in a report. */
const ROW_BYTES = 500

/*
 * The reason comes last, even after values without a column name: they keep their places, and such a row is still
 * recognised when the file is read again. It replaces the reason of an earlier run.
 */
function withReason(header: readonly string[], cells: readonly string[], reason: string): readonly string[] {
  const surplus = cells.slice(header.length, cells.findLastIndex((cell) => cell !== '') + 1)
  /* The last surplus value is the earlier reason: the ones before it belong to no column. */
  if (surplus.length > 0 && isReason(header.at(-1) ?? ''))
    return [...cells.slice(0, header.length), ...surplus.slice(0, -1), reason]
  return [...header.flatMap((name, index) => (isReason(name) ? [] : [cells[index] ?? ''])), ...surplus, reason]
}

function isReason(name: string): boolean {
  return name.toLowerCase() === ERROR_COLUMN
}

/**
 * A file that is written at the end, and appears completely or not at all, readable only by its owner. Until then, a
 * draft in the same folder reserves disk space, so that a full disk is found before anything is created.
 */
class OutputFile {
  readonly path: string
  readonly #flag: string
  readonly #draft: string
  readonly #descriptor: number
  #isOpen = true
  /* From then on the draft is never removed: what was created is in it. */
  #isWhole = false

  /** @throws CliError if it cannot be written */
  constructor(flag: string, path: string) {
    this.#flag = flag
    this.path = path
    this.#draft = `${path}.${process.pid}.${Date.now()}.part`
    this.#descriptor = this.#reporting(NOTHING_SENT, () => {
      refuseSpecialFile(path)
      return openSync(this.#draft, 'wx', 0o600)
    })
  }

  /** @throws CliError if the disk is full */
  reserve(sizeBytes: number): void {
    this.#reporting(NOTHING_SENT, () => void writeSync(this.#descriptor, Buffer.alloc(sizeBytes), 0, sizeBytes, 0))
  }

  /**
   * Writes the file.
   *
   * @param keepsEarlier gives an earlier file another name: report.csv becomes report.1.csv, or the next free number
   * @returns the new name of the earlier file
   * @throws CliError
   */
  finish(text: string, keepsEarlier: boolean): string | undefined {
    return this.#reporting('', () => {
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at, bytes.length - at, at)
      ftruncateSync(this.#descriptor, bytes.length)
      fsyncSync(this.#descriptor)
      this.#close()
      this.#isWhole = true
      refuseSpecialFile(this.path)
      const earlier = keepsEarlier && existsSync(this.path) ? freeName(this.path) : undefined
      if (earlier !== undefined) renameSync(this.path, earlier)
      renameSync(this.#draft, this.path)
      return earlier
    })
  }

  /** Removes what is not written to its end. */
  discard(): void {
    if (this.#isOpen) this.#close()
    if (!this.#isWhole) rmSync(this.#draft, { force: true })
  }

  #close(): void {
    this.#isOpen = false
    closeSync(this.#descriptor)
  }

  #reporting<T>(after: string, act: () => T): T {
    try {
      return act()
    } catch (error) {
      const code = codeOf(error)
      if (code === undefined) throw error
      if (this.#isWhole)
        throw outputError(
          `${this.#flag}: ${this.path} cannot be replaced (${code}). All of it is in ${this.#draft}.`,
          'Rename that file.',
        )
      throw outputError(
        `${this.#flag}: ${this.path} cannot be written (${code}).${after}`,
        'Give the path of a file, in a folder that you may write to, on a disk with free space.',
        after === '' ? 1 : 2,
      )
    }
  }
}

const NOTHING_SENT = ' Nothing was sent.'

function freeName(path: string): string {
  const ending = extname(path)
  const start = path.slice(0, path.length - ending.length)
  for (let number = 1; ; number += 1) {
    const name = `${start}.${number}${ending}`
    if (!existsSync(name)) return name
  }
}

/* One file would overwrite another. @throws CliError */
function refuseSame(files: readonly (readonly [name: string, path: string | undefined])[]): void {
  const places = new Map<string, string>()
  for (const [name, path] of files) {
    if (path === undefined || path === '-') continue
    const place = existsSync(path) ? realpathSync(path) : resolve(path)
    const other = places.get(place)
    if (other !== undefined) {
      throw new CliError(`${name} is the same file as ${other}.`, 'Give each a name of its own.')
    }
    places.set(place, name)
  }
}
