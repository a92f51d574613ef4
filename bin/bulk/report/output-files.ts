import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { PlannedRow, RowEvent } from '../../../src/campaign/index.ts'
import { CliError, systemCode } from '../../cli-error.ts'
import type { Preferences } from '../../config/settings.ts'
import type { Io } from '../../io.ts'
import { outputError } from '../../terminal/output.ts'
import { escapeControls, printable } from '../../terminal/printable.ts'
import { tabSeparated } from '../../terminal/table.ts'
import type { BulkOptions } from '../options/bulk-options.ts'
import type { InputFile } from '../read/input-file.ts'
import { AtomicFile } from './atomic-file.ts'
import { FailedRows, REASON_BYTES } from './failed-rows.ts'
import { OrderedReport } from './ordered-report.ts'
import { REPORTED_ROW_BYTES, reportFormat } from './report-file.ts'
import { pipedColumns, type ReportedRow, toReportedRow } from './reported-row.ts'

/** The outputs of a run: stdout, the report, and the file of rows to fix. */
export class Outputs {
  readonly #io: Io
  readonly #preferences: Preferences
  readonly #includeLinks: boolean
  readonly #failed: FailedRows | undefined
  readonly #reportFile: AtomicFile | undefined
  readonly #failedFile: AtomicFile | undefined
  #report: OrderedReport | undefined
  /** The first failure to write. That output gets nothing more. */
  error: CliError | undefined
  /** The paths of the files that were written completely. */
  readonly written: { report?: string; earlierReport?: string | undefined; failedOut?: string } = {}
  #stdoutIsGone = false
  #reportIsBroken = false

  /** Opens the files: one that cannot be written is found before anything is sent. @throws CliError */
  constructor(
    io: Io,
    preferences: Preferences,
    inputs: { readonly file: string; readonly ledger: string | undefined },
    { report, failedOut, includeLinks = false }: BulkOptions,
  ) {
    this.#io = io
    this.#preferences = preferences
    this.#includeLinks = includeLinks
    refuseSame([
      ['the input', inputs.file],
      ['the ledger', inputs.ledger],
      ['--report', report],
      ['--failed-out', failedOut],
    ])
    if (report !== undefined) reportFormat(report)
    this.#reportFile = report === undefined ? undefined : new AtomicFile('--report', report)
    try {
      this.#failedFile = failedOut === undefined ? undefined : new AtomicFile('--failed-out', failedOut)
    } catch (error) {
      this.#reportFile?.discard()
      throw error
    }
    this.#failed = this.#failedFile && new FailedRows()
  }

  /** Begins the files for an input that was read, with the disk space that they may need. @throws CliError */
  begin({ rows: all, otherShards, sizeBytes, records: { delimiter }, text: { hasMark } }: InputFile): void {
    const rows = all - otherShards
    this.#reportFile?.reserve((rows + 10) * REPORTED_ROW_BYTES)
    this.#failedFile?.reserve(sizeBytes + rows * REASON_BYTES)
    this.#report = this.#reportFile && new OrderedReport(this.#reportFile, this.#includeLinks, { delimiter, hasMark })
  }

  /** Writes a row. Does not throw: see {@link error}. */
  async row(row: RowEvent | PlannedRow): Promise<void> {
    const line = this.#lineOf(this.note(row))
    if (line !== '') await this.#print(line)
  }

  /** The same without stdout. */
  note(row: RowEvent | PlannedRow): ReportedRow {
    const reported = toReportedRow(row, this.#includeLinks)
    this.#failed?.note(reported)
    this.#writeReport((report) => report.row(reported))
    return reported
  }

  /** Writes the summary, and completes the files. */
  async end(summary: object, input: InputFile, isPrinted: boolean): Promise<void> {
    if (isPrinted && this.#preferences.json.value) await this.#print(json(summary))
    await this.#endReport(summary)
    const file = this.#failedFile
    if (file === undefined) return
    try {
      await this.#failed?.writeInto(file, input)
      file.keep()
      this.written.failedOut = file.path
    } catch (error) {
      this.#failWith(error)
    }
  }

  close(): void {
    this.#report?.close()
    this.#reportFile?.discard()
    this.#failedFile?.discard()
  }

  /* A terminal shows only the summary. */
  #lineOf(row: ReportedRow): string {
    const { json: asJson, quiet } = this.#preferences
    if (asJson.value) return json(row)
    if (quiet.value) {
      return row.status === 'created' ? row.invites.map(({ inviteId }) => `${printable(inviteId)}\n`).join('') : ''
    }
    return this.#io.stdout.isTTY ? '' : tabSeparated(pipedColumns(this.#includeLinks), [row])
  }

  async #print(text: string): Promise<void> {
    if (this.#stdoutIsGone) return
    try {
      await this.#io.stdout.write(text)
    } catch (error) {
      this.#stdoutIsGone = true
      const message = `stdout does not take the rows any more (${systemCode(error)}): no further row was started.`
      this.#failWith(outputError(message, 'Run the same command again to resume.'))
    }
  }

  async #endReport(summary: object): Promise<void> {
    if (this.#report === undefined || this.#reportIsBroken) return
    try {
      this.written.earlierReport = await this.#report.end(summary)
      this.written.report = this.#reportFile?.path ?? ''
    } catch (error) {
      this.#failWith(error)
    }
  }

  #writeReport(write: (report: OrderedReport) => void): void {
    if (this.#report === undefined || this.#reportIsBroken) return
    try {
      write(this.#report)
    } catch (error) {
      this.#reportIsBroken = true
      this.#failWith(error)
    }
  }

  #failWith(error: unknown): void {
    if (!(error instanceof CliError)) throw error
    this.error ??= error
  }
}

function json(value: object): string {
  return `${escapeControls(JSON.stringify(value))}\n`
}

/** One file would overwrite another. @throws CliError */
export function refuseSame(files: readonly (readonly [string, string | undefined])[]): void {
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
