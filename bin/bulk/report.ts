import type { PlannedRow, RowEvent } from '../../src/campaign/index.ts'
import type { CertifyError } from '../../src/index.ts'
import type { LedgerInvite } from '../../src/ledger/index.ts'
import { CliError, systemCode } from '../cli-error.ts'
import { fileOf } from '../config/ledger-place.ts'
import type { Context } from '../context.ts'
import { isJsonObject } from '../parsing.ts'
import { RECORDED_LATE } from '../ledger/open-ledger.ts'
import { csvLine } from '../table/csv.ts'
import type { FileRow } from '../table/file.ts'
import { exactJson } from '../table/json.ts'
import { OutputFile, refuseSame } from '../table/output-file.ts'
import { wordError } from '../terminal/error-wording.ts'
import { outputError } from '../terminal/output.ts'
import { escapeControls, printable } from '../terminal/text.ts'
import { cellText, type Column, fieldColumns, tabSeparated } from '../terminal/table.ts'
import { faultsOf } from './candidate-row.ts'
import { ERROR_COLUMN } from './columns.ts'
import type { CandidateFile } from './read.ts'

/** What became of a row: `invalid` was not sent because of its input, `not_started` because the run stopped before it. */
export type ReportedStatus = Exclude<RowEvent['status'] | PlannedRow['status'], 'rejected'> | 'invalid' | 'not_started'

/* For each status, whether a run of --failed-out should have the row. */
const IS_TO_FIX: Readonly<Record<ReportedStatus, boolean>> = {
  created: false,
  already_invited: false,
  expired: false,
  partly_invited: false,
  duplicate: false,
  unknown: false,
  invalid: true,
  refused: true,
  failed: true,
  not_started: true,
  planned: false,
}

/** A row in a report, the same for programs and people. */
export interface ReportedRow {
  readonly type: 'row'
  readonly row: number
  readonly status: ReportedStatus
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly quizId?: string | undefined
  readonly packageId?: string | undefined
  readonly externalReference?: string | undefined
  /** For a partly invited package. */
  readonly missingQuizIds?: readonly string[] | undefined
  readonly invites: readonly Omit<LedgerInvite, 'status'>[]
  /** The create; for `certify invites resolve`. */
  readonly reference?: string | undefined
  readonly code?: string | undefined
  readonly message?: string | undefined
}

/** The counts of a plan or a run, under the names that a report uses. */
export function countsOf({ rejected, ...counts }: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return { ...counts, invalid: rejected ?? 0 }
}

/** The report of a row that is done, or only planned. */
export function toReportedRow(
  row: RowEvent | PlannedRow,
  showLinks: boolean,
  status: ReportedStatus = row.status === 'rejected' ? 'invalid' : row.status,
): ReportedRow {
  const { input } = row
  const event = 'type' in row ? row : undefined
  const target = input as Readonly<Record<string, string | undefined>> | undefined
  return {
    type: 'row',
    row: row.row,
    status,
    email: input?.candidate.email,
    name: input?.candidate.name,
    quizId: target?.['quizId'],
    packageId: target?.['packageId'],
    externalReference: target?.['externalReference'],
    missingQuizIds: row.missingQuizIds,
    invites: (event?.invites ?? []).map(({ status: _initial, challengeUrl, ...invite }) =>
      showLinks ? { ...invite, challengeUrl } : invite,
    ),
    reference: event?.reference,
    code: event?.error?.code ?? (status === 'invalid' ? 'INPUT_INVALID' : undefined),
    message: status === 'not_started' ? NOT_STARTED : messageOf(row),
  }
}

const NOT_STARTED = 'the run stopped before this row; run the same command again'

