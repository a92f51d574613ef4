import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { PlannedRow, RowEvent } from '../../../src/campaign/index.ts'
import { CliError, systemCode } from '../../cli-error.ts'
import type { Preferences } from '../../config/settings.ts'
import type { Io } from '../../io.ts'
import { escapeControls, printable } from '../../terminal/printable.ts'
import { tabSeparated } from '../../terminal/table.ts'
import type { Source } from '../read/input-bytes.ts'
import type { Reading } from '../read/input-file.ts'
import { AtomicFile } from './atomic-file.ts'
import { FailedRows, REASON_BYTES } from './failed-rows.ts'
import { REPORTED_ROW_BYTES, type Report, reportFormat, reportInto } from './report-file.ts'
import { type ReportedRow, reportColumns, reported } from './reported-row.ts'

/** Where the outcome of rows is written: stdout, the report, and the file of rows to fix. */
export interface OutputOptions {
  readonly report?: string
  readonly failedOut?: string
  readonly includeLinks: boolean
}

/* The files that nothing may be written over. */
interface Taken {
  readonly input: string
  readonly ledger: string
}

export class Outputs {
  readonly #io: Io
  readonly #preferences: Preferences
  readonly #options: OutputOptions
  readonly #failed: FailedRows | undefined
  readonly #reportFile: AtomicFile | undefined
  readonly #failedFile: AtomicFile | undefined
  readonly #report: Report | undefined
  /** The first thing that could not be written. Nothing is written to there any more. */
  error: CliError | undefined
  /** Which of the files stand in their place now. */
  readonly kept = { report: false, failedOut: false }
  #stdoutIsGone = false
  #reportIsBroken = false

  /** Opens the files, so that what cannot be written is found first. @throws CliError */
  constructor(io: Io, preferences: Preferences, { input, ledger }: Taken, options: OutputOptions) {
    this.#io = io
    this.#preferences = preferences
    this.#options = options
    const { report, failedOut, includeLinks } = options
    refuseSame([
      ['the input', input],
      ['the ledger', ledger],
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
    this.#report = this.#reportFile && reportInto(this.#reportFile, includeLinks)
  }

  /** Takes the room that the files may need. @throws CliError */
  reserve(rows: number, inputBytes: number): void {
    this.#reportFile?.reserve((rows + 10) * REPORTED_ROW_BYTES)
    this.#failedFile?.reserve(inputBytes + rows * REASON_BYTES)
  }

  /** Writes the outcome of a row, or what is planned for it. Does not throw: see {@link error}. */
  async row(row: RowEvent | PlannedRow): Promise<void> {
    const line = this.#lineOf(this.note(row))
    if (line !== '') await this.#print(line)
  }

  /** The same without stdout, for a run that never began. */
  note(row: RowEvent | PlannedRow): ReportedRow {
    const outcome = reported(row, this.#options.includeLinks)
    this.#failed?.note(outcome)
    this.#writeReport((report) => report.row(outcome))
    return outcome
  }

  /** Writes the summary, and puts the files into their places. */
  async end(summary: object, source: Source, reading: Reading, isPrinted: boolean): Promise<void> {
    if (isPrinted && this.#preferences.json.value) await this.#print(json(summary))
    this.#writeReport((report) => {
      report.end(summary)
      this.#reportFile?.keep()
      this.kept.report = true
    })
    const file = this.#failedFile
    if (file === undefined) return
    try {
      await this.#failed?.writeInto(file, source, reading)
      file.keep()
      this.kept.failedOut = true
    } catch (error) {
      this.#failWith(error)
    }
  }

  /** Removes what was not put into its place. */
  close(): void {
    this.#reportFile?.discard()
    this.#failedFile?.discard()
  }

  /* On a terminal a row is no news: the summary says it all. */
  #lineOf(row: ReportedRow): string {
    const { json: asJson, quiet } = this.#preferences
    if (asJson.value) return json(row)
    if (quiet.value) {
      return row.status === 'created' ? row.invites.map(({ inviteId }) => `${printable(inviteId)}\n`).join('') : ''
    }
    return this.#io.stdout.isTTY ? '' : tabSeparated(reportColumns(this.#options.includeLinks), [row])
  }

  async #print(text: string): Promise<void> {
    if (this.#stdoutIsGone) return
    try {
      await this.#io.stdout.write(text)
    } catch (error) {
      this.#stdoutIsGone = true
      const code = systemCode(error)
      this.#failWith(
        new CliError(
          `stdout does not take the rows any more (${code}): no further row was begun.`,
          'Run the same command again to resume.',
          { code: 'OUTPUT_FAILED', exitCode: 1 },
        ),
      )
    }
  }

  #writeReport(write: (report: Report) => void): void {
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

/* Each would take the place of another. */
function refuseSame(files: readonly (readonly [string, string | undefined])[]): void {
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
