import { AtomicFile } from '../bulk/report/atomic-file.ts'
import { REPORTED_ROW_BYTES, reportFormat, reportWriter } from '../bulk/report/report-file.ts'
import { findingColumns, type ReportedFinding } from './reported-finding.ts'

/** The file of `--report`. */
export class FindingReport {
  readonly #file: AtomicFile | undefined

  /** Opens it: a file that cannot be written is found before anything is recorded. @throws CliError */
  constructor(path: string | undefined) {
    if (path !== undefined) reportFormat(path)
    this.#file = path === undefined ? undefined : new AtomicFile('--report', path)
  }

  /** Reserves disk space. @throws CliError */
  reserve(rows: number): void {
    this.#file?.reserve((rows + 10) * REPORTED_ROW_BYTES)
  }

  /** Keeps an earlier file of this name under another one: returns that. @throws CliError */
  write(rows: readonly ReportedFinding[], summary: object): string | undefined {
    if (this.#file === undefined) return undefined
    const writer = reportWriter(this.#file, findingColumns)
    for (const row of rows) writer.row(row)
    writer.end({ type: 'summary', ...summary })
    return this.#file.keepBoth()
  }

  close(): void {
    this.#file?.discard()
  }
}