/* Includes the service's messages, although they may contain personal data: only they have the reason. */
function messageOf(row: RowEvent | PlannedRow): string | undefined {
  const isPackage = row.input !== undefined && 'packageId' in row.input
  if (row.status === 'duplicate') {
    return isPackage
      ? `row ${row.duplicateOf} is for the same package, or one of its quizzes; nothing of this row is sent`
      : `repeats row ${row.duplicateOf}`
  }
  if (row.status === 'rejected') return faultsOf(row.issues)
  if (row.status === 'expired') return LAPSED_INVITE
  if (!('type' in row) && row.lapsed === true) return row.status === 'unknown' ? LAPSED_UNKNOWN : LAPSED_INVITE
  const error = 'type' in row ? row.error : undefined
  const missing = row.missingQuizIds?.join(', ')
  if (missing !== undefined && error === undefined) {
    const earlier = row.duplicateOf === undefined ? '' : `row ${row.duplicateOf} is for another of its quizzes; `
    return `${earlier}these quizzes of the package have no invite yet: ${missing}; invite to them one by one`
  }
  const late = 'type' in row && row.late === true ? RECORDED_LATE : undefined
  if (error === undefined) return late ?? (row.status === 'already_invited' && isPackage ? OPEN_PACKAGE : undefined)
  if (isUnrecorded(row)) return unrecordedMessage(row, error)
  const words = error.apiMessages.filter((each) => each !== '').map((each) => `The service says: ${each}`)
  return [wordError(error).message, ...words, ...(late === undefined ? [] : [late])].join(' ')
}

const OPEN_PACKAGE = 'an invite of the package, or of one of its quizzes, is open; nothing of this row is sent'
const LAPSED_INVITE = 'invited before; that link has expired'
const LAPSED_UNKNOWN = 'may have been invited more than 14 days ago, and that link would have expired'

/** Whether a created row could not be recorded in the ledger: the report is its only record then. */
export function isUnrecorded(row: RowEvent | PlannedRow): row is RowEvent {
  return 'type' in row && row.status === 'created' && row.error?.code === 'LEDGER_UNUSABLE'
}

/* With the link if it was not e-mailed, because there is no other copy. */
function unrecordedMessage({ invites }: RowEvent, error: CertifyError): string {
  const kept = invites.filter(({ emailSent }) => emailSent !== true).flatMap(({ challengeUrl }) => challengeUrl ?? [])
  const links = kept.length === 0 ? '' : ` The link was not e-mailed: ${kept.join(' ')}`
  return `created, but not recorded. ${wordError(error).message}${links}`
}

/** The columns of a report, and of stdout in a pipe. */
export function reportColumns(showLinks: boolean): readonly Column<ReportedRow>[] {
  const joined = (of: (invite: ReportedRow['invites'][number]) => string | undefined) => (row: ReportedRow) =>
    row.invites.map((invite) => of(invite) ?? '').join(' ')
  return [
    ...fieldColumns<ReportedRow>(
      { row: 'row', status: 'status' },
      { status: `status (${Object.keys(IS_TO_FIX).join(', ')})` },
    ),
    ...fieldColumns<ReportedRow>({ email: 'email', name: 'name', quiz_id: 'quizId', package_id: 'packageId' }),
    ...fieldColumns<ReportedRow>({ external_reference: 'externalReference' }),
    { title: 'invite_ids', value: joined(({ inviteId }) => inviteId) },
    { title: 'expires_at', value: ({ invites }) => invites.map(({ expiresAt }) => expiresAt).toSorted()[0] },
    { title: 'email_sent', value: ({ invites }) => areSent(invites) },
    ...fieldColumns<ReportedRow>({ reference: 'reference', code: 'code', message: 'message' }),
    ...(showLinks ? [{ title: 'links', value: joined(({ challengeUrl }) => challengeUrl) }] : []),
  ]
}

/* For a package: whether all were sent. */
function areSent(invites: ReportedRow['invites']): boolean | undefined {
  if (invites.length === 0 || invites.some(({ emailSent }) => emailSent === undefined)) return undefined
  return invites.every(({ emailSent }) => emailSent)
}

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
    if (json) await this.#print(line(reported))
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
    if (isPrinted && this.#context.preferences.json) await this.#print(line(summary))
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

function line(value: object): string {
  return `${escapeControls(JSON.stringify(value))}\n`
}

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
